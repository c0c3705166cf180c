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
from arena.tracks.dual.samples import load_samples
from tests.arena.dual.making import GOOD, function_task, make_pack

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

Arena = Callable[..., tuple[int, str]]


@pytest.fixture
def arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Arena:
    """Runs the command `arena dual score` -> exit code, what it told on stderr."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))

    def run(*args: object) -> tuple[int, str]:
        told = ["arena", "dual", "score", "--jobs", "2", *map(str, args)]
        monkeypatch.setattr(sys, "argv", told)
        with pytest.raises(SystemExit) as ended:
            main()
        return int(str(ended.value.code)), capfd.readouterr().err

    return run


def put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.slow
def test_every_sample_has_a_state_and_all_its_tests(arena: Arena, tmp_path: Path) -> None:
    pack, samples, out = tmp_path / "pack", tmp_path / "samples", tmp_path / "out.json"
    make_pack(pack, function_task())
    for name, (content, _) in CONTENTS.items():
        put(samples / "greeter" / name, content)
    spoil(samples / "greeter")
    k = len(CONTENTS) + 2
    code, told = arena("--pack", pack, "--samples", samples, "--json", out, "--k", k)
    assert code == 0, told
    found = read(out)
    states = {one["sample"]: one["state"] for one in found["samples"]}
    assert len(found["samples"]) == len(states) == k == found["k"]
    assert all(len(one["tests"]) == 3 for one in found["samples"])
    for name, (_, state) in CONTENTS.items():
        stem = name.encode("utf-8", "backslashreplace").decode().rpartition(".")[0]
        assert states[stem] == state, stem
    for one in found["samples"]:
        expected = {"pass"} if one["state"] == "usable" else {"error"}
        assert {test["verdict"] for test in one["tests"]} == expected, one
        assert one["health"] == "ok"
    assert list(states.values()).count("missing") == 2
    assert found["summary"]["n"] == k or found["summary"]["pass@1"] is not None
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
    pack, samples, out = tmp_path / "pack", tmp_path / "samples", tmp_path / "out.json"
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
    code, told = arena("--pack", pack, "--samples", samples, "--json", out)
    assert code == 0, told
    found = {one["sample"]: one for one in read(out)["samples"]}
    for name, (_, state) in states.items():
        assert found[name]["state"] == state, found[name]["why"]
        assert [t["verdict"] for t in found[name]["tests"]] == ["error", "error"]


def test_one_name_several_times(tmp_path: Path) -> None:
    task = function_task()
    task["spec"]["languages"] = ["python", "javascript"]
    pack = make_pack(tmp_path / "pack", task)
    for suffix in ("py", "js", "mjs", "cjs"):
        put(tmp_path / "s" / "greeter" / f"0.{suffix}", GOOD)
    rows = [{"task": "greeter", "sample": n, "state": "no-code", "file": ""} for n in (1, 1, "0")]
    put(tmp_path / "s" / "samples.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = load_samples(pack, str(tmp_path / "s"), k=9)
    names = [sample.name for sample in found.samples]
    assert len(names) == len(set(names)) == 9
    assert sum(sample.candidate is not None for sample in found.samples) == 4
    assert [str(sample.state) for sample in found.samples].count("no-code") == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "args", "line"),
    [
        (None, ["--k", "1"], "--k: 1 samples a task are planned, and a task has 2"),
        (None, ["--task", "nowhere"], "no task 'nowhere'; known: greeter"),
        (None, ["--language", "cobol"], "--language: 'cobol' is none of python, javascript, cpp"),
        (None, ["--language", "cpp"], "holds no program of a task of this pack"),
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
    code, told = arena("--pack", tmp_path / "pack", "--samples", tmp_path / "s", *args)
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
        load_samples(pack, str(tmp_path / "s"))
