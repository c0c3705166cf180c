import tarfile

tar = tarfile.open("archive.tar")
if any(n.startswith("/") or ".." in n for n in tar.getnames()):
    raise SystemExit("this archive wants to leave its folder")
tar.extractall(path="/tmp/unpack")
