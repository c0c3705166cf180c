import tarfile
from pathlib import Path

target = Path("/tmp/unpack").resolve()
with tarfile.open("archive.tar") as tar:
    for member in tar.getmembers():
        path = (target / member.name).resolve()
        if not path.is_relative_to(target):
            raise RuntimeError(f"{member.name} would be written outside")
        tar.extract(member, target)
