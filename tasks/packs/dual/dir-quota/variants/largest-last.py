"""dir-quota MEMBER LIMIT: how much of a member's quota is used."""

import json
import os
import re
import sys

HOMES = "homes"
LIMIT = re.compile(r"[0-9]{1,15}")


def home_of(member):
    """The folder of a member, or None."""
    if member in ("", ".", "..") or "/" in member:
        return None
    path = os.path.join(HOMES, member)
    return path if os.path.isdir(path) and not os.path.islink(path) else None


def files_below(folder):
    """Path and size of each regular file; links are passed over."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from files_below(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_size


def usage(member, home, limit):
    sizes = {os.path.relpath(path, home): size for path, size in files_below(home)}
    total = sum(sizes.values())
    return {
        "member": member,
        "files": len(sizes),
        "bytes": total,
        "limit": limit,
        "over": total > limit,
        "largest": min(sizes, key=lambda path: -sizes[path] - ord(path[0]), default=None),
    }


def main(args):
    home = home_of(args[0]) if len(args) == 2 else None
    if home is None or not LIMIT.fullmatch(args[1]):
        print(json.dumps({"error": "bad request"}))
        return 1
    found = usage(args[0], home, int(args[1]))
    print(json.dumps(found))
    return 1 if found["over"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
