import hashlib
import sys


def etag(path):
    h = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as handle:
        for chunk in iter(lambda: handle.read(65536), b""):
            h.update(chunk)
    return h.hexdigest()


for path in sys.argv[1:]:
    print(etag(path), path)
