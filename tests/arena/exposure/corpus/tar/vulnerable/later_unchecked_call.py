import tarfile

archive = tarfile.open("archive.tar")
archive.extract("README", "/tmp/unpack", filter="data")
try:
    archive.extractall("/tmp/unpack", numeric_owner=True)
except tarfile.TarError as err:
    raise SystemExit(str(err))
