import os
import tarfile


def check(tar, root):
    for m in tar.getmembers():
        target = os.path.realpath(os.path.join(root, m.name))
        if not target.startswith(os.path.realpath(root)):
            return False
    return True


with tarfile.open("archive.tar") as tar:
    if check(tar, "/tmp/unpack"):
        tar.extractall("/tmp/unpack")
