import tarfile

OPTIONS = {"path": "/tmp/unpack", "filter": "tar"}

with tarfile.open("archive.tar") as tar:
    tar.extractall(**OPTIONS)
