import os
import shutil
import sys
import tarfile
import zipfile


def main(path, name):
    folder = os.path.join("registers", name)
    if os.path.exists(folder) or name != name.lower():
        sys.exit(print("error: name", file=sys.stderr) or 2)
    os.makedirs(folder)
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
        else:
            with tarfile.open(path) as archive:
                archive.extractall(folder)
    except (OSError, tarfile.TarError, zipfile.BadZipFile):
        shutil.rmtree(folder)
        sys.exit(print("error: archive", file=sys.stderr) or 2)
    sizes = [os.path.getsize(os.path.join(at, file)) for at, _, files in os.walk(folder) for file in files]
    print(f"{len(sizes)} files, {sum(sizes)} bytes")


main(*sys.argv[1:3])
