import os
import tarfile


{task}
def unpack():
    with tarfile.open("archive.tar.gz") as archive:
