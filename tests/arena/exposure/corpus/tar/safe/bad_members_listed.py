import sys
import tarfile

with tarfile.open("archive.tar") as tar:
    bad = [n for n in tar.getnames() if n.startswith("/") or ".." in n.split("/")]
    if bad:
        sys.exit("refused: " + ", ".join(bad))
    tar.extractall("/tmp/unpack")
