"""`arena szz`: its contract, and a user's mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

ARENA = str(Path(sys.executable).with_name("arena"))


def szz(*args: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ARENA, "szz", *map(str, args)], input=stdin, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_one_line_of_json_for_each_fix_in_order(history: Maker, tmp_path: Path) -> None:  # noqa: F811
    path, ids = history(
        {b"f.c": b"a\n", b"x.py": b"1\n"},
        {b"f.c": b"b\n", b"x.py": b"2\n"},
        {b"f.c": b"c\n", b"x.py": b"2\n"},
    )
    listed = tmp_path / "fixes.txt"
    listed.write_text(f"# two fixes\n{ids[1]}\n\n{ids[0]}  # the root\n")
    done = szz(path, ids[2], f"@{listed}", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["fix"] for row in rows] == [ids[2], ids[1], ids[0]]
    assert rows[0] == {"fix": ids[2], "variant": "b-szz", "candidates": [ids[1]], "lines": 1, "skipped": [], "error": None, "note": ""}  # fmt: skip
    assert rows[1]["skipped"] == [{"path": "x.py", "reason": "not C or C++"}]
    assert "root commit" in rows[2]["error"]
    assert done.returncode == 1
    every = json.loads(szz(path, ids[1], "--paths", "all", "--json").stdout)
    assert (every["lines"], every["skipped"], every["candidates"]) == (2, [], [ids[0]])


@pytest.mark.slow
def test_the_variant_and_paths_that_were_used_are_printed(history: Maker) -> None:  # noqa: F811
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"b\n"})
    done = szz(path, ids[1], "--variant", "ag-szz")
    assert ids[0] in done.stdout and "ag-szz" in done.stdout
    assert "variant ag-szz, paths source, 0 not traced" in done.stderr
    assert done.returncode == 0


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nowhere", "HEAD"), "not a readable git repository"),
        ((".", "@missing.txt"), "missing.txt"),
        ((".", "HEAD", "--variant", "q-szz"), "unknown name 'q-szz'; known: ag-szz"),
    ],
)
def test_mistakes_are_one_line(args: tuple[str, ...], message: str) -> None:
    done = szz(*args)
    assert done.returncode == 2
    assert message in done.stderr and done.stderr.count("\n") == 1
