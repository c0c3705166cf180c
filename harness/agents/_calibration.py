"""What the calibration agents share: they know the task's solution."""

from __future__ import annotations

import shlex
from typing import ClassVar

from harness.grade import oracle
from harness.protocols import Agent, Workspace
from harness.sandbox.base import SandboxDied
from parsers.patch import parse_patch
from tasks.loader import Task, TaskError

SOURCES = (".c", ".cc", ".cpp", ".cxx")
TIMEOUT = 60


class Calibration(Agent):
    """An agent that is told the task with its solution. `due` is the label that it must get."""

    calibration: ClassVar[bool] = True
    runs_model_output: ClassVar[bool] = False
    due: ClassVar[str]

    def __init__(self, task: Task) -> None:
        self.task = task

    def touched_source(self) -> str:
        """A source file that gold changes and PVIC has. Raises TaskError when there is none."""
        changes = parse_patch(self.task.solution("gold")).files
        paths = [
            c.new for c in changes if c.new and c.status == "modified" and c.new.endswith(SOURCES)
        ]
        theirs = oracle.owned(paths, self.task.owned)
        for path in paths:
            if path not in theirs:
                return path
        where = f"{self.task.folder}/solution/gold.patch"
        raise TaskError(f"{where}: changes no C or C++ source that PVIC has")

    def append(self, workspace: Workspace, lines: str) -> None:
        """Append lines to a source file that gold touches."""
        path = shlex.quote(self.touched_source())
        self.run(workspace, f"printf %s {shlex.quote(lines)} >> {path}")

    def run(self, workspace: Workspace, line: str) -> None:
        done = workspace.exec(line, TIMEOUT)
        if not done.ok:
            raise SandboxDied(f"calibration: {done.output.decode(errors='replace').strip()[-200:]}")
