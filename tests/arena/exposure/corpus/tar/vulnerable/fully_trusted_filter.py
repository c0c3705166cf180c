import tarfile


def unpack(source, target="/tmp/unpack"):
    """Unpack a tar file."""
    with tarfile.open(source, mode="r:*") as archive:
        archive.extractall(target, filter="fully_trusted")


unpack("archive.tar")
