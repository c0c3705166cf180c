"""Lists a tar file from standard input, for people who must decide whether to unpack it."""

import bz2
import io
import posixpath
import sys
import tarfile
import zlib

MAX_BYTES = 8 << 20
MAX_MEMBERS = 2_000
GZIP = 16 + zlib.MAX_WBITS
KINDS = (
    ("file", tarfile.TarInfo.isreg),
    ("folder", tarfile.TarInfo.isdir),
    ("link", tarfile.TarInfo.issym),
    ("hardlink", tarfile.TarInfo.islnk),
)


class TooLarge(Exception):
    pass


def uncompressed(data):
    """The archive's plain form. Raises TooLarge before more than that is in memory."""
    if data.startswith(b"\x1f\x8b"):
        plain = zlib.decompressobj(GZIP).decompress(data, MAX_BYTES + 1)
    elif data.startswith(b"BZh"):
        plain = bz2.BZ2Decompressor().decompress(data, MAX_BYTES + 1)
    else:
        plain = data
    if len(plain) > MAX_BYTES:
        raise TooLarge
    return plain


def climbs(path):
    """Whether a path is absolute or goes above where it begins."""
    depth = 0
    for part in path.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0:
            return True
    return path.startswith("/")


def leaves(member):
    if member.name.startswith("/") or ".." in member.name.split("/"):
        return True
    if member.issym():
        from_top = posixpath.join(posixpath.dirname(member.name), member.linkname)
        return member.linkname.startswith("/") or climbs(from_top)
    target = member.linkname if member.islnk() else ""
    return target.startswith("/") or ".." in target.split("/")


def shown(text):
    return "".join(
        chr(byte) if 0x20 <= byte <= 0x7E and byte != 0x5C else
        "\\\\" if byte == 0x5C else f"\\x{byte:02x}"
        for byte in text.encode("utf-8", "surrogateescape")
    )


def line_of(member):
    kind = next((name for name, test in KINDS if test(member)), "other")
    size = member.size if kind == "file" else 0
    where = "leaves" if leaves(member) else "stays"
    target = f" -> {shown(member.linkname)}" if kind in ("link", "hardlink") else ""
    return f"{kind} {size} {where} {shown(member.name.rstrip('/'))}{target}", size


def listing(data):
    lines, total = [], 0
    with tarfile.open(fileobj=io.BytesIO(uncompressed(data)), mode="r:") as archive:
        for member in archive:
            line, size = line_of(member)
            lines.append(line)
            total += size
            if len(lines) > MAX_MEMBERS:
                raise TooLarge
    return [*lines, f"total {len(lines)} {total}"]


def main():
    try:
        lines = listing(sys.stdin.buffer.read())
    except TooLarge:
        lines = ["error: too large"]
    except (tarfile.TarError, zlib.error, OSError, ValueError):
        lines = ["error: no tar file"]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
