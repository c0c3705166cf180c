import tarfile

with tarfile.open("archive.tar") as tar:
    tar.extractall("/tmp/unpack", filter=tarfile.fully_trusted_filter)
