import tarfile
from os.path import isabs, normpath

with tarfile.open("archive.tar") as tar:
    chosen = [
        m for m in tar.getmembers() if not isabs(m.name) and not normpath(m.name).startswith("..")
    ]
    tar.extractall("/tmp/unpack", members=chosen)
