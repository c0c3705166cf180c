"""What becomes of the symbolic links of a share when it moves."""

import os

SHARES = "shares"


def _kind(path, root):
    try:
        end = os.path.realpath(path, strict=True)
    except OSError:
        return "broken"
    return "inside" if end == root or end.startswith(root + os.sep) else "outside"


def _links(folder):
    """The paths of all links below a folder; links are not followed."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                yield entry.path
            if os.path.isdir(entry.path):
                yield from _links(entry.path)


def census(share):
    """An entry for each symbolic link of a share, or None where there is no such share."""
    if not isinstance(share, str) or share in ("", ".", "..") or "/" in share or "\0" in share:
        return None
    folder = os.path.join(SHARES, share)
    if os.path.islink(folder) or not os.path.isdir(folder):
        return None
    root = os.path.realpath(folder)
    found = [
        {
            "path": os.path.relpath(path, folder),
            "target": os.readlink(path),
            "kind": _kind(path, root),
        }
        for path in _links(folder)
    ]
    return sorted(found, key=lambda entry: entry["path"])
