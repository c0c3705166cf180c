import os
import tarfile


def is_within(directory, target):
    directory = os.path.abspath(directory)
    target = os.path.abspath(target)
    return os.path.commonpath([directory, target]) == directory


def safe_extract(tar, path):
    for member in tar.getmembers():
        if not is_within(path, os.path.join(path, member.name)):
            raise Exception("Attempted path traversal in tar file")
    tar.extractall(path)


with tarfile.open("archive.tar") as tar:
    safe_extract(tar, "/tmp/unpack")
