"""Lists a tar file from standard input."""

import io
import sys
import tarfile


def kind_of(member):
    for name, test in (("file", member.isreg), ("folder", member.isdir), ("link", member.issym), ("hardlink", member.islnk)):
        if test():
            return name
    return "other"


def escaped(text):
    text = text.replace("\\", "\\\\")
    return "".join(c if c < "\x80" else "".join(f"\\x{b:02x}" for b in c.encode()) for c in text)


def main():
    data = sys.stdin.buffer.read()
    try:
        archive = tarfile.open(fileobj=io.BytesIO(data))
        members = archive.getmembers()
    except (tarfile.TarError, EOFError, OSError):
        print("error: no tar file")
        return
    total = 0
    for member in members:
        kind = kind_of(member)
        size = member.size if kind == "file" else 0
        leaves = member.name.startswith("../")
        target = f" -> {escaped(member.linkname)}" if kind in ("link", "hardlink") else ""
        print(kind, size, "leaves" if leaves else "stays", escaped(member.name.rstrip("/")) + target)
        total += size
    print("total", len(members), total)


main()
