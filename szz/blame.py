"""Which commits introduced lines of a file: a single `git blame` for all ranges of a file."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from szz.change import Range, unquote
from szz.repository import ENVIRONMENT, GitFailed, Repository, SzzError

# Ranges asked of one process: a command line has an end.
MAX_RANGES = 4000

ENTRY = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$")


class HistoryCut(SzzError):
    """Blame ended where a shallow history ends, so the true origin is unknown."""


@dataclass(frozen=True)
class Origin:
    """Lines `line` to `line + count - 1` of a file, as `commit` introduced them.

    `path` and `source` are the file's name and the first line's number in `commit`.
    """

    commit: str
    line: int
    count: int
    path: bytes
    source: int


def blame(
    repository: Repository,
    revision: str,
    path: bytes,
    ranges: Sequence[Range],
    options: Sequence[str] = (),
) -> list[Origin]:
    """Origins of the lines `ranges` of `path` as of the commit `revision`, in the order of the lines.

    Raises GitFailed, and HistoryCut when a line is as old as a shallow history.
    """
    origins: list[Origin] = []
    rest = iter(ranges)
    while some := list(islice(rest, MAX_RANGES)):
        origins += _blame(repository, revision, path, some, options)
    # At the edge of a shallow history git blames the edge itself, which wrote none of these lines.
    unknown = sum(origin.count for origin in origins if origin.commit in repository.cut)
    if unknown:
        raise HistoryCut(
            f"{path.decode('utf-8', 'replace')}: {unknown} line(s) are older than this shallow history"
        )
    return sorted(origins, key=lambda origin: origin.line)


def _blame(
    repository: Repository,
    revision: str,
    path: bytes,
    ranges: Sequence[Range],
    options: Sequence[str],
) -> Iterator[Origin]:
    # All ranges of a file at once: git walks the history once for them, and not once for each range.
    wanted = [f"-L{first},{last}" for first, last in ranges]
    line = repository.command("blame", "--incremental", *options, *wanted, revision, "--", path)
    done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, check=False)
    name = path.decode("utf-8", "replace")
    if done.returncode:
        last_line = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise GitFailed(
            f"git blame of {name} at {revision}: {''.join(last_line).removeprefix('fatal: ')}"
        )
    line_count = sum(last - first + 1 for first, last in ranges)
    answered = 0
    for origin in _entries(done.stdout):
        answered += origin.count
        yield origin
    # A blame that ends early must not pass for lines without an origin (law 2).
    if answered != line_count:
        raise GitFailed(
            f"git blame of {name} at {revision}: {answered} of {line_count} lines answered"
        )


def _entries(output: bytes) -> Iterator[Origin]:
    """git's incremental form: a head, then details of which `filename` is the last."""
    head: re.Match[bytes] | None = None
    for line in output.split(b"\n"):
        if head is None:
            head = ENTRY.match(line)
        elif line.startswith(b"filename "):
            commit, source, first, count = head.groups()
            path = unquote(line.removeprefix(b"filename "))
            yield Origin(commit.decode(), int(first), int(count), path, int(source))
            # Details may be left out for a commit that came before; `filename` always comes last.
            head = None
