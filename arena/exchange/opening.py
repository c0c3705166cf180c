"""The file of a whole run, opened: everything in it is checked before anything of it is used.

The file is hostile until then. Bounds: `LARGEST_*` below; sizes that the archive states are checked against
what is really there. Each mistake is an `ImportRefused` of a line.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from arena.exchange.checking import attempt_from, facts_from, manifest_from
from arena.exchange.whole import (
    ATTEMPTS,
    DIGEST,
    FOLDER,
    MANIFEST,
    SIGNATURE,
    STATEMENT,
    TASKS,
)
from arena.store.model import Attempt, TaskFacts

LARGEST_MEMBER = 256 << 20
LARGEST_LINE = 32 << 20
LARGEST_MANIFEST = 64 << 20
LARGEST_LIST = 16 << 30
LARGEST_STATEMENT = 256 << 20
LARGEST_SIGNATURE = 64 << 10
# Bytes of the archive's table of contents, which is read into memory.
LARGEST_DIRECTORY = 256 << 20
# All members together may have 1 GiB, and beyond it so many times the file's own size.
SMALL, RATIO = 1 << 30, 100
CHUNK = 1 << 20
# Levels of lists and objects in one another.
DEEPEST = 100


class ImportRefused(ValueError):
    """The file is refused; the message is a line that begins with its path."""


@dataclass(frozen=True)
class WholeArchive:
    """A run's file, with manifest checked; the rest is checked while it is read."""

    path: Path
    archive: zipfile.ZipFile
    manifest: dict[str, Any]
    manifest_text: bytes = b""

    @property
    def run(self) -> dict[str, Any]:
        return dict(self.manifest["run"])

    @property
    def missing(self) -> frozenset[str]:
        return frozenset(self.manifest["missing"])

    @property
    def artefacts(self) -> list[str]:
        """Digests of the artefacts that are in it, sorted."""
        names = self.archive.namelist()
        return sorted(n.removeprefix(FOLDER) for n in names if n.startswith(FOLDER))

    def tasks(self) -> list[TaskFacts]:
        facts_by_task = {facts.task: facts for facts, _ in self._each(TASKS, facts_from)}
        self._expect(
            len(facts_by_task) == self.manifest["counts"]["tasks"], TASKS, "a task is there twice"
        )
        return list(facts_by_task.values())

    def attempts(self) -> Iterator[Attempt]:
        """The attempts by id, each once and with an id that derives from its run and key."""
        for attempt, _ in self.attempts_with_digests():
            yield attempt

    def attempts_with_digests(self) -> Iterator[tuple[Attempt, str]]:
        """`attempts`, each with the SHA-256 of its line."""
        before = ""
        for attempt, line_digest in self._each(ATTEMPTS, attempt_from):
            self._expect(
                attempt.run == self.run["id"], ATTEMPTS, f"{attempt.id}: is of another run"
            )
            # In order, each id need be compared with the last one only.
            self._expect(attempt.id > before, ATTEMPTS, f"{attempt.id}: twice, or out of order")
            before = attempt.id
            yield attempt, line_digest

    def statement(self) -> tuple[bytes, Any] | None:
        """The statement as bytes and as JSON; None where the file has none."""
        text = self._read_optional(STATEMENT)
        if text is None:
            return None
        try:
            return text, strict(text)
        except (ValueError, RecursionError) as error:
            raise self._refuse_entry(STATEMENT, _message_of(error)) from error

    def signature(self) -> bytes | None:
        """The signature of the statement; None where the file has none."""
        return self._read_optional(SIGNATURE)

    def _read_optional(self, name: str) -> bytes | None:
        if name not in self.archive.namelist():
            return None
        return b"".join(self._read(name))

    def blob(self, digest: str) -> bytes:
        """An artefact, whose content is that of its name."""
        data = b"".join(self._read(FOLDER + digest))
        right = hashlib.sha256(data).hexdigest() == digest
        self._expect(right, FOLDER + digest, "its content has another digest")
        return data

    def _each(self, name: str, read: Any) -> Iterator[tuple[Any, str]]:
        """The values of a list, each with the SHA-256 of its line.

        Their number and the list's digest are compared with the manifest at the end.
        """
        count, digest = 0, hashlib.sha256()
        for number, line in enumerate(self._lines(name), 1):
            digest.update(line)
            count += 1
            try:
                yield read(strict(line)), hashlib.sha256(line).hexdigest()
            except (ValueError, RecursionError) as error:
                raise self._refuse_entry(name, f"line {number}: {_message_of(error)}") from error
        counts = self.manifest["counts"][name.removesuffix(".jsonl")]
        self._expect(count == counts, name, f"has {count} lines; {counts} are due")
        # At the end: callers store nothing before they have read the list to here.
        self._expect(digest.hexdigest() == self.manifest["sha256"][name], name, "was changed")

    def _lines(self, name: str) -> Iterator[bytes]:
        rest = b""
        for chunk in self._read(name):
            *lines, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
            yield from (line + b"\n" for line in lines)
            # Before the next chunk is read: a line without an end must not fill the memory.
            self._expect(len(rest) <= LARGEST_LINE, name, "a line is too long")
        self._expect(not rest, name, "its last line is cut")

    def _read(self, name: str) -> Iterator[bytes]:
        """The bytes of a member, never more than it says it has."""
        try:
            with self.archive.open(name) as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except BROKEN as error:
            raise self._refuse_entry(name, _message_of(error)) from error

    def _expect(self, right: bool, name: str, what: str) -> None:
        if not right:
            raise self._refuse_entry(name, what)

    def _refuse_entry(self, name: str, what: str) -> ImportRefused:
        return ImportRefused(f"{self.path}: {name}: {what}")


# What zipfile raises for an archive that is broken, cut, or compressed in a way it does not know.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, KeyError)


@contextmanager
def open_archive(path: Path) -> Iterator[WholeArchive]:
    """Raises ImportRefused for what is no run's file, and OSError."""
    with path.open("rb") as stream:
        # Before `ZipFile`, which reads the whole table into memory.
        size = _expect_directory(path, stream)
        try:
            archive = zipfile.ZipFile(stream)
        except (*BROKEN, ValueError, OverflowError) as error:
            raise ImportRefused(f"{path}: not a whole zip archive: {_message_of(error)}") from error
        with archive:
            _expect_members(path, archive, size)
            whole = WholeArchive(path, archive, {})
            text = b"".join(whole._read(MANIFEST))
            try:
                manifest = manifest_from(strict(text))
            except (ValueError, RecursionError) as error:
                raise ImportRefused(f"{path}: {MANIFEST}: {_message_of(error)}") from error
            yield WholeArchive(path, archive, manifest, text)


def strict(text: bytes) -> Any:
    """JSON without NaN or infinity, repeated names, and extreme nesting. Raises ValueError."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no number of JSON")

    def refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) != len(pairs):
            raise ValueError("an object has one name twice")
        return mapping

    value = json.loads(text, parse_constant=refuse, object_pairs_hook=refuse_repeated_names)
    _expect_shallow(value)
    return value


def _expect_shallow(value: Any) -> None:
    """Raises ValueError where values are nested so deeply that another reader or writer ends on it."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        if not level:
            return
        inner = (
            each for each in level for each in (each.values() if isinstance(each, dict) else each)
        )
        level = [each for each in inner if isinstance(each, dict | list)]
    raise ValueError(f"is nested too deeply (more than {DEEPEST} levels)")


def _message_of(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:200]


def _expect_directory(path: Path, stream: IO[bytes]) -> int:
    """The size of the file. Raises ImportRefused when its table of contents is missing or too large.

    (Form: PKWARE's APPNOTE.TXT, 4.3.16 and 4.3.14: end of central directory, and its zip64 record.)
    """
    size = stream.seek(0, 2)
    start = max(0, size - (1 << 16) - 22)
    stream.seek(start)
    tail = stream.read()
    # The last one, as zipfile takes it: a comment may contain an earlier one.
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < 22:
        raise ImportRefused(f"{path}: not a run's file, or one that is cut")
    length = struct.unpack_from("<I", tail, at + 12)[0]
    wide = tail.rfind(b"PK\6\6", 0, at)
    if length == 0xFFFFFFFF and wide >= 0 and at - wide >= 56:
        length = struct.unpack_from("<Q", tail, wide + 40)[0]
    stream.seek(0)
    if length > LARGEST_DIRECTORY:
        raise ImportRefused(f"{path}: its table of contents is too large ({length} bytes)")
    return size


def _expect_members(path: Path, archive: zipfile.ZipFile, size: int) -> None:
    """Only members of a run's file, each once, and none larger than it may be."""
    members = archive.infolist()
    names = {member.filename for member in members}
    for wanted in (MANIFEST, TASKS, ATTEMPTS):
        if wanted not in names:
            raise ImportRefused(f"{path}: no {wanted} in it: not a run's file")
    # Which of two members of a name is read depends on the reader.
    if len(names) != len(members):
        raise ImportRefused(f"{path}: a member is there twice")
    for member in members:
        # A wrong offset makes zipfile seek to where no file is.
        inside = 0 <= member.header_offset < size
        if reason := _wrong(member) if inside else "lies outside of the file":
            raise ImportRefused(f"{path}: {member.filename[:120]!r}: {reason}")
    # Each may be within its bound and all together fill the disk.
    total = sum(member.file_size for member in members)
    if total > SMALL + RATIO * size:
        raise ImportRefused(f"{path}: {total} bytes in a file of {size}: not a run's file")


SIZES = {
    MANIFEST: LARGEST_MANIFEST,
    TASKS: LARGEST_LIST,
    ATTEMPTS: LARGEST_LIST,
    STATEMENT: LARGEST_STATEMENT,
    SIGNATURE: LARGEST_SIGNATURE,
}


def _wrong(member: zipfile.ZipInfo) -> str:
    name = member.filename
    is_artefact = name.startswith(FOLDER) and DIGEST.fullmatch(name.removeprefix(FOLDER))
    if name not in SIZES and not is_artefact:
        return "no member of a run's file"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed in an unknown way"
    max_bytes = SIZES.get(name, LARGEST_MEMBER)
    return f"is too large ({member.file_size} bytes)" if member.file_size > max_bytes else ""
