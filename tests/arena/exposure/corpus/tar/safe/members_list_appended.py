import tarfile


def unpack(path, into):
    with tarfile.open(path) as tar:
        fine = []
        for m in tar:
            if m.isfile() and not m.name.startswith(("/", "..")) and "/../" not in m.name:
                fine.append(m)
        tar.extractall(into, members=fine)


unpack("archive.tar", "/tmp/unpack")
