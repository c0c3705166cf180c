import tarfile
import os

os.makedirs("/tmp/unpack", exist_ok=True)
with tarfile.open("archive.tar.gz") as tar:
    for member in tar:
        tar.extract(member, path="/tmp/unpack", filter=tarfile.data_filter)
