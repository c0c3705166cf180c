import tarfile

t = tarfile.open("archive.tar")
t.extractall("/tmp/unpack", members=t.getmembers()[1:])
