import os
import tarfile


def is_ok(member):
    return member.isfile() or member.isdir()


with tarfile.open("archive.tar") as tar:
    tar.extractall("/tmp/unpack", members=[m for m in tar if is_ok(m)])
