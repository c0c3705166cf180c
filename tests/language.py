"""Counts what stops a newcomer in the product's language, by room: see `language.toml`.

    .venv/bin/python -m tests.language [--list MEASURE] [ROOM ...]

What is counted: functions named by a participle or preposition alone, names and docstrings with words that
the project no longer uses, comments that explain. design.md section 9 has the rules.
"""

from __future__ import annotations

import ast
import gc
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

PROJECT = Path(__file__).parents[1]
FACTS = tomllib.loads((PROJECT / "tests" / "language.toml").read_text("utf-8"))
ROOMS = tuple(FACTS["rooms"])
PARTICIPLES = frozenset(FACTS["participles"])
PREPOSITIONS = frozenset(FACTS["prepositions"])
ALLOWED_FUNCTIONS = frozenset(FACTS["allowed_functions"])
FORBIDDEN_WORDS = frozenset(FACTS["forbidden_words"])
_DIRECTIVE = re.compile(r"#\s*(noqa|type:|pragma|!|mypy:|fmt:|ruff:|-\*-)")
_WORD = re.compile(r"[A-Za-z]+")
# Names of the program within a docstring.
_CODE = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True)
class Place:
    """Where something was counted: file, line and the text that counts."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(PROJECT)}:{self.line}: {self.text}"


@dataclass
class SourceFile:
    """One file of the product."""

    path: Path
    text: str = field(repr=False)

    @cached_property
    def tree(self) -> ast.Module:
        gc.disable()  # nothing of a tree is garbage while it grows: two thirds of the time otherwise
        try:
            return ast.parse(self.text)
        finally:
            gc.enable()

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    def place(self, node: ast.AST, text: str) -> Place:
        return Place(self.path, getattr(node, "lineno", 1), text)

    def participles(self) -> Iterator[Place]:
        """Functions named by a participle or a preposition alone, or that begin with a preposition."""
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and names_no_act(node.name):
                yield self.place(node, node.name)

    def forbidden_names(self) -> Iterator[Place]:
        """Variables and parameters whose whole name is a word that the project no longer uses."""
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            elif isinstance(node, ast.arg):
                name = node.arg
            else:
                continue
            if name.strip("_").lower() in FORBIDDEN_WORDS:
                yield self.place(node, name)

    def forbidden_docstrings(self) -> Iterator[Place]:
        """Docstrings with a word that the project no longer uses."""
        for node, text in self.docstrings():
            plain_text = _CODE.sub("", text)
            words = FORBIDDEN_WORDS.intersection(map(str.lower, _WORD.findall(plain_text)))
            if words:
                yield self.place(node, f"{', '.join(sorted(words))}: {text.splitlines()[0]}")

    def docstrings(self) -> Iterator[tuple[ast.AST, str]]:
        documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
        for node in self.nodes:
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                yield node, text

    def comments(self) -> Iterator[Place]:
        """Comments that are no directive to a tool."""
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string):
                yield Place(self.path, token.start[0], token.string)


# What no room may have.
MEASURES = {
    "functions": SourceFile.participles,
    "names": SourceFile.forbidden_names,
    "docstrings": SourceFile.forbidden_docstrings,
}


def names_no_act(name: str) -> bool:
    """Whether a function's name is a participle or preposition alone, or begins with a preposition."""
    words = name.strip("_").split("_")
    if name in ALLOWED_FUNCTIONS or name.startswith("__"):
        return False
    if len(words) > 1:
        return words[0] in PREPOSITIONS
    return words[0] in PARTICIPLES | PREPOSITIONS or bool(re.fullmatch(r"[a-z]{3,}ed", words[0]))


def files_of(room: str) -> list[SourceFile]:
    """The Python files of a room; packs are data."""
    return [
        SourceFile(path, path.read_text("utf-8"))
        for path in sorted((PROJECT / room).rglob("*.py"))
        if "packs" not in path.parts
    ]


def count(room: str) -> dict[str, int]:
    """Measure -> how often it was counted in a room."""
    files = files_of(room)
    return {name: sum(len(list(find(file))) for file in files) for name, find in MEASURES.items()}


def main(arguments: Sequence[str]) -> None:
    listed = arguments[1] if arguments[:1] == ["--list"] else ""
    rooms = arguments[2 if listed else 0 :] or ROOMS
    if listed and listed not in MEASURES:
        sys.exit(f"scripts/language: no measure {listed!r}; known: {', '.join(MEASURES)}")
    if listed:
        for room in rooms:
            for file in files_of(room):
                print(*MEASURES[listed](file), sep="\n", end="\n" * bool(file.nodes))
        return
    print(f"{'room':20}" + "".join(f"{name:>12}" for name in MEASURES) + f"{'comments':>12}")
    for room in rooms:
        files = files_of(room)
        lines = sum(file.text.count("\n") for file in files)
        comments = sum(len(list(file.comments())) for file in files)
        row = "".join(f"{number:12}" for number in count(room).values())
        print(f"{room:20}{row}{comments / max(1, lines):11.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
