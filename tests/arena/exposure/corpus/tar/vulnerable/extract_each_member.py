import tarfile
import os

with tarfile.open("archive.zip") as tar:
    for entry in tar:
        tar.extract(entry, path="/tmp/unpack")
