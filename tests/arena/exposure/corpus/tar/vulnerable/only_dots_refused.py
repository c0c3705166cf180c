import tarfile

with tarfile.open("archive.tar") as tar:
    for member in tar:
        if ".." in member.name:
            continue
        tar.extract(member, "/tmp/unpack")
