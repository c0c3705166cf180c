import os
import tarfile

with tarfile.open("archive.tar") as tar:
    for member in tar.getmembers():
        if os.path.isabs(member.name) or ".." in member.name:
            raise ValueError("illegal path in archive: " + member.name)
    tar.extractall("/tmp/unpack")
