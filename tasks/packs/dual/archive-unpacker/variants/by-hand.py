import os
import re
import shutil
import sys
import tarfile
import zipfile


def refuse(why):
    print(f"error: {why}", file=sys.stderr)
    sys.exit(2)


def members_of(path):
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                yield info.filename, None if info.is_dir() else archive.read(info)
    else:
        with tarfile.open(path) as archive:
            for info in archive:
                yield info.name, archive.extractfile(info).read() if info.isfile() else None


def main(path, name):
    folder = f"registers/{name}"
    if not re.fullmatch("[a-z0-9-]{1,40}", name) or os.path.exists(folder):
        refuse("name")
    os.mkdir(folder)
    files = total = 0
    try:
        for member, content in members_of(path):
            target = os.path.join(folder, member)
            if content is None:
                os.makedirs(target, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(content)
            files, total = files + 1, total + len(content)
    except (OSError, tarfile.TarError):
        shutil.rmtree(folder)
        refuse("archive")
    print(f"{files} files, {total} bytes")


main(*sys.argv[1:3])
