"""Mangled C++ and Rust names: the part of them that comparing functions needs.

Only the qualified name is read, by the grammar of the Itanium C++ ABI, section 5.1.2 (`<nested-name>`
and `<source-name>`); Rust's old mangling is the same with a hash at the end. What comes after the first
part that is no plain name (template arguments, operators, constructors) is left out.
"""

from __future__ import annotations

import re

MAX_MANGLED = 4000
_START = re.compile(r"_?_Z(N[rVK]{0,3}[RO]?(?:St)?|L|)(?=L?\d)")
_LENGTH = re.compile(r"L?(\d{1,4})")
_RUST_HASH = re.compile(r"h[0-9a-f]{16}")
# A call of a generic lambda, which clang 14 to 22 name so that no demangler of theirs reads it.
_LOCAL_LAMBDA = re.compile(r"_?_ZZ(.{1,3000}?)ENK?\d{1,2}(\$_\d{1,5})cl")
_ANONYMOUS = "_GLOBAL__N_1"


def readable(name: str) -> str:
    """`name` as `scope::function` when it is mangled, and as it is when not.

    >>> readable("_ZN8rawspeed6Reader4readEPKhi"), readable("_Z5parsei"), readable("parse")
    ('rawspeed::Reader::read', 'parse', 'parse')
    """
    local = _LOCAL_LAMBDA.match(name[:MAX_MANGLED])
    if local:
        return f"{readable('_Z' + local[1])}::{local[2]}::operator()"
    start = _START.match(name[:MAX_MANGLED])
    if start is None:
        return name
    parts: list[str] = []
    place = start.end()
    nested = start[1].startswith("N")
    # Without `N` a mangled name has a single part, and digits behind it belong to its parameters.
    while (length := _LENGTH.match(name, place)) and (nested or not parts):
        place = length.end() + int(length[1])
        parts.append(name[length.end() : place])
    named_parts = [p for p in parts if p and p != _ANONYMOUS and not _RUST_HASH.fullmatch(p)]
    return "::".join(named_parts) or name
