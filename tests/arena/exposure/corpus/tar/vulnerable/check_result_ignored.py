import os
import tarfile


def within(folder, name):
    return os.path.realpath(os.path.join(folder, name)).startswith(folder)


with tarfile.open("archive.tar") as tar:
    for m in tar.getmembers():
        within("/tmp/unpack", m.name)
        tar.extract(m, "/tmp/unpack")
