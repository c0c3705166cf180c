"""Samples as they come, through the command: each ends in a named state or one clear line, none is lost."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.tracks.dual.answers import AnswerReader
from tests.arena.dual.making import GOOD, function_task, make_pack

pytestmark = pytest.mark.rotating(2)

MISTAKE = 2
NEVER = "import time\ntime.sleep(60)\n"
TAKEN = """
import os, socket
address = ("127.0.0.1", int(os.environ["PORT"]))
held = socket.socket()
held.bind(address)
socket.create_server(address)
"""
CONTENTS: dict[str, tuple[str | bytes, str]] = {
    "good.py": (GOOD, "usable"),
    "with-bom.py": ("\ufeff" + GOOD, "usable"),
    "empty.py": ("", "no-code"),
    "blank.py": (" \n\t\n", "no-code"),
    "too-long.py": (b"#" * (5 << 20), "no-code"),
    "words.py": ("Sure! Here is the program you asked for.", "syntax-error"),
    "cut.py": (GOOD[:-3] + "(", "syntax-error"),
    "javascript.py": ("function greet(name) { return 1; }\n", "syntax-error"),
    "nul.py": (b"x = 1\0\n" + GOOD.encode(), "syntax-error"),
    "latin.py": (b"x = '\xe9\xff'\n" + GOOD.encode(), "syntax-error"),
    "utf-16.py": (GOOD.encode("utf-16"), "syntax-error"),
    "deep.py": ("x = " + "(" * 5000 + ")" * 5000 + "\n" + GOOD, "syntax-error"),
    "long-sum.py": ("x = 1" + "+1" * 20_000 + "\n" + GOOD, "syntax-error"),
    "lacks.py": ("import nowhere_to_be_found\n" + GOOD, "missing-dependency"),
    "no-such.py": ("def one(): pass\ndef two(): pass\n", "no-entry-point"),
    "raises.py": ("raise OSError('no')\n" + GOOD, "import-error"),
    "ends.py": ("import sys\nsys.exit(0)\n" + GOOD, "not-executable"),
    "script.js": ("function greet(name) { return 1; }\n", "other-language"),
    "native.cpp": ("int main() {}\n", "other-language"),
    "a b;$(c)'\".py": (GOOD, "usable"),
    "new\nline\x1b[2J.py": (GOOD, "usable"),
    "\udcff\udcfe.py": (GOOD, "usable"),
    "-rf.py": (GOOD, "usable"),
    "x" * 250 + ".py": (GOOD, "usable"),
    "missing-0.py": (GOOD, "usable"),
}

Arena = Callable[..., tuple[int, str, str]]


@pytest.fixture
def arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Arena:
    """Runs the command `arena grade` -> exit code, and what it printed."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))

    def run(answers: Path, *args: object) -> tuple[int, str, str]:
        told = ["arena", "grade", str(answers), "--workers", "2", "--json", *map(str, args)]
        monkeypatch.setattr(sys, "argv", told)
        with pytest.raises(SystemExit) as ended:
            main()
        told_ = capfd.readouterr()
        return int(str(ended.value.code)), told_.out, told_.err

    return run


def put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def programs(out: str) -> dict[str, dict[str, Any]]:
    """Details by the sample's name."""
    attempts = json.loads(out)["attempts"]
    return {one["details"]["program"]["sample"]: one["details"] for one in attempts}


@pytest.mark.slow
def test_every_sample_has_a_state_and_all_its_tests(arena: Arena, tmp_path: Path) -> None:
    pack, samples = tmp_path / "pack", tmp_path / "samples"
    make_pack(pack, function_task())
    for name, (content, _) in CONTENTS.items():
        put(samples / "greeter" / name, content)
    spoil(samples / "greeter")
    k = len(CONTENTS) + 2
    code, out, told = arena(samples, "--pack", pack, "--set", f"k={k}")
    assert code == 0, told
    found = programs(out)
    states = {name: one["program"]["state"] for name, one in found.items()}
    assert len(states) == k
    assert all(len(one["tests"]) == 3 for one in found.values())
    for name, (_, state) in CONTENTS.items():
        stem = name.encode("utf-8", "backslashreplace").decode().rpartition(".")[0]
        assert states[stem] == state, stem
    for one in found.values():
        expected = {"pass"} if one["program"]["state"] == "usable" else {"error"}
        assert {test["verdict"] for test in one["tests"]} == expected, one
    assert {one["health"] for one in json.loads(out)["attempts"]} == {"ok"}
    assert list(states.values()).count("missing") == 2
    assert json.loads(out)["metrics"]["summary"]["n"] == k
    for name in ("folder.py", "link.py", "pipe.py", "notes.txt"):
        assert f"greeter/{name}: no program" in told
    assert "other: the pack has no such task" in told


def spoil(folder: Path) -> None:
    """What is no program: a folder, a link, a pipe (which must not be opened), another task."""
    (folder / "folder.py").mkdir()
    (folder / "link.py").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.py")
    put(folder / "notes.txt", "x")
    put(folder.parent / "other" / "0.py", GOOD)


@pytest.mark.slow
def test_services_that_do_not_come_up(arena: Arena, tmp_path: Path) -> None:
    pack, samples = tmp_path / "pack", tmp_path / "samples"
    step = {"method": "GET", "path": "/"}
    test = {"steps": [step], "expect": [{"oracle": "responds", "status": 200}]}
    limits = {"seconds": 2.0, "start": 0.5}
    spec = {"io": {"shape": "http"}, "limits": limits}
    suites = {kind: [{"id": kind, **test}] for kind in ("functional", "security")}
    make_pack(pack, {"id": "web", "spec": spec, **suites})
    states = {"never": (NEVER, "never-listens"), "taken": (TAKEN, "port-taken")}
    states["gone"] = ("print('listening')\n", "not-executable")
    for name, (source, _) in states.items():
        put(samples / "web" / f"{name}.py", source)
    code, out, told = arena(samples, "--pack", pack)
    assert code == 0, told
    found = programs(out)
    for name, (_, state) in states.items():
        assert found[name]["program"]["state"] == state, found[name]["program"]["why"]
        assert [t["verdict"] for t in found[name]["tests"]] == ["error", "error"]


def test_one_name_several_times(tmp_path: Path) -> None:
    task = function_task()
    task["spec"]["languages"] = ["python", "javascript"]
    pack = make_pack(tmp_path / "pack", task)
    for suffix in ("py", "js", "mjs", "cjs"):
        put(tmp_path / "s" / "greeter" / f"0.{suffix}", GOOD)
    rows = [{"task": "greeter", "sample": n, "state": "no-code", "file": ""} for n in (1, 1, "0")]
    put(tmp_path / "s" / "samples.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = AnswerReader(pack, "", 9).read(tmp_path / "s").found
    names = [solution.note["sample"] for _, solution in found]
    assert len(names) == len(set(names)) == 9
    assert sum(bool(solution.patch) for _, solution in found) == 4
    assert [solution.note["state"] for _, solution in found].count("no-code") == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "args", "line"),
    [
        (None, ["--set", "k=1"], "options.k: 1 samples a task are planned, and a task has 2"),
        (None, ["--task", "nowhere"], "no answer for any of these tasks"),
        (None, ["--set", "judge=nowhere"], "neither PROVIDER/NAME nor"),
        (None, ["--set", "resolver=a/b"], "judge=MODEL is needed"),
        (None, ["--set", "language=cobol"], "options.language: 'cobol' is none of"),
        (None, ["--set", "language=cpp"], "holds no program of a task of this pack"),
        (b"{", [], "samples.jsonl: line 1: "),
        (b"\xff\xfe\0", [], "samples.jsonl: line 1: "),
        (b"[" * 100_000, [], "samples.jsonl: line 1: "),
        (b'{"task": "greeter", "sample": "0", "state": "odd"}', [], "samples.jsonl: line 1: "),
        (b'{"task": "greeter", "sample": "0", "notes": 7}', [], "samples.jsonl: line 1: "),
    ],
)
def test_a_mistake_is_one_line(
    arena: Arena, tmp_path: Path, rows: bytes | None, args: list[str], line: str
) -> None:
    make_pack(tmp_path / "pack", function_task())
    for name in ("0.py", "1.py"):
        put(tmp_path / "s" / "greeter" / name, GOOD)
    if rows is not None:
        put(tmp_path / "s" / "samples.jsonl", rows)
    code, _, told = arena(tmp_path / "s", "--pack", tmp_path / "pack", *args)
    assert code == MISTAKE, told
    assert line in told
    assert len(told.strip().splitlines()) == 1 and len(told) < 1000, told


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_a_list_of_replies_that_is_no_file(arena: Arena, tmp_path: Path, kind: str) -> None:
    """It is never opened: a pipe would never end, a link may lead anywhere."""
    pack = make_pack(tmp_path / "pack", function_task())
    put(tmp_path / "s" / "greeter" / "0.py", GOOD)
    path = tmp_path / "s" / "samples.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"samples.jsonl: no regular file"):
        AnswerReader(pack).read(tmp_path / "s")
