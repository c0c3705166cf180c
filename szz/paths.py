"""Which files of a fix are asked for: C and C++ sources that people wrote and that ship, or all files."""

from __future__ import annotations

import re
from typing import Literal

Paths = Literal["source", "all"]

SUFFIX = re.compile(
    r"c|cc|cpp|cxx|c\+\+|cppm|ixx|h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tpp|txx|tcc|def|yy?|ypp|ll?|lpp|rl",
    re.IGNORECASE,
)
TEMPLATES = (".in", ".tmpl", ".template")
"""Endings after the language's own: `config.h.in` is C."""

TEST_FOLDER = re.compile(
    r"(?:unit|functional|integration|regression|perf)?[-_]?tests?(?:suite|ing|data|s|er)?"
    r"|gtests?|googletest|t|specs?|oss[-_]?fuzz|fuzz(?:ers?|ing)?|bench(?:marks?|es)?",
    re.IGNORECASE,
)
TEST_FILE = re.compile(
    r"(?:test|fuzz)[-_].*|.*[-_](?:unit)?(?:tests?|fuzz(?:er)?|benchmark)|.*[a-z0-9](?:Unit)?Tests?|tests?|fuzz(?:er)?"
)
GENERATED_FILE = re.compile(
    r".*\.pb\.(?:h|cc)|.*[._-]generated\.[a-z+]+|lex\.[^/]*\.c|[^/]*\.tab\.[a-z+]+|.*\.yy\.[a-z+]+|config\.h\.in"
)
GENERATED_MARK = re.compile(
    rb"@generated|do not (?:edit|modify)|auto(?:matically)?[- ]?generated"
    rb"|(?:file|code|source) (?:is|was|has been) generated|generated automatically",
    re.IGNORECASE,
)
HEAD = 1500
"""Bytes at the start of a file in which a generator leaves its mark."""


def outside(path: bytes, paths: Paths) -> str:
    """Why a file is not taken in ("" when it is), judged by its name."""
    if paths == "all":
        return ""
    *folders, name = path.decode("utf-8", "replace").split("/")
    for ending in TEMPLATES:
        name = name.removesuffix(ending)
    stem, _, suffix = name.rpartition(".")
    if not stem or not SUFFIX.fullmatch(suffix):
        return "not C or C++"
    if any(TEST_FOLDER.fullmatch(folder) for folder in folders) or TEST_FILE.fullmatch(stem):
        return "test or fuzz target"
    return (
        "generated"
        if GENERATED_FILE.fullmatch(path.decode("utf-8", "replace").split("/")[-1])
        else ""
    )


def is_code(path: bytes) -> bool:
    """Whether a file of that name is C or C++, or what C is made of."""
    return not outside(b"name." + path.rpartition(b".")[2], "source")


def generated(content: bytes) -> bool:
    """Whether a file says at its start that a program wrote it."""
    return GENERATED_MARK.search(content[:HEAD]) is not None
