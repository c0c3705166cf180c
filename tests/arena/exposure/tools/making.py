"""Programs, SARIF logs and a stand-in for the `codeql` command, for tests of tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena.tracks.exposure.tools._panel import STAGE
from arena.tracks.exposure.tools._tool import Staged, ToolProgram, ToolWeakness

SQL = ToolWeakness(("CWE-89",), "sql")
YAML = ToolWeakness(("CWE-502",), "yaml")
REGEX = ToolWeakness(("CWE-20",), "url-regex")
SUBSTRING = ToolWeakness(("CWE-20",), "url-substring")
PATH = ToolWeakness(("CWE-22",), "path")
TAR = ToolWeakness(("CWE-22",), "tar")
UPLOAD = ToolWeakness(("CWE-434",), "upload")

SQL_BUILT = """import sqlite3
def f(name):
    return sqlite3.connect("a.db").execute("DELETE FROM t WHERE name = '%s'" % name)
"""
SQL_BOUND = """import sqlite3
def f(name):
    return sqlite3.connect("a.db").execute("DELETE FROM t WHERE name = ?", (name,))
"""
NO_SQL = "def f(name):\n    return name\n"
BROKEN = "def f(:\n"

CODEQL = """#!{python}
import json, pathlib, sys, zipfile
here = pathlib.Path({here!r})
args = sys.argv[1:]
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(args) + "\\n")
plan = json.loads((here / "plan.json").read_text())
if args[0] == "version":
    print("2.99.0")
elif plan.get("fails") in args:
    sys.exit("out of memory")
elif args[1] == "create":
    root = next(a for a in args if a.startswith("--source-root=")).partition("=")[2]
    database = pathlib.Path(args[-1])
    database.mkdir()
    with zipfile.ZipFile(database / "src.zip", "w") as archive:
        for path in sorted(pathlib.Path(root).rglob("*.py")):
            if plan.get("skips", "nothing") not in path.read_text():
                archive.writestr(str(path).lstrip("/"), path.read_bytes())
else:
    out = next(a for a in args if a.startswith("--output=")).partition("=")[2]
    pathlib.Path(out).write_text(json.dumps(plan["log"]))
"""


def staged(folder: Path, programs: Iterable[tuple[str, ToolWeakness]]) -> Staged:
    """Programs as the panel stages them."""
    (folder / STAGE).mkdir(parents=True)
    found = {}
    for number, (text, weakness) in enumerate(programs):
        name = f"{STAGE}/program_{number}.py"
        (folder / name).write_text(text, "utf-8")
        found[name] = ToolProgram(f"{number}.py", (f"{number}.py",), "", weakness)
    return Staged(folder, found)


def result(rule: str, uri: str, line: int = 1) -> dict[str, Any]:
    region = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    place = {"locations": [{"physicalLocation": region}]}
    return {"ruleId": rule, "message": {"text": f"{rule} here"}, **place}


def log(
    results: Iterable[dict[str, Any]], rules: Mapping[str, Iterable[str]], **run: Any
) -> dict[str, Any]:
    """A SARIF log; rules: id -> tags."""
    described = [{"id": rule, "properties": {"tags": list(tags)}} for rule, tags in rules.items()]
    tool = {"driver": {"name": "stand-in", "rules": described}}
    return {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}


def codeql(folder: Path, plan: Mapping[str, Any]) -> Path:
    """Put a stand-in for `codeql` into a folder; `calls` beside it has the arguments of each call."""
    folder.mkdir(exist_ok=True)
    (folder / "plan.json").write_text(json.dumps(plan), "utf-8")
    command = folder / "codeql"
    command.write_text(CODEQL.format(python=sys.executable, here=str(folder)), "utf-8")
    command.chmod(0o755)
    return folder


def calls(folder: Path) -> list[list[str]]:
    return [json.loads(line) for line in (folder / "calls").read_text("utf-8").splitlines()]
