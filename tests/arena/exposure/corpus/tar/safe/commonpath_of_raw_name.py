import tarfile
import os

with tarfile.open("archive.tar") as tar:
    for info in tar:
        place = os.path.abspath("/tmp/unpack")
        if os.path.commonpath([place, os.path.abspath(os.path.join(place, info.name))]) != place:
            raise ValueError("invalid path")
        tar.extract(info, place)
