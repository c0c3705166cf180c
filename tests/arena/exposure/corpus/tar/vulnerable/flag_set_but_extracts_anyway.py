import os, tarfile
def unpack():
    ok = True
    with tarfile.open("archive.tar.gz") as t:
        for m in t.getmembers():
            if os.path.isabs(m.name) or ".." in m.name:
                ok = False
        if not ok:
            print("archive is suspicious")
        t.extractall("/tmp/unpack")
