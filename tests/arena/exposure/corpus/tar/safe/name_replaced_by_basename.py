import os
import tarfile

with tarfile.open("archive.tar", "r") as tar:
    for member in tar.getmembers():
        if member.isreg():
            member.name = os.path.basename(member.name)
            tar.extract(member, "/tmp/unpack")
