"""Gathers gcov's counts for the objects that hold the touched files, out of a sandbox."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from arena.building.oracle.compilers import FOLDER
from arena.building.oracle.places import CoveredPlaces
from arena.building.oracle.script import GATHER
from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox import archive
from parsers.coverage import Coverage, parse_gcov_json, parse_gcov_text

MAX_OBJECTS = 400
# The archive of one look is bounded; gcov's text for a large file is megabytes.
BATCH = 8
TIMEOUT = 900
# Bytes of a list of files that are read.
LISTED = 12_000_000


@dataclass
class Gathered:
    """Line -> highest count by file of the repository; `objects` were compiled with counters,
    `holding` of them hold a touched file, `ran` of these were run."""

    lines: dict[str, dict[int, int]] = field(default_factory=dict)
    objects: int = 0
    holding: int = 0
    ran: int = 0
    notes: list[str] = field(default_factory=list)

    def take(self, path: str, lines: Iterable[tuple[int, int]]) -> None:
        line_counts = self.lines.setdefault(path, {})
        for number, count in lines:
            line_counts[number] = max(line_counts.get(number, 0), count)


def forget_counts(box: Sandbox, workdir: str) -> None:
    """Remove the counts of programs that the build itself ran."""
    line = f"find {_roots(workdir)} -xdev -name '*.gcda' -type f -delete 2>/dev/null; true"
    box.exec(Command(line, "/", 120))


def gather(box: Sandbox, workdir: str, touched: frozenset[str]) -> Gathered:
    """Counts for the files `touched`, from every object whose notes name any of them."""
    gathered = Gathered()
    objects = _list(box, f"find {_roots(workdir)} -xdev -name '*.gcno' -type f")
    counted = _list(box, f"find {_roots(workdir)} -xdev -name '*.gcda' -type f")
    gathered.objects = len(objects)
    holding = _holding(box, objects, touched)
    ran = {path.removesuffix(".gcda") for path in counted}
    # Objects that ran first, so that the bound on their number cuts off only what can show nothing.
    holding.sort(key=lambda path: (path.removesuffix(".gcno") not in ran, path))
    gathered.holding = len(holding)
    gathered.ran = sum(path.removesuffix(".gcno") in ran for path in holding)
    if len(holding) > MAX_OBJECTS:
        gathered.notes.append(f"only {MAX_OBJECTS} of {len(holding)} objects were looked at")
    _ask(box, holding[:MAX_OBJECTS], _places(box, workdir), touched, gathered)
    return gathered


def _roots(workdir: str) -> str:
    return f"/src /out /tmp {shlex.quote(workdir)}"


def _list(box: Sandbox, line: str) -> list[str]:
    """Distinct plain paths that a `find` prints."""
    done = box.exec(Command(f"{line} 2>/dev/null | head -c {LISTED}", "/", 120))
    lines = done.output.decode("utf-8", "replace").split("\n")
    return sorted({path for path in lines if path.startswith("/") and path.isprintable()})


def _holding(box: Sandbox, objects: list[str], touched: frozenset[str]) -> list[str]:
    """Those objects whose notes have the base name of a touched file in them."""
    names = sorted({PurePosixPath(path).name for path in touched})
    if not objects or not names:
        return []
    put(box, {"names": "\n".join(names).encode(), "objects": "\0".join(objects).encode()})
    # Notes are binary and hold file names as they were given to the compiler, so the base name is looked for.
    line = f"cd {FOLDER} && xargs -0 -r grep -lasF -f names -- <objects"
    return [path for path in _list(box, line) if path in set(objects)]


def put(box: Sandbox, files: dict[str, bytes]) -> None:
    """Write files into our folder in the sandbox."""
    parent, _, name = FOLDER.rpartition("/")
    box.put({f"{name}/{path}": data for path, data in files.items()}, parent)


def _places(box: Sandbox, workdir: str) -> CoveredPlaces:
    quoted = shlex.quote(workdir)
    listed = _list(box, f"find {quoted} -xdev -name .git -prune -o -type f -print")
    return CoveredPlaces(workdir, listed)


def _ask(
    box: Sandbox,
    objects: list[str],
    places: CoveredPlaces,
    touched: frozenset[str],
    gathered: Gathered,
) -> None:
    if not objects:
        return
    lines = "".join(f"{path}\n" for path in objects).encode()
    put(box, {"gather.sh": GATHER.encode(), "list": lines})
    done = box.exec(Command(f"sh {FOLDER}/gather.sh {FOLDER}", "/", TIMEOUT))
    if not done.ok:
        gathered.notes.append(f"gcov was not asked to the end ({done.stopped or done.status})")
        if done.stopped:
            return
    problems: dict[str, None] = {}
    for first in range(0, len(objects), BATCH):
        numbers = range(first + 1, min(first + BATCH, len(objects)) + 1)
        names = [f"{number}.{kind}" for number in numbers for kind in ("json", "txt")]
        for name, data in archive.unpack(box.get(names, f"{FOLDER}/out")).items():
            notes = objects[int(name.partition(".")[0]) - 1]
            read = parse_gcov_json(data) if name.endswith(".json") else parse_gcov_text(data)
            problems |= dict.fromkeys(read.problems)
            _sort_in(read, notes, places, touched, gathered)
    if not gathered.lines and done.output.strip():
        problems[done.output.decode(errors="replace").strip().splitlines()[-1][:200]] = None
    gathered.notes += list(problems)[:10]


def _sort_in(
    read: Coverage, notes: str, places: CoveredPlaces, touched: frozenset[str], gathered: Gathered
) -> None:
    for source in read.sources:
        path = places.find(source.name, source.folder, notes)
        if path in touched and source.lines:
            gathered.take(path, source.lines.items())
