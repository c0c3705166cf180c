import os
import tarfile


def keep_inside(member, path):
    target = os.path.realpath(os.path.join(path, member.name))
    if os.path.commonpath([target, os.path.realpath(path)]) != os.path.realpath(path):
        return None
    return member


with tarfile.open("archive.tar") as tar:
    tar.extractall("/tmp/unpack", filter=keep_inside)
