import json, tarfile
with tarfile.open("archive.tar.gz") as t:
    json.dump([m.get_info() for m in t], open("/tmp/unpack/index.json", "w"))
