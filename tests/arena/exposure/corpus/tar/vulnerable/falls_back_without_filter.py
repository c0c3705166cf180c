import tarfile
def unpack():
    with tarfile.open("archive.tar.gz") as t:
        try:
            t.extractall("/tmp/unpack", filter="data")
        except TypeError:
            # Older Python: no filters
            t.extractall("/tmp/unpack")
