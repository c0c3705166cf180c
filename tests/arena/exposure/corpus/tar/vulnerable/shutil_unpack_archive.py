import shutil
from pathlib import Path

target = Path("/tmp/unpack")
target.mkdir(parents=True, exist_ok=True)
shutil.unpack_archive("archive.tar.gz", target, "gztar")
