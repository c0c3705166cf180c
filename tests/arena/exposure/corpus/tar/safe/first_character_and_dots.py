import tarfile

t = tarfile.open("archive.tar", "r:gz")
for info in t.getmembers():
    name = info.name
    if name[0] == "/" or ".." in name:
        print("skipping %s" % name)
    else:
        t.extract(info, "/tmp/unpack")
