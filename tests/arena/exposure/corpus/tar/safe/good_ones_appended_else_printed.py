import os, tarfile
def unpack():
    dest = os.path.abspath("/tmp/unpack")
    good = []
    t = tarfile.open("archive.tar.gz")
    for m in t.getmembers():
        p = os.path.abspath(os.path.join(dest, m.name))
        if p == dest or p.startswith(dest + os.sep):
            good.append(m)
        else:
            print("skipped %s" % m.name)
    t.extractall(dest, good)
    t.close()
