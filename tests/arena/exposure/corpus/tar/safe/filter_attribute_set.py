import tarfile


def unpack(name):
    tar = tarfile.open(name)
    tar.extraction_filter = getattr(tarfile, "data_filter", None) or tarfile.tar_filter
    tar.extractall("/tmp/unpack")
    tar.close()


unpack("archive.tar")
