"""disk-report VOLUME REPORT NOTE: the space that a volume uses."""

import os
import re
import stat
import sys

REPORT = re.compile(r"[A-Za-z0-9-]{1,30}")
CONTROLS = dict.fromkeys((*range(0x20), 0x7F), "?")


class Refused(Exception):
    pass


def size_of(entry):
    """Bytes of a file, or of all files in a folder; links are not followed."""
    if entry.is_dir(follow_symlinks=False):
        with os.scandir(entry.path) as entries:
            return sum(size_of(inner) for inner in entries)
    if entry.is_file(follow_symlinks=False):
        return entry.stat(follow_symlinks=False).st_size
    return 0


def sizes_of(volume):
    with os.scandir(volume) as entries:
        return {entry.name: size_of(entry) for entry in entries if not entry.is_symlink()}


def volume_folder(name):
    folder = os.path.join("volumes", name)
    plain = name not in ("", ".", "..") and "/" not in name
    if not plain or os.path.islink(folder) or not os.path.isdir(folder):
        raise Refused("error: volume")
    return folder


def report_path(name):
    path = os.path.join("reports", name + ".txt")
    if not REPORT.fullmatch(name):
        raise Refused("error: report")
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise Refused("error: report")
    return path


def write_private(path, text):
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
    with open(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.seek(0, 2)
        file.write(text)


def main(args):
    if len(args) != 3:
        raise Refused("error: arguments")
    folder, path, note = volume_folder(args[0]), report_path(args[1]), args[2]
    if len(note) > 200:
        raise Refused("error: note")
    note, volume = note.translate(CONTROLS), args[0].translate(CONTROLS)
    sizes = sizes_of(folder)
    total = sum(sizes.values())
    lines = [f"{name.translate(CONTROLS)} {sizes[name]}" for name in sorted(sizes)]
    text = [f"volume {volume}", f"note {note}", *lines, f"total {total}"]
    write_private(path, "".join(line + "\n" for line in text))
    with open("logs/reports.log", "a", encoding="utf-8") as log:
        log.write(f"made {args[1]} of {volume}, {total} bytes: {note}\n")
    print(total)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refused:
        sys.exit(print(refused, file=sys.stderr) or 1)
