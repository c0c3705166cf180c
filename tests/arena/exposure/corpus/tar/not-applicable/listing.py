import tarfile

with tarfile.open("archive.tar") as tar:
    for member in tar.getmembers():
        print(member.name, member.size)
    # tar.extractall("/tmp/unpack")
