"""Replacement values for a task's tests: words for their literals, which leave gold's outcomes the same.

    {"schema": 1, "files": {"tests/test_load.c": [["server", "qkamka"], ...]}}

(`FILE` in the task's folder). In each of the files a word inside literals is replaced by the second of
its pair, all at once: so inputs and expected outputs change together, and a patch that knows the texts of
gold's tests and their answers does not know these.

    {"schema": 2, "files": ..., "mismatches": {"tests/test_load.c": [[812, "qkamkb"], ...]},
     "failing": ["load > reads a server"]}

With schema 2 a few places (offsets in the file) get a third word, so that a test's input and the output that
it expects no longer fit. The tests in `failing` fail then with gold, and with every program that passes them
with both replacements: a program that passes them decides its tests without computing anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from parsers.literals import text_kind, word_spans
from tasks.whole_file import first_mistake

FILE = "oracle/other-values.json"
MAX_FILES = 512
# Pairs of one file.
MAX_PAIRS = 4096
MAX_MISMATCHES = 64
# Files beyond this size are left as they are.
MAX_BYTES = 1 << 20
_CLASSES = ((re.compile("[a-z]"), "a"), (re.compile("[A-Z]"), "A"), (re.compile("[0-9]"), "0"))

Word = Annotated[str, StringConstraints(pattern=r"^(?:[A-Za-z][A-Za-z0-9]*|[0-9]+)$")]


FilePath = Annotated[str, StringConstraints(min_length=1, max_length=4096)]
Places = tuple[tuple[Annotated[int, Field(ge=0, lt=MAX_BYTES)], Word], ...]
NO_PLACES: Mapping[int, str] = {}


class _ValuesFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)
    schema_: Literal[1, 2] = Field(alias="schema")
    files: dict[
        FilePath,
        Annotated[tuple[tuple[Word, Word], ...], Field(min_length=1, max_length=MAX_PAIRS)],
    ] = Field(max_length=MAX_FILES)
    mismatches: dict[
        FilePath, Annotated[Places, Field(min_length=1, max_length=MAX_MISMATCHES)]
    ] = Field(default_factory=dict, max_length=MAX_MISMATCHES)
    failing: tuple[str, ...] = Field(default=(), max_length=MAX_MISMATCHES)


@dataclass(frozen=True)
class OtherValues:
    """For each of the tests' files (path -> old word -> new word) what is replaced in it.

    mismatches: path -> offset -> the word that is put there instead of the file's new word. failing: names of
    the tests that have to fail because of these.
    """

    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    mismatches: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    failing: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """How many distinct words are replaced; a word in several files counts once."""
        return len({old for pairs in self.files.values() for old in pairs})

    def counts(self) -> dict[str, int]:
        """How many words are replaced, in how many files, and how many tests have to fail."""
        return {"words": self.words, "files": len(self.files), "failing": len(self.failing)}

    def describe(self) -> str:
        return (
            f"{self.words} words of {len(self.files)} files; {len(self.failing)} tests have to fail"
        )

    def rename(self, path: str, data: bytes) -> bytes:
        """A file's content with the replacement values, of the same length."""
        places = self.mismatches.get(path, NO_PLACES)
        return rename_words(path, data, self.files.get(path, {}), places)


def rename_words(
    path: str, data: bytes, pairs: Mapping[str, str], places: Mapping[int, str] = NO_PLACES
) -> bytes:
    """`data` with the words of `pairs` replaced inside its literals; all else stays to the byte.

    places: offset of a word of `pairs` -> what stands there instead; a word of another length is not put.
    """
    kind = text_kind(path, data)
    if not pairs or kind is None or len(data) > MAX_BYTES:
        return data
    renamed = bytearray(data)
    for start, end in word_spans(data, kind):
        new = pairs.get(data[start:end].decode("ascii"))
        if new is not None:
            third = places.get(start, new)
            renamed[start:end] = (third if len(third) == len(new) else new).encode("ascii")
    return bytes(renamed)


def read(data: bytes) -> OtherValues:
    """The replacement values that a file states. Raises ValueError with the reason."""
    try:
        content = _ValuesFile.model_validate_json(data)
    except ValidationError as error:
        raise ValueError(first_mistake(error, "the file")) from error
    for path, pairs in content.files.items():
        _expect_inside(path)
        _expect_bijection(path, pairs)
    if (
        bool(content.mismatches) != bool(content.failing)
        or not content.mismatches.keys() <= content.files.keys()
    ):
        raise ValueError("mismatches are of `files`, and need the names of tests that fail")
    return OtherValues(
        {path: dict(pairs) for path, pairs in content.files.items()},
        {path: dict(places) for path, places in content.mismatches.items()},
        content.failing,
    )


def write(values: OtherValues) -> bytes:
    """The file for `values`; `read` gives the same back."""
    tables = [_write_table("files", values.files)]
    if values.mismatches:
        tables += [_write_table("mismatches", values.mismatches)]
        tables += [f' "failing": {json.dumps(list(values.failing))}']
    schema = 2 if values.mismatches else 1
    return ",\n".join((f'{{\n "schema": {schema}', *tables)).encode() + b"\n}\n"


def _write_table(name: str, table: Mapping[str, Mapping[Any, str]]) -> str:
    """A table of the file, with a line for each path."""
    rows = ",\n".join(
        f"  {json.dumps(path)}: {json.dumps(sorted(map(list, words.items())))}"
        for path, words in sorted(table.items())
    )
    return f' "{name}": {{\n{rows}\n }}'


def _expect_inside(path: str) -> None:
    if path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f"{path!r} is no path inside the repository")
    if any(ord(c) < 32 or ord(c) == 127 for c in path):
        raise ValueError(f"{path!r} has a control character")


def _expect_bijection(path: str, pairs: tuple[tuple[str, str], ...]) -> None:
    """Raises ValueError where two words become the same, or a word becomes a word of a different shape."""
    for old, new in pairs:
        if _shape(old) != _shape(new):
            raise ValueError(f"{path}: {old!r} and {new!r} differ in length or kind of characters")
    for side in zip(*pairs, strict=True):
        if len(set(side)) != len(side):
            twice = next(word for word in side if side.count(word) > 1)
            raise ValueError(f"{path}: {twice!r} stands twice")


def _shape(word: str) -> str:
    """Its characters by class: "aA0" for "xY7"."""
    for pattern, sign in _CLASSES:
        word = pattern.sub(sign, word)
    return word
