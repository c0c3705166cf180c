#!/usr/bin/env python
import tarfile, sys, os


def untar(fname):
    if fname.endswith("tar.gz"):
        tar = tarfile.open(fname)
        tar.extractall(path="/tmp/unpack")
        tar.close()
        print("Extracted in /tmp/unpack")
    else:
        print("Not a tar.gz file: '%s '" % sys.argv[0])


untar("archive.tar.gz")
