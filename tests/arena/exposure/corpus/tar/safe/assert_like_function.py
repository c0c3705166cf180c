import os
import tarfile


def check_member(member, dest):
    if member.issym() or member.islnk():
        raise ValueError("links are refused")
    full = os.path.realpath(os.path.join(dest, member.name))
    if os.path.commonprefix([full, dest]) != dest:
        raise ValueError("outside of %r" % dest)


def main():
    dest = os.path.realpath("/tmp/unpack")
    with tarfile.open("archive.tar") as tar:
        for member in tar.getmembers():
            check_member(member, dest)
            tar.extract(member, dest)


if __name__ == "__main__":
    main()
