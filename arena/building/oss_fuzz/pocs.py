"""PoCs in a project's repository: by the number of the test case anywhere in its history, or beside the fix.

Nothing is fetched and no hook or filter runs; a file is a candidate until it is replayed.
"""

from __future__ import annotations

import binascii
import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from arena.building.cases.proof import PocOrigin
from szz.paths import outside
from szz.repository import GitFailed, Repository
from tasks.loader import MAX_FILE

NUMBER = re.compile(r"(?<![0-9])[0-9]{4,20}(?![0-9])")
# What corpora name their files by; digits in it are no number.
HASH = re.compile(r"(?<![0-9a-f])(?=[0-9]*[a-f])[0-9a-f]{20,}", re.IGNORECASE)
FUZZING_PATH = re.compile(r"fuzz|poc|regress|crash|corpus|corpora|testcase|issue", re.IGNORECASE)
# A number of so many digits is a test case's, wherever it stands.
TEST_CASE_DIGITS = 10
# Commits before and behind the fix whose new files are looked at.
COMMITS_AROUND = 4
MAX_COMMITS_AROUND = f"--max-count={3 * COMMITS_AROUND}"
MAX_FILES_BESIDE = 30
BEGIN = re.compile(rb"^begin [0-7]{3,6} [^\n]*\n", re.MULTILINE)
# The first and the last line of a file in the form of POSIX `uuencode`, as libarchive keeps archives.
END = re.compile(rb"^end[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class PocFile:
    """A file of a project's history that may be the PoC, and the commit that has it."""

    content: bytes
    commit: str
    path: str

    @property
    def name(self) -> str:
        """The path and commit of the file, for people."""
        return f"{self.path} at {self.commit[:12]}"


@dataclass
class ProjectPocs:
    """The files that a repository's branches and tags ever had with a number in their names, read once.

    Raises SzzError where the repository cannot be read.
    """

    repository: Path

    def find_by_number(self, testcase: str, id_: str) -> PocFile | None:
        """The file named after the test case's id, or after the case's id below a folder of fuzzing."""
        locations = (
            self._files_by_number.get(testcase, []) if len(testcase) >= TEST_CASE_DIGITS else []
        )
        locations = locations + [
            p for p in self._files_by_number.get(id_, []) if FUZZING_PATH.search(p[1])
        ]
        with Repository(self.repository) as repository:
            return next(
                (poc for location in locations if (poc := _read_poc(repository, *location))), None
            )

    @cached_property
    def _files_by_number(self) -> dict[str, list[tuple[str, str]]]:
        files: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        with Repository(self.repository) as repository:
            for commit, path in _list_added_anywhere(repository):
                # Digits within a hash would make a PoC of any file of a corpus.
                for number in set(NUMBER.findall(HASH.sub("", path))):
                    files[number].append((commit, path))
        return files


def origin_of(content: bytes, note: str, file: PocFile | None = None) -> PocOrigin:
    """The origin of a PoC. file: the file of the case's repository that holds it, if any."""
    facts = {"note": note[:500], "sha256": hashlib.sha256(content).hexdigest()}
    location = {"commit": file.commit, "path": file.path} if file else {}
    try:
        return PocOrigin.model_validate({**facts, **location})
    except ValidationError:  # a name that no case file can hold: the note has it
        return PocOrigin.model_validate({**facts, "note": ascii(note)[:500]})


def data_files_beside(path: Path, fixes: Sequence[str]) -> Iterator[PocFile]:
    """The data files that the fixes, and the commits around them, add. Raises SzzError."""
    count = 0
    with Repository(path) as repository:
        for commit, name in _list_added(
            repository, _commits_around(repository, fixes[:3]), MAX_COMMITS_AROUND
        ):
            poc = _read_poc(repository, commit, name) if outside(name.encode(), "source") else None
            if poc and count < MAX_FILES_BESIDE:
                count += 1
                yield poc


def poc_at(path: Path, commit: str, name: str) -> PocFile | None:
    """The file of a clone at a commit; None where it has none, or none of a size. Raises SzzError."""
    with Repository(path) as repository:
        return _read_poc(repository, commit, name)


def _commits_around(repository: Repository, fixes: Sequence[str]) -> list[str]:
    """Where `git log` begins for the fixes, those just before, and those just behind on HEAD's line."""
    head = repository.resolve("HEAD")
    last: list[str] = []
    for fix in fixes:
        arguments = ("rev-list", "--ancestry-path", "--reverse", f"{fix}..{head}", "--")
        last += repository.git(*arguments).decode().split()[:COMMITS_AROUND][-1:]
    return [*fixes, *last]


def _list_added_anywhere(repository: Repository) -> Iterator[tuple[str, str]]:
    """As `_list_added`, of HEAD's history and then of what only further branches and tags have."""
    head = repository.resolve("HEAD")
    # HEAD first: a pull request's branch may hold a file of the same number that nobody reviewed.
    yield from _list_added(repository, [head])
    yield from _list_added(repository, [*repository.tips(), f"^{head}"], "--ignore-missing")


def _list_added(
    repository: Repository, revisions: Sequence[str], *options: str
) -> Iterator[tuple[str, str]]:
    """(commit, path) of each file that a commit adds."""
    form = ("--no-renames", "--diff-filter=A", "--format=/%H", "--name-only")
    lines = "".join(f"{revision}\n" for revision in revisions)  # too many for a command line
    output = repository.git("log", "-z", "--stdin", *options, *form, stdin=lines.encode())
    commit, last = "", b""
    for name in output.split(b"\0"):
        first, last = last.startswith(b"/"), name  # as no path does
        text = (name.removeprefix(b"\n") if first else name).decode("utf-8", "surrogateescape")
        if text.startswith("/"):
            commit = text[1:]
        elif text:
            yield commit, text


def _read_poc(repository: Repository, commit: str, path: str) -> PocFile | None:
    """The file as that commit has it; None if it is no file, empty or too large."""
    name = f"{commit}:{path}".encode("utf-8", "surrogateescape")
    try:
        size = int(repository.git("cat-file", "-s", name))
        content = repository.git("cat-file", "blob", name) if 0 < size <= MAX_FILE else b""
    except GitFailed:
        return None
    if path.endswith((".uu", ".uue")):
        content = decode_uuencoded(content) or content
    return PocFile(content, commit, path) if content else None


def decode_uuencoded(text: bytes) -> bytes:
    """The file in a text in the form of `uuencode`; empty if there is none, or if it is too large."""
    text = text.replace(b"\r\n", b"\n")
    begin = BEGIN.search(text)
    end = END.search(text, begin.end()) if begin else None
    if not begin or not end:
        return b""
    decoded = io.BytesIO()
    try:
        for line in io.BytesIO(text[begin.end() : end.start()]):
            if line[:1] in b" `\n":  # no byte is in it: the last one
                break
            if decoded.write(binascii.a2b_uu(line)) and decoded.tell() > MAX_FILE:
                return b""
    except binascii.Error:
        return b""
    return decoded.getvalue()
