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
    return os.path.isfile(path)


def _is_name(name):
    return bool(name)


def _create(name, label):
    """A new file for a backup, opened for writing, and its path."""
    for number in itertools.count(1):
        ending = f".{number}.bak" if number > 1 else ".bak"
        path = f"{BACKUPS}/{name}.{label}{ending}"
        if not os.path.exists(path):
            return open(path, "wb"), path


def make_backup(name, label):
    """Copy a document; the path of the copy, or None where name or label is not one."""
    if not _is_name(name) or not _is_file(DOCUMENTS, name):
        return None
    if not isinstance(label, str) or not re.fullmatch(LABEL, label):
        return None
    os.makedirs(BACKUPS, exist_ok=True)
    with open(os.path.join(DOCUMENTS, name), "rb") as document:
        backup, path = _create(os.path.basename(name), label)
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
