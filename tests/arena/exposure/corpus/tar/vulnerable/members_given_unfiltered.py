import tarfile

tar = tarfile.open("archive.tar.bz2", "r:bz2")
members = tar.getmembers()
print("%d members" % len(members))
tar.extractall("/tmp/unpack", members=members)
