import tarfile

# only this one file is wanted
with tarfile.open("archive.tar") as tar:
    tar.extract("docs/README.txt", "/tmp/unpack")
