"""The audit: how alike a program and a document are, by Jaccard similarity of their token n-grams.

J(A, B) = |A and B| / |A or B| over the sets of n-grams; n = 5 and the threshold 0.3 are those of SecMutBench,
Section 3.1. It is exact: an inverted index of the programs' n-grams is met with each document once, so that
the time grows with the length of the corpus and not with the number of pairs.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.tracks.mutation.tasks.program import Program

SIZE = 5
THRESHOLD = 0.3
# Bytes of a document; longer ones are reported as skipped.
MAX_DOCUMENT = 2 << 20
_TOKEN = re.compile(r"\w+|[^\w\s]")
# Only after white space or at a line's start: `#` also stands in texts such as URLs and colours, and a corpus
# is not Python alone.
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")

Gram = tuple[str, ...]


class CorpusError(ValueError):
    """A corpus that cannot be read; the message names it and says why."""


@dataclass(frozen=True)
class Document:
    """A text of the corpus; `name` is its path in the corpus."""

    name: str
    text: str


@dataclass(frozen=True)
class NgramPair:
    """A program's version ("secure" or "insecure") and a document that are alike.

    contained: the share of the version's n-grams that the document holds: a long document does not hide it.
    """

    program: str
    version: str
    document: str
    jaccard: float
    contained: float


@dataclass
class Audit:
    """pairs: the highest first. skipped: documents that were not read, and why."""

    pairs: list[NgramPair] = field(default_factory=list)
    documents: int = 0
    skipped: list[str] = field(default_factory=list)


def grams(text: str, size: int = SIZE) -> frozenset[Gram]:
    """The n-grams of a text's tokens: words and single marks, without comments and white space.

    A text of fewer tokens has a single n-gram, all of it.
    """
    tokens = _TOKEN.findall(_COMMENT.sub("", text))
    if 0 < len(tokens) < size:
        return frozenset([tuple(tokens)])
    return frozenset(zip(*(tokens[at:] for at in range(size)), strict=False))


def jaccard(first: frozenset[Gram], second: frozenset[Gram]) -> float:
    """0 for two empty sets: nothing is like nothing."""
    common = len(first & second)
    return common / (len(first) + len(second) - common) if common else 0.0


class Index:
    """The n-grams of programs, each with the versions that hold it."""

    def __init__(self, programs: Sequence[Program], size: int = SIZE) -> None:
        self._size = size
        self._names: list[tuple[str, str]] = []
        self._sizes: list[int] = []
        self._holders: defaultdict[Gram, list[int]] = defaultdict(list)
        for program in programs:
            for version in ("secure", "insecure"):
                self._add(program.id, version, getattr(program, version))

    def _add(self, program: str, version: str, text: str) -> None:
        document_grams = grams(text, self._size)
        for gram in document_grams:
            self._holders[gram].append(len(self._names))
        self._names.append((program, version))
        self._sizes.append(len(document_grams))

    def alike(self, document: Document, threshold: float = THRESHOLD) -> Iterator[NgramPair]:
        """Versions whose similarity to the document is at least `threshold`."""
        document_grams = grams(document.text, self._size)
        common: Counter[int] = Counter()
        for gram in document_grams & self._holders.keys():
            common.update(self._holders[gram])
        for number, count in common.items():
            similarity = count / (self._sizes[number] + len(document_grams) - count)
            if similarity >= threshold:
                program, version = self._names[number]
                contained = count / self._sizes[number]
                yield NgramPair(program, version, document.name, similarity, contained)


def audit(
    programs: Sequence[Program],
    corpus: Iterable[Document | str],
    threshold: float = THRESHOLD,
    size: int = SIZE,
) -> Audit:
    """All pairs at or above `threshold`. A text in place of a document says why a document was skipped.

    Raises ValueError for a threshold that is not above 0 and up to 1, or a size below 1.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"--threshold: {threshold:g} is not above 0 and at most 1")
    if size < 1:
        raise ValueError(f"--size: {size} is less than 1")
    index = Index(programs, size)
    result = Audit()
    for document in corpus:
        if isinstance(document, str):
            result.skipped.append(document)
            continue
        result.documents += 1
        result.pairs += index.alike(document, threshold)
    result.pairs.sort(key=lambda pair: (-pair.jaccard, pair.program, pair.version, pair.document))
    return result


def read_corpus(path: Path) -> Iterator[Document | str]:
    """Documents of a folder (every file), of a JSONL file (every line), or of a single file.

    Symbolic links are not followed. Texts in place of documents say what was skipped. Raises CorpusError.
    """
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise CorpusError(f"--corpus: {path}: no such folder or file")
    return _lines(path) if path.suffix == ".jsonl" else iter([_file(path, path.name)])


def _folder(folder: Path) -> Iterator[Document | str]:
    for root, folders, files in os.walk(folder):
        # Packed objects in `.git` are binary, and its text files are no source of the corpus.
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            path = Path(root) / name
            if not path.is_symlink() and path.is_file():
                yield _file(path, str(path.relative_to(folder)))


def _file(path: Path, name: str) -> Document | str:
    try:
        with path.open("rb") as stream:
            # One byte more shows that the file is too long; its size could change between `stat` and here.
            data = stream.read(MAX_DOCUMENT + 1)
    except OSError as error:
        return f"{name}: {error.strerror}"
    if len(data) > MAX_DOCUMENT:
        return f"{name}: longer than {MAX_DOCUMENT >> 20} MiB"
    # The test of git and grep for a binary file.
    if b"\0" in data:
        return f"{name}: no text"
    return Document(name, data.decode("utf-8", "replace"))


def _lines(path: Path) -> Iterator[Document | str]:
    with path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MAX_DOCUMENT + 1), b""), 1):
            name = f"{path.name}:{number}"
            if len(line) > MAX_DOCUMENT:
                yield f"{name}: longer than {MAX_DOCUMENT >> 20} MiB"
                # What follows is the rest of the same line: it is not known where the next record begins
                # without reading on.
                return
            try:
                record = json.loads(line) if line.strip() else ""
            except (ValueError, RecursionError):
                yield f"{name}: no JSON"
                continue
            if line.strip():
                yield Document(name, "\n".join(_texts(record)))


def _texts(record: Any) -> Iterator[str]:
    """All texts of a record, its deeper ones too."""
    # Not recursive: records of foreign corpora may be nested deeper than Python's stack.
    waiting = [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)
