import os
import tarfile

with tarfile.open("archive.tar") as tar:
    for m in tar.getmembers():
        source = tar.extractfile(m)
        if source is None:
            continue
        target = os.path.join("/tmp/unpack", m.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as out:
            out.write(source.read())
