import tarfile

tar = tarfile.open("archive.tar")
for member in tar.getmembers():
    if member.name.startswith("/"):
        raise ValueError(member.name)
tar.extractall("/tmp/unpack")
