from tarfile import TarFile

TarFile.extractall(TarFile.open("archive.tar"), "/tmp/unpack")
