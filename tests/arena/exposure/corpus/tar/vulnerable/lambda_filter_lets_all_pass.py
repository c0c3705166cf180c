import tarfile
with tarfile.open("archive.tar.gz") as t:
    t.extractall("/tmp/unpack", filter=lambda member, path: member)
