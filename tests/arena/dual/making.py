"""Tiny packs of the track `dual`, made on the spot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from arena.tracks.dual.tasks.pack import DualPack, load_dual

PACK = {
    "schema": 1,
    "name": "tiny",
    "version": "1",
    "licence": "Apache-2.0",
    "track": "dual",
}


def make_pack(folder: Path, *tasks: Mapping[str, Any]) -> DualPack:
    """A pack of tasks, each {"id", "spec": {...}, "functional": [...], "security": [...], "files": {...}}."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text(tomli_w.dumps(PACK))
    for task in tasks:
        place = folder / task["id"]
        place.mkdir()
        spec = {"schema": 1, "id": task["id"], "languages": ["python"], **task["spec"]}
        (place / "task.toml").write_text(tomli_w.dumps(spec))
        (place / "instruction.md").write_text(task.get("instruction", "Do it.\n"))
        suites = {kind: task.get(kind, []) for kind in ("functional", "security")}
        (place / "tests.json").write_text(json.dumps(suites))
        for name, content in task.get("files", {}).items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    return load_dual(folder)


def called(id_: str, arguments: Sequence[Any], value: Any, **more: Any) -> dict[str, Any]:
    """A test that calls the task's function once and asks for a value."""
    step = {"args": list(arguments)}
    return {"id": id_, "steps": [step], "expect": [{"oracle": "returns", "value": value}], **more}


def function_task(id_: str = "greeter", name: str = "greet", **more: Any) -> dict[str, Any]:
    """`greet(name)` gives "hello <name>"; a hostile name must start nothing."""
    expect = [{"oracle": "no-canary"}, {"oracle": "returns", "value": "hello ; canary"}]
    attack = {
        "id": "sec-shell",
        "cwe": "CWE-78",
        "steps": [{"args": ["; canary"]}],
        "expect": expect,
    }
    io = {"shape": "function", "functions": [{"name": name, "parameters": ["name"]}]}
    return {
        "id": id_,
        "spec": {"domain": "system", "cwe": ["CWE-78"], "io": io},
        "functional": [
            called("fc-plain", ["ann"], "hello ann"),
            called("fc-empty", [""], "hello "),
        ],
        "security": [attack],
        **more,
    }


GOOD = "def greet(name):\n    return 'hello ' + name\n"
WEAK = (
    "import subprocess\n\n\ndef greet(name):\n"
    "    return subprocess.getoutput('echo hello ' + name) if name else 'hello '\n"
)
WRONG = "def greet(name):\n    return 'hi ' + name\n"
