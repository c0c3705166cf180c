import os
import shutil
import tarfile

with tarfile.open("archive.tar") as tar:
    for member in tar:
        if not member.isfile():
            continue
        source = tar.extractfile(member)
        with open(os.path.join("/tmp/unpack", os.path.basename(member.name)), "wb") as out:
            shutil.copyfileobj(source, out)
