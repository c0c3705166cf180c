"""New projects from prepared papers: templates/<template> -> projects/<project>"""

import os
import re
import shutil

TEMPLATES = "templates"
PROJECTS = "projects"
PROJECT = re.compile(r"[A-Za-z0-9_-]{1,40}")
SLOT = re.compile(r"\{\{([a-z_]+)\}\}")
MAX_SIZE = 1_000_000


class CannotCopy(Exception):
    pass


def _filled(text, values):
    for name, value in sorted(values.items(), reverse=True):
        text = re.sub(r"\{\{" + name + r"\}\}", value.replace("\\", "/"), text)
    return text


def _filled_size(text, values):
    """The size in bytes that the filled text will have."""
    growth = (
        len(values[slot[1]].encode()) - len(slot[0])
        for slot in SLOT.finditer(text)
        if slot[1] in values
    )
    return len(text.encode()) + sum(growth)


def _filled_name(name, values):
    name = _filled(name, values)
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise CannotCopy(name)
    return name


def _copy_file(source, target, values):
    if os.path.lexists(target):
        raise CannotCopy(target)
    with open(source, encoding="utf-8", newline="") as file:
        text = file.read()
    if _filled_size(text, values) > MAX_SIZE:
        raise CannotCopy(target)
    with open(target, "w", encoding="utf-8", newline="") as file:
        file.write(_filled(text, values))


def _copy_folder(source, target, values):
    os.makedirs(target, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            path = os.path.join(target, _filled_name(entry.name, values))
            if entry.is_dir():
                _copy_folder(entry.path, path, values)
            elif entry.is_file():
                _copy_file(entry.path, path, values)


def _is_template(name):
    if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or "\0" in name:
        return False
    path = os.path.join(TEMPLATES, name)
    return os.path.isdir(path) and not os.path.islink(path)


def copy_template(template, project, values):
    """Make a project; the paths of its files, or None where it cannot be made."""
    if not _is_template(template) or not PROJECT.fullmatch(project):
        return None
    folder = os.path.join(PROJECTS, project)
    if os.path.lexists(folder):
        return None
    try:
        _copy_folder(os.path.join(TEMPLATES, template), folder, values)
    except (CannotCopy, OSError, UnicodeError):
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return sorted(
        os.path.relpath(os.path.join(at, file), folder)
        for at, _, files in os.walk(folder)
        for file in files
    )
