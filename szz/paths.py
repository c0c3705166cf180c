"""Which files of a fix are traced: C and C++ sources that people wrote and that ship, or all files."""

from __future__ import annotations

import re
from typing import Literal

Paths = Literal["source", "all"]

SUFFIX = re.compile(
    r"c|cc|cpp|cxx|c\+\+|cppm|ixx|h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tpp|txx|tcc|def|yy?|ypp|ll?|lpp|rl",
    re.IGNORECASE,
)
# Endings after the language's own: `config.h.in` is C.
TEMPLATES = (".in", ".tmpl", ".template")

TEST_FOLDER = re.compile(
    r"(?:unit|functional|integration|regression|perf)?[-_]?tests?(?:suite|ing|data|s|er)?"
    r"|gtests?|googletest|t|specs?|oss[-_]?fuzz|fuzz(?:ers?|ing)?|bench(?:marks?|es)?",
    re.IGNORECASE,
)
TEST_FILE = re.compile(
    r"(?:test|fuzz)[-_].*|.*[-_](?:unit)?(?:tests?|fuzz(?:er)?|benchmark)|.*[a-z0-9](?:Unit)?Tests?|tests?|fuzz(?:er)?"
)
# Names that protobuf, Flex, Bison and autoheader give to what they write.
GENERATED_FILE = re.compile(
    r".*\.pb\.(?:h|cc)|.*[._-]generated\.[a-z+]+|lex\.[^/]*\.c|[^/]*\.tab\.[a-z+]+|.*\.yy\.[a-z+]+|config\.h\.in"
)
# Names that also mean something else, as `src/t/` and `fuzz_match.c` do: there the content decides.
_GUESSED_FOLDER = re.compile(r"t|specs?", re.IGNORECASE)
_GUESSED_FILE = re.compile(r"(?:test|fuzz)[-_].*")
_TEST_CODE = re.compile(
    rb"\bmain\s*\(|\bLLVMFuzzer|\b__AFL_|FuzzedDataProvider|\b(?:START_)?TEST(?:_[A-Z]+)?\s*\("
    rb"|\b(?:ck_|cr_|cu_|g_|mu_)?assert\w*\s*\(|\bEXPECT_|\bBOOST_|\bCU_|\bTEST_CASE"
    rb"|gtest|gmock|cmocka|criterion/|doctest|catch2?[/.]|check\.h|unity\.h|CppUTest",
)


TEST = "test or fuzz target"


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
        return TEST
    return (
        "generated"
        if GENERATED_FILE.fullmatch(path.decode("utf-8", "replace").split("/")[-1])
        else ""
    )


def is_code(path: bytes) -> bool:
    """Whether a file of that name is C or C++ source, or a file that C is generated from."""
    return not outside(b"name." + path.rpartition(b".")[2], "source")


def is_guess(path: bytes) -> bool:
    """Whether a file is a test only by an ambiguous name, such as `src/t/` or `fuzz_match.c`."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    sure = [f for f in folders if TEST_FOLDER.fullmatch(f) and not _GUESSED_FOLDER.fullmatch(f)]
    at_root = folders and _GUESSED_FOLDER.fullmatch(folders[0])
    stem = name.rpartition(".")[0]
    sure_name = TEST_FILE.fullmatch(stem) and not _GUESSED_FILE.fullmatch(stem)
    return not (sure or at_root or sure_name)


def holds_tests(content: bytes) -> bool:
    """Whether code is a program or a test: a main function, a fuzz target, assertions, a test framework."""
    return _TEST_CODE.search(content) is not None
