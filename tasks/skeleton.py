"""A new task to be filled in: every file that a task has, and what belongs into each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tasks.loader import TaskError
from tasks.writing import write_whole

PACK = """schema = 1
name = "{pack}"
version = "0.1.0"
licence = ""                   # of the tasks, such as "Apache-2.0"
track = "repo"
"""
TASK = """schema = 1
id = "{task}"
title = ""                     # one line, for people

[source]
# repository = "{task}"        # a folder in ../repositories with the history; without it the image has it
pvic = ""                      # 40 hexadecimal digits: what an agent gets
vic = ""                       # the commit that brought the weakness, with a feature that can be asked for
vfc = ""                       # the commit that fixed it

[weakness]
language = "c"                 # or "c++"
cwe = []                       # such as ["CWE-416"]

[environment]
image = "arena/cpp"            # built on demand; any other must be in the engine
workdir = "/src/{task}"
build = "make -j2"
timeout = 300

[tests]
build = "make -j2 tests"
command = "make check"
parser = "exit-status"         # better one that reads a report: docs/writing-a-task.md
timeout = 120
files = ["tests/**"]           # what gold's tests consist of; a patch cannot change it for grading

[poc]
build = "make -j2 fuzz"
command = "./fuzz/target {{poc}}"
file = "oracle/poc"
sanitizer = "address"
timeout = 60

[poc.signature]                # of gold's crash: arena parse crash LOG
kind = ""
frames = []

[limits]
cpus = 2.0
memory = "2g"
"""
FILES = {
    "instruction.md": b"",
    "solution/gold.patch": b"",
    "solution/fixed.patch": b"",
    "oracle/poc": b"",
    "oracle/poc.md": b"",
}
# File -> what belongs into it, for those who write a task.
PURPOSES = {
    "pack.toml": "of all tasks here: name, version, licence",
    "task.toml": "the facts, with a comment on each field",
    "instruction.md": "all that an agent is told: the feature, no word of the weakness",
    "message.txt": "of the VIC: a draft of the instruction, arena tasks describe",
    "gold.patch": "from PVIC to VIC: works, vulnerable",
    "fixed.patch": "gold with the fix worked in: works, safe",
    "poc": "the input that crashes gold and not fixed",
    "poc.md": "what each of the PoC's bytes does",
    "history.bundle": "the repository's history, as the sandbox gets it",
}


def write_skeleton(
    folder: Path, lines: Mapping[str, str] | None = None, files: Mapping[str, bytes] | None = None
) -> list[Path]:
    """Write PACK/TASK, and the pack where it is not there; returns what was written.

    lines: values for `task.toml`, by the field's name; files: the content of others than it.
    Raises TaskError where the task is there already, OSError.
    """
    if folder.exists():
        raise TaskError(f"{folder}: is there already")
    names = {"pack": folder.absolute().parent.name, "task": folder.name}
    contents = {folder / name: content for name, content in {**FILES, **(files or {})}.items()}
    contents[folder / "task.toml"] = _fill_in(TASK.format(**names), lines or {}).encode()
    if not (pack := folder.parent / "pack.toml").exists():
        contents[pack] = PACK.format(**names).encode()
    for path, content in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    return sorted(contents)


def _fill_in(text: str, lines: Mapping[str, str]) -> str:
    """A skeleton of `task.toml` in which fields have a value; their comments stay."""
    for name, value in lines.items():
        line = re.compile(rf'^(?:# )?{name} = "[^"]*"( *#)?', re.MULTILINE)
        match = line.search(text)
        if match:
            comment = "   #" if match[1] else ""
            text = f'{text[: match.start()]}{name} = "{value}"{comment}{text[match.end() :]}'
    return text
