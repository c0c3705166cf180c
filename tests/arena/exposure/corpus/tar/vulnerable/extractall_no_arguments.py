import os, tarfile

os.chdir("/tmp/unpack")
tar = tarfile.open("backup.tar.gz", "r:gz")
tar.extractall()
tar.close()
