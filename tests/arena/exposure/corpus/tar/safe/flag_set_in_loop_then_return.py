import os, tarfile
def unpack():
    t = tarfile.open("archive.tar.gz")
    unsafe = False
    for m in t.getmembers():
        p = os.path.realpath(os.path.join("/tmp/unpack", m.name))
        if not p.startswith("/tmp/unpack" + os.sep):
            unsafe = True
            break
    if unsafe:
        print("refused")
        return
    t.extractall("/tmp/unpack")
