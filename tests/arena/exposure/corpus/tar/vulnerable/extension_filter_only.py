import tarfile


def python_files(members):
    for info in members:
        if info.name.endswith(".py"):
            yield info


with tarfile.open("archive.tar") as tar:
    tar.extractall("/tmp/unpack", members=python_files(tar))
