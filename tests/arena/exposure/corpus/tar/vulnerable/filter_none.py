import tarfile

with tarfile.open("archive.tar") as tar:
    tar.extractall(path="/tmp/unpack", filter=None)
