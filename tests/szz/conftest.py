"""Small real repositories, made by `git fast-import` in milliseconds."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

Tree = Mapping[bytes, bytes]


@dataclass(frozen=True)
class Made:
    """One commit to make: its whole tree, the indices of its parents (None: the one before), its day
    (None: all of one day, a minute apart)."""

    files: Tree
    parents: Sequence[int] | None = None
    modes: Mapping[bytes, bytes] = field(default_factory=dict)
    day: int | None = None


def quoted(path: bytes) -> bytes:
    return b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'


def stream(commits: Sequence[Made]) -> bytes:
    lines: list[bytes] = []
    for index, made in enumerate(commits):
        parents = made.parents if made.parents is not None else ([index - 1] if index else [])
        when = 1_600_000_000 + (60 * index if made.day is None else 86_400 * made.day)
        lines += [b"reset refs/heads/main"] if not parents else []
        lines += [b"commit refs/heads/main", b"mark :%d" % (index + 1)]
        lines += [b"committer A U Thor <author@example.org> %d +0000" % when]
        message = b"commit %d" % index
        lines += [b"data %d" % len(message), message]
        lines += [
            (b"merge" if n else b"from") + b" :%d" % (parent + 1)
            for n, parent in enumerate(parents)
        ]
        lines += [b"deleteall"]
        for path, content in made.files.items():
            mode = made.modes.get(path, b"100644")
            if mode == b"160000":
                lines += [b"M 160000 " + content + b" " + quoted(path)]
                continue
            lines += [b"M " + mode + b" inline " + quoted(path)]
            lines += [b"data %d" % len(content), content]
        lines += [b""]
    return b"\n".join(lines)


Maker = Callable[..., tuple[Path, list[str]]]


@pytest.fixture
def history(tmp_path: Path) -> Maker:
    """Make a bare repository of commits; returns its path and the commits' ids."""

    def make(*commits: Made | Tree, name: str = "repository.git") -> tuple[Path, list[str]]:
        path = tmp_path / name
        made = [c if isinstance(c, Made) else Made(c) for c in commits]
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
        marks = tmp_path / f"{name}.marks"
        importer = ["git", "-C", str(path), "fast-import", "--quiet", f"--export-marks={marks}"]
        subprocess.run(importer, input=stream(made), check=True)
        ids = dict(line.split() for line in marks.read_text().splitlines())
        return path, [ids[f":{index + 1}"] for index in range(len(made))]

    return make
