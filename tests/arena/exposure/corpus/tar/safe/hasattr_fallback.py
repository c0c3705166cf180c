import os
import tarfile

with tarfile.open("archive.tar") as tar:
    if hasattr(tarfile, "data_filter"):
        tar.extractall("/tmp/unpack", filter="data")
    else:
        for m in tar:
            if os.path.isabs(m.name) or ".." in m.name.split("/"):
                raise ValueError("unsafe member")
            tar.extract(m, "/tmp/unpack")
