import tarfile
from pathlib import Path

out = Path("/tmp/unpack").resolve()
with tarfile.open("archive.tar") as tar:
    for member in tar.getmembers():
        try:
            (out / member.name).resolve().relative_to(out)
        except ValueError:
            continue
        tar.extract(member, out)
