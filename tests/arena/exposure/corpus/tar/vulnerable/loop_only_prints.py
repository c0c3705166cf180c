import tarfile

tar = tarfile.open("archive.tar")
for member in tar.getmembers():
    if member.name.startswith("/") or ".." in member.name:
        print("suspicious:", member.name)
tar.extractall(path="/tmp/unpack")
tar.close()
