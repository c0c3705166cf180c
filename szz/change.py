"""What a fix changes: its diff against the first parent, as ranges of lines for each file.

The diff has git's default context although only the changed lines are wanted: without context git takes
a shortcut (it leaves out the common end of a file before it compares) and finds another edit script.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field

from szz.repository import ENVIRONMENT, GitFailed, Repository

# First and last line, counted from 1, both included.
Range = tuple[int, int]

# Nothing of the user's settings may alter a diff: each option that could is set here.
PLAIN = ("-r", "-p", "-M", "-U3", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv")
# git's default algorithm, named: `diff.algorithm` of a repository would find another edit script.
ALGORITHM = ("--diff-algorithm=myers", "--indent-heuristic", "--no-commit-id", "--no-prefix")
END = b"%% end of diff"
HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
ESCAPED = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


@dataclass(frozen=True)
class ChangedBlock:
    """Lines that change together: `old` counts lines of the parent from `old_first` on, `new` of the fix."""

    old_first: int
    old: int
    new_first: int
    new: int


@dataclass
class ChangedFile:
    """A file of a fix: its name before and after, as bytes, and the id of its content before.

    `untraced_reason` is why a file has no lines to trace: "binary", "submodule", "new file", "mode only",
    "renamed", or "".
    """

    path: bytes
    after: bytes
    blob: str = ""
    blocks: list[ChangedBlock] = field(default_factory=list)
    untraced_reason: str = ""

    @property
    def removed_ranges(self) -> list[Range]:
        """The lines that the fix deletes or replaces, in the parent's file."""
        return [(b.old_first, b.old_first + b.old - 1) for b in self.blocks if b.old]

    @property
    def insertion_points(self) -> list[int]:
        """For each block that is only added, the parent's line after which it stands (0: at the top)."""
        return [b.old_first - 1 for b in self.blocks if not b.old]


def unquote(name: bytes) -> bytes:
    """A file name as git's diff writes it (quoted as in C when it must be) -> its bytes."""
    # git puts a tab behind a name with blanks, so that further tools can find its end.
    if not name.startswith(b'"'):
        return name.removesuffix(b"\t")
    inner = name.rstrip(b"\t").removesuffix(b'"')[1:]

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 255 if len(code) == 3 else LETTERS[code[0]]])

    return ESCAPED.sub(plain, inner)


class Differ:
    """A `git diff-tree` process that answers for many fixes; for a single thread, to be closed."""

    def __init__(self, repository: Repository, options: tuple[str, ...] = ()) -> None:
        command = repository.command("diff-tree", "--stdin", *PLAIN, *ALGORITHM, *options)
        self._process = subprocess.Popen(
            command,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def diff(self, commit: str, parent: str) -> list[ChangedFile]:
        """What `commit` changes against `parent`, file by file. Raises GitFailed."""
        assert self._process.stdin  # noqa: S101 - a pipe
        try:
            # a line that is no commit is echoed, and what came before it is flushed
            self._process.stdin.write(f"{commit} {parent}\n".encode() + END + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise GitFailed(f"git diff-tree {commit}: {self._error()}") from error
        return list(read(self._lines(commit)))

    def _lines(self, commit: str) -> Iterator[bytes]:
        assert self._process.stdout  # noqa: S101 - a pipe
        for line in self._process.stdout:
            if line.rstrip(b"\n") == END:
                return
            yield line.removesuffix(b"\n")
        raise GitFailed(f"git diff-tree {commit}: {self._error()}")

    def _error(self) -> str:
        error_lines = self._process.communicate()[1].decode("utf-8", "replace").strip().splitlines()
        return error_lines[-1].removeprefix("fatal: ") if error_lines else "git said nothing"


def read(lines: Iterator[bytes]) -> Iterator[ChangedFile]:
    """The files of a patch in git's format, with names that carry no prefix."""
    current: ChangedFile | None = None
    for line in lines:
        if line.startswith(b"diff --git "):
            if current is not None:
                yield current
            name = _same_name(line[len(b"diff --git ") :])
            current = ChangedFile(name, name, untraced_reason="mode only")
        elif current is not None:
            hunk = HUNK.match(line) if line.startswith(b"@@ ") else None
            if hunk:
                if current.untraced_reason in ("mode only", "renamed"):
                    current.untraced_reason = ""
                _hunk(current, hunk, lines)
            else:
                _header(current, line)
    if current is not None:
        yield current


def _header(change: ChangedFile, line: bytes) -> None:
    if line.startswith(b"--- ") and line != b"--- /dev/null":
        change.path = unquote(line[4:])
    elif line.startswith(b"+++ ") and line != b"+++ /dev/null":
        change.after = unquote(line[4:])
    elif line.startswith(b"rename from "):
        change.path, change.untraced_reason = unquote(line[len(b"rename from ") :]), "renamed"
    elif line.startswith(b"index "):
        change.blob = line[len(b"index ") :].partition(b"..")[0].decode()
        change.untraced_reason = (
            "submodule" if line.endswith(b" 160000") else change.untraced_reason
        )
    elif line.startswith(b"Binary files "):
        change.untraced_reason = "binary"
    elif line.endswith(b"mode 160000"):
        change.untraced_reason = "submodule"
    elif line.startswith(b"new file mode ") and change.untraced_reason == "mode only":
        change.untraced_reason = "new file"


def _same_name(names: bytes) -> bytes:
    """The name that stands twice in "name name", as in the head of a file that keeps its name."""
    half = len(names) // 2
    return unquote(names[:half]) if names[half:] == b" " + names[:half] else b""


def _hunk(change: ChangedFile, head: re.Match[bytes], lines: Iterator[bytes]) -> None:
    """Read a hunk to its end, by the counts in its head."""
    before, after = (1 if count is None else int(count) for count in (head[2], head[4]))
    # Where a side has no lines, its number is that of the line before.
    old, new = int(head[1]) + (not before), int(head[3]) + (not after)
    deleted = added = 0
    while before > 0 or after > 0:
        line = next(lines, None)
        if line is None:
            raise GitFailed("git diff-tree: a hunk ends too early")
        mark = line[:1]
        if mark == b"-":
            deleted, before = deleted + 1, before - 1
        elif mark == b"+":
            added, after = added + 1, after - 1
        # `\ No newline at end of file` is no line of either side.
        elif mark != b"\\":
            if deleted or added:
                change.blocks.append(ChangedBlock(old, deleted, new, added))
            old, new = old + deleted + 1, new + added + 1
            deleted = added = 0
            before, after = before - 1, after - 1
    if deleted or added:
        change.blocks.append(ChangedBlock(old, deleted, new, added))
