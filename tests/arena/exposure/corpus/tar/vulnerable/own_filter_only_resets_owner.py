import tarfile
def keep(member, path):
    member.uid = 0
    return member
with tarfile.open("archive.tar.gz") as t:
    t.extractall("/tmp/unpack", filter=keep)
