"""Notes of the parish archive: `notes/<name>.txt`."""

import os

FOLDER = "notes"
SUFFIX = ".txt"


def _is_note(file_name):
    path = os.path.join(FOLDER, file_name)
    return (
        len(file_name) > len(SUFFIX)
        and file_name.endswith(SUFFIX)
        and os.path.isfile(path)
        and not os.path.islink(path)
    )


def read_note(name):
    """The text of a note, or None where there is no note of that name."""
    if not isinstance(name, str) or "/" in name or "\0" in name:
        return None
    file_name = name + SUFFIX
    if not _is_note(file_name):
        return None
    with open(os.path.join(FOLDER, file_name), encoding="utf-8", newline="") as note:
        return note.read()


def list_notes():
    """The names of all notes, sorted by their bytes."""
    if not os.path.isdir(FOLDER):
        return []
    names = [file[: -len(SUFFIX)] for file in os.listdir(FOLDER) if _is_note(file)]
    return sorted(names, key=os.fsencode)
