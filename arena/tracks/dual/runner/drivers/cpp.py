"""How C++ candidates are built: the commands, the table of entries, and what a failed build means."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from arena.tracks.dual.runner.drivers import AT
from arena.tracks.dual.runner.drivers.cpp_names import Definition, definitions, find

ENTRIES = "entries.hpp"
# Only the first error (-Wfatal-errors): it says what is wrong, the rest follows from it. Uncoloured, since
# the text is searched.
_COMPILE = ("g++", "-O1", "-g1", "-w", "-Wfatal-errors", "-fdiagnostics-color=never")
_LIBRARIES = (
    ("openssl/", ("-lssl", "-lcrypto")),
    ("sqlite3.h", ("-lsqlite3",)),
    ("zlib.h", ("-lz",)),
    ("curl/", ("-lcurl",)),
    ("crypt.h", ("-lcrypt",)),
    ("sodium.h", ("-lsodium",)),
)
C_STANDARD = "gnu17"
# For functions in C, which the driver includes: a pointer to void becomes any other, as in C.
_LENIENT = ("-fpermissive", "-Drestrict=__restrict", "-D_Bool=bool")
_INCLUDES = re.compile(r"^[ \t]*#[ \t]*include\s*[<\"]([^>\"\n]+)[>\"]", re.M)
_CXX = re.compile(
    r"\bstd::|\busing\s+(?:namespace\b|\w+\s*=)|\bnamespace\b|\btemplate\s*<|\bclass\s+\w+\s*[:{]"
    r"|\b(?:static|const|dynamic|reinterpret)_cast\s*<|\bnullptr\b|\bcatch\s*\(|\bauto\s*&|\bthrow\s+\w"
)
_NO_HEADER = re.compile(r"fatal error: ([^\n]{1,200}?): No such file or directory")
_OF_THE_TABLE = re.compile(r"entries\.hpp:\d+:\d+: error: (?!expected)")
_ERROR = re.compile(r"^.*\berror: .*$|^.*undefined reference to .*$", re.M)
_NAME = re.compile(r"(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*")


@dataclass(frozen=True)
class Build:
    """argv: the compiler's command. files: what it needs besides the candidate, by path.

    names: requested -> matched name, of those matched by reading.
    makes: the files that come of it: the program, and with coverage its notes (.gcno), which belong into
    the order's coverage folder when the program runs.
    """

    argv: tuple[str, ...]
    files: dict[str, bytes]
    names: dict[str, str]
    makes: tuple[str, ...]


def _argv(
    source: str, text: str, out: str, standard: str, coverage: bool, more: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    libraries = [flag for header, flags in _LIBRARIES if header in text for flag in flags]
    notes = f"{out}.gcno"
    recorded = ("--coverage", f"-fprofile-note={notes}") if coverage else ()
    compiler = (*_COMPILE, f"-std={standard}", "-pthread")
    argv = (*compiler, *recorded, *more, source, "-o", out, *libraries)
    return argv, (out, notes) if coverage else (out,)


def is_c(text: str) -> bool:
    """Whether a text is C: all its headers are of C, and nothing of it is C++ alone."""
    headers = _INCLUDES.findall(text)
    return bool(headers) and all(name.endswith(".h") for name in headers) and not _CXX.search(text)


def program(
    source: str, text: str, out: str, *, standard: str = "c++17", coverage: bool = False
) -> Build:
    """Build of a candidate that has a `main`. source, out: paths in the jail; text: the content of `source`.

    A text that is C is compiled as C.
    """
    standard, more = (C_STANDARD, ("-x", "c")) if is_c(text) else (standard, ())
    argv, makes = _argv(source, text, out, standard, coverage, more)
    return Build(argv, {}, {}, makes)


def build(
    source: str,
    text: str,
    requested_names: Sequence[str],
    out: str,
    *,
    standard: str = "c++17",
    coverage: bool = False,
    at: str = AT,
) -> Build:
    """A program that calls functions of the candidate; see `program`.

    requested_names: the functions, as the task names them.
    Raises ValueError when a requested name cannot be a name of C++.
    """
    table = out.rpartition("/")[0] + "/" + ENTRIES
    definitions = find(text, list(requested_names))
    lines = [_entry(name, definitions.get(name)) for name in requested_names]
    flags = (f"-DCANDIDATE={json.dumps(source)}", f"-DENTRIES={json.dumps(table)}", f"-I{at}")
    more = (*flags, *_LENIENT) if is_c(text) else flags
    argv, makes = _argv(f"{at}/call_main.cpp", text, out, standard, coverage, more)
    names = {name: definitions[name].name for name in requested_names if name in definitions}
    return Build(argv, {table: "".join(lines).encode()}, names, makes)


def _entry(requested_name: str, definition: Definition | None) -> str:
    """A line of the table. A name that reading did not match is left to the compiler."""
    name = definition.name if definition else requested_name.replace(".", "::")
    if not _NAME.fullmatch(name):
        raise ValueError(f"entry: {requested_name[:60]!r} can be no function of C++")
    quoted = [json.dumps(requested_name)]
    if definition and definition.owner:
        quoted += [definition.owner, definition.short]
    else:
        quoted.append(name)
    parameters = [json.dumps(p) for p in definition.parameters] if definition else []
    macro = "CALLED_METHOD" if definition and definition.owner else "CALLED_FUNCTION"
    return f"{macro}({', '.join([*quoted, *parameters])});\n"


def failure(stderr: str, text: str = "") -> dict[str, str]:
    """What a failed build says of the candidate: {"kind", "type", "text", "name"} as a driver's "failed".

    stderr: of the compiler. text: the candidate, whose functions the message lists.
    """
    first = _ERROR.search(stderr)
    message = (first.group() if first else stderr).strip()[:500]
    header = _NO_HEADER.search(stderr)
    if header:
        return {"kind": "missing-dependency", "type": "", "text": message, "name": header[1]}
    if first and _OF_THE_TABLE.search(message):
        there = ", ".join(dict.fromkeys(d.name for d in definitions(text))) or "none"
        message = f"{message[:300]}; there are: {there[:200]}"
        return {"kind": "no-entry-point", "type": "", "text": message, "name": ""}
    kind = "import-error" if "undefined reference" in message else "syntax-error"
    return {"kind": kind, "type": "", "text": message, "name": ""}
