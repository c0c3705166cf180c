"""Files and modules that documents and docstrings name are there."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from tests.documents import DOCS, ROOMS, ROOT, name_of, text_of

DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
PYTHON_FILE = re.compile(r"`([\w./-]+\.py)(?: [^`\n]*)?`")
LISTED = re.compile(r"`([\w./-]+(?:\.py|/))`")
DOTTED = re.compile(r"`((?:arena|harness|images|parsers|szz|tasks)(?:\.\w+)+)`")

EXAMPLES = frozenset(
    {
        "target_module.py",  # of the document's reader, or of an agent
        "test_generated.py",
        "toy_arena.py",
        "weak.py",
        "sound.py",
        "parsers/reports/minitest.py",
        "scenarios/notes.py",
        "own/cwe-22-9/prefix.py",
        "variants/weak.py",
        "pathological_tests.py",
        "env/base.py",  # of BaxBench
        "env/python.py",
        "cluster.py",  # of docs/benchmarks.md: in the history
        "tracing.py",
    }
)
NO_MODULES = frozenset(
    {
        "arena.agents",  # groups of entry points
        "arena.engines",
        "arena.formats",
        "arena.packs",
        "arena.reports",
        "arena.scanners",
        "szz.oldest",  # fields of a case
        "szz.read",
        "tasks.jsonl",  # a member of a file
    }
)


@cache
def ends_of_paths() -> frozenset[str]:
    """Each file of the rooms by all ends of its path: a/b.py and b.py for room/a/b.py."""
    parts = [path.relative_to(ROOT).parts for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return frozenset("/".join(path[n:]) for path in parts for n in range(len(path)))


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """(name of the file, text) of each document and each docstring."""
    modules = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    documents = [
        (name_of(path), path.read_text("utf-8")) for path in DOCS if path.stem != "CHANGELOG"
    ]
    return (
        *documents,
        *(
            (name_of(path), text)
            for path in modules
            if "packs" not in path.parts and path != Path(__file__)
            for text in DOCSTRING.findall(path.read_text("utf-8"))
        ),
    )


def missing_files(text: str) -> list[str]:
    names = PYTHON_FILE.findall(text)
    is_placeholder = re.compile(r"[A-Z]{4,}\.py$").search
    return [n for n in names if n not in ends_of_paths() | EXAMPLES and not is_placeholder(n)]


def exists(dotted: str) -> bool:
    """Whether a dotted name can be imported, or is an attribute or a field of what can be."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError as fault:
            if not dotted.startswith(str(fault.name)):
                return True  # it is there, and imports a package that is not installed
            continue
        for part in parts[count:]:
            if part in getattr(value, "__annotations__", {}):
                return True
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


def test_python_files_that_texts_name_are_there() -> None:
    assert [(name, missing) for name, text in texts() if (missing := missing_files(text))] == []


def test_modules_that_texts_name_are_there() -> None:
    names = {(name, dotted) for name, text in texts() for dotted in DOTTED.findall(text)}
    assert [
        pair for pair in sorted(names) if pair[1] not in NO_MODULES and not exists(pair[1])
    ] == []


def test_places_of_a_new_sanitizer_are_those_of_an_old_one() -> None:
    """Every file that names TSan, but for the reader of its reports and signs of cheating, is listed."""
    section = text_of("docs/architecture.md").partition("### A new sanitizer\n")[2]
    listed = set(re.findall(r"`([\w./-]+\.(?:py|c|yaml))`", section))
    folders = ("arena/building", "harness/grade", "parsers/crashes")
    names_it = {
        name_of(path)
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".c", ".yaml")
        and re.search(r"(?i)tsan_|tsan\b(?!'s warnings)", path.read_text("utf-8"))
    }
    assert names_it - {"parsers/crashes/thread.py"} <= listed
    assert all((ROOT / name).exists() for name in listed)


@pytest.mark.parametrize("room", ROOMS)
def test_files_that_a_package_lists_are_in_it(room: str) -> None:
    for path in (ROOT / room).rglob("__init__.py"):
        if "packs" in path.parts:
            continue
        for listed in LISTED.findall(ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""):
            folders = (path.parent, path.parent.parent, ROOT)
            is_there = any((folder / listed).exists() for folder in folders)
            assert is_there or any(path.parent.rglob(listed.rstrip("/"))), (path, listed)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see `harness/grade/no_such.py`", ["harness/grade/no_such.py"]),
        ("`no_such.py --rounds 5`, `harness/grade/decide.py`, `NAME.py`", ["no_such.py"]),
        ("`decide.py` and `grade/decide.py`", []),
    ],
)
def test_a_missing_file_would_be_noticed(text: str, missing: list[str]) -> None:
    assert missing_files(text) == missing


@pytest.mark.parametrize(
    ("dotted", "is_there"),
    [
        ("harness.grade.grader.INFRA", True),
        ("harness.grade.INFRA", False),
        ("arena.no_such.deeper.name", False),
    ],
)
def test_a_missing_module_would_be_noticed(dotted: str, is_there: bool) -> None:
    assert exists(dotted) == is_there
