import tarfile
t = tarfile.open("archive.tar.gz", "r:gz")
member = t.next()
while member is not None:
    t.extract(member, path="/tmp/unpack", set_attrs=False)
    member = t.next()
t.close()
