import tarfile
import os


def unzip(path):
    """tar.extractall(path)"""
    # TODO: use extractall
    pass


os.chdir("/tmp/unpack")
