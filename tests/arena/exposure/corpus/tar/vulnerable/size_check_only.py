import tarfile

LIMIT = 10 * 1024 * 1024

with tarfile.open("archive.tar") as tar:
    for info in tar:
        if info.size > LIMIT:
            raise ValueError("too large: " + info.name)
        tar.extract(info, "/tmp/unpack")
