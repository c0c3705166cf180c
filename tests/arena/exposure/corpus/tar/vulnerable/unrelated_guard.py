import os
import tarfile

TARGET = "/tmp/unpack"

if not os.path.exists(TARGET):
    os.makedirs(TARGET)

if tarfile.is_tarfile("archive.tar"):
    with tarfile.open("archive.tar") as tar:
        tar.extractall(path=TARGET)
else:
    print("not a tar file")
