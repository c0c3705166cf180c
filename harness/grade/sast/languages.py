"""Which files hold C or C++, by name and by what includes them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from enum import Enum, auto


class Kind(Enum):
    """What a file holds."""

    C = auto()
    CPP = auto()
    HEADER = auto()
    """C or C++: read as both."""
    FRAGMENT = auto()
    """Perhaps a piece of C that others include, perhaps something else: the scan tells."""
    OTHER = auto()


EXTENSION = {Kind.C: ".c", Kind.CPP: ".cpp", Kind.HEADER: ".h", Kind.FRAGMENT: ".h", Kind.OTHER: ""}
"""The extension under which a file is scanned."""

_BY_EXTENSION = {
    **dict.fromkeys((".c", ".i"), Kind.C),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".cp", ".ii", ".cu", ".cppm"), Kind.CPP),
    **dict.fromkeys((".ixx", ".mpp", ".hpp", ".hxx", ".hh", ".h++", ".ipp", ".inl"), Kind.CPP),
    **dict.fromkeys((".tpp", ".tcc", ".txx", ".cuh"), Kind.CPP),
    **dict.fromkeys((".h", ".h.in"), Kind.HEADER),
    **dict.fromkeys((".inc", ".def", ".tbl", ".x", ".xm", ".h.cmake"), Kind.FRAGMENT),
}
_CASED = {".C": Kind.CPP, ".H": Kind.CPP}

# Directives that name a file, or define a macro that may name one in `#include MACRO`.
_GAP = rb"(?:[ \t]|/\*(?:[^*]|\*(?!/)){0,500}\*/)*"
_DIRECTIVE = re.compile(
    rb"^"
    + _GAP
    + rb"(?:#|%:|\?\?=)"
    + _GAP
    + rb"(?:include(?:_next)?|import|define|embed)([^\n]*)",
    re.M,
)
# In quotes, or bare: `#include STRING(notes.txt)`.
_FILE_NAME = re.compile(rb'[<"]([^<>"\n]{1,4096})[>"]|([\w+-]{1,200}\.[\w.+-]{1,200})')


def kind_of(path: str) -> Kind:
    """The kind of a file by its name alone."""
    name = posixpath.basename(path)
    stem, extension = posixpath.splitext(name)
    if extension in _CASED:
        return _CASED[extension]
    double = (posixpath.splitext(stem)[1] + extension).lower()
    return _BY_EXTENSION.get(double) or _BY_EXTENSION.get(extension.lower(), Kind.OTHER)


def kinds(files: Mapping[str, bytes]) -> dict[str, Kind]:
    """The kind of each file; one that another of them includes is C or C++ whatever its name."""
    found = {path: kind_of(path) for path in files}
    by_name: dict[bytes, list[str]] = {}
    for path, kind in found.items():
        if kind in (Kind.OTHER, Kind.FRAGMENT):
            name = posixpath.basename(path).encode("utf-8", "surrogateescape")
            by_name.setdefault(name, []).append(path)
    todo = [path for path, kind in found.items() if kind not in (Kind.OTHER, Kind.FRAGMENT)]
    while todo and by_name:
        for name in _named(files[todo.pop()]):
            for included in by_name.pop(name, ()):
                found[included] = Kind.HEADER
                todo.append(included)
    return found


def _named(content: bytes) -> set[bytes]:
    """Base names of the files that a file's directives name."""
    joined = content.replace(b"\r\n", b"\n").replace(b"\\\n", b"")
    return {
        posixpath.basename(match[1] or match[2])
        for directive in _DIRECTIVE.finditer(joined)
        for match in _FILE_NAME.finditer(directive[1])
    }
