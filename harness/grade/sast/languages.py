"""Which files hold C or C++, by name and by what includes them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from enum import Enum, auto


class LanguageKind(Enum):
    """What a file holds."""

    C = auto()
    CPP = auto()
    # C or C++: read as both.
    HEADER = auto()
    # Perhaps a piece of C that others include, perhaps something else: the scan shows which.
    FRAGMENT = auto()
    NOT_C_FAMILY = auto()


# The extension under which a file is scanned.
EXTENSION = {
    LanguageKind.C: ".c",
    LanguageKind.CPP: ".cpp",
    LanguageKind.HEADER: ".h",
    LanguageKind.FRAGMENT: ".h",
    LanguageKind.NOT_C_FAMILY: "",
}

_BY_EXTENSION = {
    **dict.fromkeys((".c", ".i"), LanguageKind.C),
    **dict.fromkeys(
        (".cc", ".cpp", ".cxx", ".c++", ".cp", ".ii", ".cu", ".cppm"), LanguageKind.CPP
    ),
    **dict.fromkeys(
        (".ixx", ".mpp", ".hpp", ".hxx", ".hh", ".h++", ".ipp", ".inl"), LanguageKind.CPP
    ),
    **dict.fromkeys((".tpp", ".tcc", ".txx", ".cuh"), LanguageKind.CPP),
    **dict.fromkeys((".h", ".h.in"), LanguageKind.HEADER),
    **dict.fromkeys((".inc", ".def", ".tbl", ".x", ".xm", ".h.cmake"), LanguageKind.FRAGMENT),
}
_CASED = {".C": LanguageKind.CPP, ".H": LanguageKind.CPP}

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


def kind_of(path: str) -> LanguageKind:
    """The kind of a file by its name alone."""
    name = posixpath.basename(path)
    stem, extension = posixpath.splitext(name)
    if extension in _CASED:
        return _CASED[extension]
    double = (posixpath.splitext(stem)[1] + extension).lower()
    return _BY_EXTENSION.get(double) or _BY_EXTENSION.get(
        extension.lower(), LanguageKind.NOT_C_FAMILY
    )


def kinds(files: Mapping[str, bytes]) -> dict[str, LanguageKind]:
    """The kind of each file; a file that another includes is C or C++ whatever its name."""
    kinds_by_path = {path: kind_of(path) for path in files}
    by_name: dict[bytes, list[str]] = {}
    for path, kind in kinds_by_path.items():
        if kind in (LanguageKind.NOT_C_FAMILY, LanguageKind.FRAGMENT):
            name = posixpath.basename(path).encode("utf-8", "surrogateescape")
            by_name.setdefault(name, []).append(path)
    todo = [
        path
        for path, kind in kinds_by_path.items()
        if kind not in (LanguageKind.NOT_C_FAMILY, LanguageKind.FRAGMENT)
    ]
    while todo and by_name:
        for name in _named_files(files[todo.pop()]):
            for included in by_name.pop(name, ()):
                kinds_by_path[included] = LanguageKind.HEADER
                todo.append(included)
    return kinds_by_path


def _named_files(content: bytes) -> set[bytes]:
    """Base names of the files that a file's directives name."""
    joined = content.replace(b"\r\n", b"\n").replace(b"\\\n", b"")
    return {
        posixpath.basename(match[1] or match[2])
        for directive in _DIRECTIVE.finditer(joined)
        for match in _FILE_NAME.finditer(directive[1])
    }
