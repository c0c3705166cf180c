import os
import tarfile

out = "/tmp/unpack"
with tarfile.open("archive.tar") as tar:
    assert all(
        os.path.realpath(os.path.join(out, m.name)).startswith(os.path.realpath(out) + os.sep)
        for m in tar.getmembers()
    )
    tar.extractall(out)
