import shutil

shutil.unpack_archive("archive.tar", "/tmp/unpack", filter="data")
