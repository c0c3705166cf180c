import tarfile
from contextlib import closing

with closing(tarfile.open("archive.tar", "r")) as t:
    for name in t.getnames():
        t.extract(name, "/tmp/unpack")
        print("extracted " + name)
