"""What the calibration agents share: they know the task's solution."""

from __future__ import annotations

import shlex
from typing import ClassVar

from harness.grade import oracle
from harness.protocols import Agent, Workspace
from harness.sandbox.base import SandboxDied
from parsers.patch import parse_patch
from tasks.loader import Task, TaskError

SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++")
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tcc")
# Files that a source includes, or a Makefile.
INCLUDED = (".inc",)
TIMEOUT_S = 60


class Calibration(Agent):
    """An agent that gets the task with its solution. `due` is the label that it must get."""

    calibration: ClassVar[bool] = True
    runs_model_output: ClassVar[bool] = False
    due: ClassVar[str]

    def __init__(self, task: Task) -> None:
        self.task = task

    def touched_source(self) -> str:
        """A file that gold changes and PVIC has: a source, or else a header. Raises TaskError without any."""
        changes = parse_patch(self.task.solution("gold")).files
        paths = [change.new for change in changes if change.new and change.status == "modified"]
        # Lines in the oracle's files would be put back before the build, and change nothing.
        theirs = oracle.owned_paths(paths, self.task.owned_globs)
        # Sources first: what is added to a header is compiled by many, in any dialect of C.
        for endings in (SOURCES, HEADERS, INCLUDED):
            for path in paths:
                if path.lower().endswith(endings) and path not in theirs:
                    return path
        where = f"{self.task.folder}/solution/gold.patch"
        raise TaskError(f"{where}: changes no C or C++ source that PVIC has")

    def append(self, workspace: Workspace, lines: str, of_header: str = "") -> None:
        """Append lines to a file that gold touches; `of_header` where it is a header, if these are others."""
        path = self.touched_source()
        added = lines if path.lower().endswith(SOURCES) else of_header or lines
        self.run(workspace, f"printf %s {shlex.quote(added)} >> {shlex.quote(path)}")

    def run(self, workspace: Workspace, line: str) -> None:
        done = workspace.exec(line, TIMEOUT_S)
        if not done.ok:
            raise SandboxDied(f"calibration: {done.output.decode(errors='replace').strip()[-200:]}")
