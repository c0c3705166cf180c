import os
import tarfile
import zipfile

target = "/tmp/unpack"
source = "archive.zip"
with zipfile.ZipFile(source) as tar:
    tar.extractall(target)
