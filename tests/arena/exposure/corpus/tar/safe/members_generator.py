import os
import sys
import tarfile

TARGET = os.path.realpath("/tmp/unpack")


def good(members):
    for info in members:
        place = os.path.realpath(os.path.join(TARGET, info.name))
        if not place.startswith(TARGET + os.sep):
            sys.stderr.write("skip %s\n" % info.name)
        else:
            yield info


with tarfile.open("archive.tar") as tar:
    tar.extractall(TARGET, members=good(tar))
