import os
import tarfile


def pack(folder, target="out.tar.gz"):
    with tarfile.open(target, "w:gz") as tar:
        tar.add(folder, arcname=os.path.basename(folder))
    return target


pack("/tmp/unpack")
