import tarfile
with tarfile.open("archive.tar.gz") as t:
    t.extractall("/tmp/unpack", filter=lambda m, p: tarfile.data_filter(m, p))
