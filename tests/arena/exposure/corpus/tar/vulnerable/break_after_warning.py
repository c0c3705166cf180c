import tarfile

tar = tarfile.open("archive.tar")
for m in tar:
    if m.name.startswith("/") or ".." in m.name:
        print("bad member", m.name)
        break
tar.extractall("/tmp/unpack")
