import tarfile

with tarfile.open("archive.tar") as tar:
    for member in tar:
        try:
            member = tarfile.data_filter(member, "/tmp/unpack")
        except tarfile.FilterError as problem:
            print("refused:", problem)
            continue
        tar.extract(member, "/tmp/unpack")
