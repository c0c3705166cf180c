"""Numbered copies of the secretary's letters: documents/<name> -> backups/<name>.<label>.bak"""

import itertools
import os
import re
import shutil

DOCUMENTS = "documents"
BACKUPS = "backups"
LABEL = "[a-z0-9-]{1,20}"


def _is_file(folder, name):
    path = os.path.join(folder, name)
    return os.path.isfile(path) and not os.path.islink(path)


def _is_name(name):
    return isinstance(name, str) and name != "" and "/" not in name and "\0" not in name


def _create(name, label):
    """A new file for a backup, opened for writing, and its path."""
    for number in itertools.count(1):
        ending = f".{number}.bak" if number > 1 else ".bak"
        path = f"{BACKUPS}/{name}.{label}{ending}"
        try:
            return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"), path
        except FileExistsError:
            continue


def make_backup(name, label):
    """Copy a document; the path of the copy, or None where name or label is not one."""
    if not _is_name(name) or not _is_file(DOCUMENTS, name):
        return None
    if not isinstance(label, str) or not re.match("[a-z0-9-]{1,20}(?![A-Za-z0-9-])", label):
        return None
    os.makedirs(BACKUPS, mode=0o700, exist_ok=True)
    with open(os.path.join(DOCUMENTS, name), "rb") as document:
        backup, path = _create(name, label)
        with backup:
            shutil.copyfileobj(document, backup)
    return path


def list_backups(name):
    """The paths of a document's backups, sorted."""
    if not _is_name(name) or not os.path.isdir(BACKUPS):
        return []
    pattern = re.compile(re.escape(name) + rf"\.{LABEL}(\.[0-9]+)?\.bak")
    found = (file for file in os.listdir(BACKUPS) if pattern.fullmatch(file))
    return sorted(f"{BACKUPS}/{file}" for file in found if _is_file(BACKUPS, file))
