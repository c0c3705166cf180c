import os, tarfile
def unpack():
    with tarfile.open("archive.tar.gz") as t:
        for m in t.getmembers():
            try:
                if ".." in m.name or m.name.startswith("/"):
                    raise ValueError(m.name)
            except ValueError as e:
                print(e)
            t.extract(m, "/tmp/unpack")
