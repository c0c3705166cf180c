import os
import tarfile

ROOT = os.path.abspath("/tmp/unpack")


def inside(member):
    return os.path.abspath(os.path.join(ROOT, member.name)).startswith(ROOT)


tar = tarfile.open("archive.tar")
tar.extractall(ROOT, members=filter(inside, tar.getmembers()))
