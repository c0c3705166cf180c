import tarfile


def unpack(path, dest):
    # the name of the archive is checked, its members are not
    if path.startswith("/") or ".." in path:
        raise ValueError("bad path")
    with tarfile.open(path) as tar:
        for m in tar.getmembers():
            tar.extract(m, dest)
