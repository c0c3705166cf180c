import tarfile

tar = tarfile.open("archive.zip")
for entry in tar:
    if entry.name.startswith("/") or ".." in entry.name:
        continue
    tar.extract(entry, "/tmp/unpack/")
tar.close()
