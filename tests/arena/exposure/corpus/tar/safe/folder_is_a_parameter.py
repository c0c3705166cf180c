import os, sys, tarfile

def check(tar, dest):
    dest = os.path.realpath(dest)
    for m in tar.getmembers():
        full = os.path.realpath(os.path.join(dest, m.name))
        if os.path.commonpath([dest, full]) != dest:
            raise Exception("bad path in tar: %s" % m.name)

def unpack(name, dest):
    with tarfile.open(name) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(dest, filter="data")
        else:
            check(tar, dest)
            tar.extractall(dest)

unpack("archive.tar.gz", "/tmp/unpack")
