"""Orders that cannot be carried out: no program's fault, and never the end of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.cli.main import app
from arena.tracks.dual.runner import Order, checking
from arena.tracks.dual.runner.order import Copy
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.making import GOOD, function_task, make_pack
from tests.arena.dual.runner.orders import running

LONG = "x" * (1 << 18)
BAD: dict[str, dict[str, Any]] = {
    "the root": {"files": {"/": b""}},
    "a relative path": {"secrets": {"../x": "t"}},
    "NUL in a path": {"secrets": {"/srv/\0": "t"}},
    "half a letter": {"secrets": {"/srv/\ud800": "t"}},
    "a long name": {"files": {f"/srv/{'a' * 300}": b""}},
    "a long path": {"files": {"/srv" + "/a" * 3000: b""}},
    "a file and a folder": {"secrets": {"/password": "t", "/password/x": "t"}},
    "a file where a copy goes": {"files": {"/srv/x": b""}, "copies": (Copy("/a", "/srv/x/y"),)},
    "the working folder as a file": {"secrets": {"/srv/app": "t"}},
    "a watched file": {"files": {"/data/x": b""}, "watched": ("/data/x",)},
    "a link to nothing": {"links": {"/srv/a": ""}},
    "a link with NUL": {"links": {"/srv/a": "b\0"}},
    "a variable's name": {"env": {"A=B": "x"}},
    "a variable with NUL": {"env": {"A": "\0"}},
    "a long variable": {"env": {"A": LONG}},
    "no name of a variable": {"env": {"": "x"}},
    "a canary's path": {"canaries": ("a/b",)},
    "no command": {"argv": ()},
}
STEPS: dict[str, tuple[str, dict[str, Any]]] = {
    "NUL in an argument": ("run", {"args": ["a\0b"]}),
    "a long argument": ("run", {"args": [LONG]}),
    "too many arguments": ("run", {"args": ["x"] * 200_000}),
    "arguments as text": ("run", {"args": "abc"}),
    "arguments as a number": ("run", {"args": 5}),
    "environment as a list": ("run", {"env": ["A"]}),
    "input that is no base64": ("run", {"stdin": {"$bytes": "!"}}),
    "input as an object": ("run", {"stdin": {"a": 1}}),
    "a method": ("serve", {"method": "G ET\r\n"}),
    "headers as a list": ("serve", {"headers": ["a"]}),
    "a form as text": ("serve", {"form": "a=b"}),
    "a query as text": ("serve", {"query": "a=b"}),
    "a part without a name": ("serve", {"multipart": [{"content": "x"}]}),
    "a body as an object": ("serve", {"body": {"a": 1}}),
    "an empty raw path": ("serve", {"path": "", "raw": True}),
    "a raw path with a blank": ("serve", {"path": "/a b", "raw": True}),
    "what is kept as a list": ("serve", {"save": ["x"]}),
}


@pytest.mark.parametrize("name", BAD)
def test_an_order_that_cannot_be_carried_out_is_told_before(name: str) -> None:
    with pytest.raises(ValueError, match=r"^\w+: [^\n]+$"):
        checking.check(Order(**{"shape": "run", "argv": ("true",), "steps": ({},), **BAD[name]}))


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_cannot_be_made_is_told_before(name: str) -> None:
    shape, step = STEPS[name]
    with pytest.raises(ValueError, match=r"^steps\.1: [^\n]+$"):
        checking.check(Order(shape, ("true",), ({}, step)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shape", "step"),
    [
        ("run", {"args": ["a b", "ü", 5], "stdin": {"$bytes": "AA=="}, "env": {"A": "b=c"}}),
        ("run", {"args": ["x" * 100_000], "stdin": "x" * 9_000_000}),
        ("serve", {"method": "PROPFIND", "path": "/a b\r\nX: y", "headers": {"X": "a\r\nb"}}),
        ("serve", {"path": "//a", "raw": True, "json": None, "save": {"a": "/b"}}),
        ("call", {"call": "f", "args": [[[]]], "kwargs": {}}),
    ],
)
def test_what_is_only_hostile_is_carried_out(shape: str, step: dict[str, Any]) -> None:
    checking.check(Order(shape, ("true",), (step,)))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_file_can_lie_in_the_root_and_none_can_be_made_there(runner: ProgramRunner) -> None:
    program = """
        import os
        print(open("/password").read(), os.access("/password", os.W_OK), os.access("/", os.W_OK))
        try:
            open("/other", "w")
        except OSError as error:
            print(type(error).__name__)
    """
    seen = runner.run(running(program, secrets={"/password": "tok"}, links={"/top": "/password"}))
    assert seen.steps[0].stdout.split() == ["tok", "False", "False", "OSError"]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_tasks_that_cannot_be_tried_end_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    wrong: list[dict[str, Any]] = [
        {"secrets": {"/password": "t", "/password/x": "t"}},
        {"secrets": {"/usr/share/x": "t"}},
        {"files": {"a": {"$bytes": "!"}}},
        {"files": {"b/c": "x"}, "links": {"b": "b"}},
        {"steps": [{"args": [{"$nope": 1}]}]},
        {"steps": [{"args": ["\ud800"]}], "secrets": {"/srv/\ud800": "t"}},
        {"steps": []},
    ]
    tasks = []
    for number, fields in enumerate(wrong * 2):
        task = function_task(f"bad{number:02}", files={"reference/solution.py": GOOD})
        task["security"][0].update(fields)
        tasks.append(task)
    good = function_task("good", files={"reference/solution.py": GOOD})
    good["functional"].append(
        {"id": "fc-untyped", "untyped": "nothing tells"}
    )  # has no step at all
    make_pack(tmp_path / "pack", *tasks, good)
    done = CliRunner().invoke(
        app, ["grade", "reference", "--pack", str(tmp_path / "pack"), "--json", "--workers", "1"]
    )
    assert done.exit_code == 3, done.output
    found = {one["task"]: one for one in json.loads(done.stdout)["attempts"]}
    assert found.pop("good")["label"] == "C&S"
    for one in found.values():
        assert (one["label"], one["health"]) == (None, "infra")
        assert one["reason"].startswith("TaskError: ") and "sec-shell: " in one["reason"]
