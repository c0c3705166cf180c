"""A shell command that edits the repository: `command:LINE` runs LINE in the workspace at PVIC.

The instruction is at `$ARENA_INSTRUCTION`. It stands for any program of yours that works offline.
"""

from __future__ import annotations

import shlex
from typing import ClassVar

from harness.protocols import Agent, Ended, Job, Solution

FOLDER = "/tmp/.arena-agent"  # noqa: S108 - a path inside the sandbox


class ShellCommand(Agent):
    """Runs a command line; whatever it prints is the trajectory."""

    calibration: ClassVar[bool] = False
    runs_model_output: ClassVar[bool] = True

    def __init__(self, line: str) -> None:
        if not line.strip():
            raise ValueError("agent `command` needs a command line: command:LINE")
        self.line = line

    def solve(self, job: Job) -> Solution:
        workspace = job.workspace
        workspace.box.put({".arena-agent/instruction.md": job.instruction.encode()}, "/tmp")  # noqa: S108
        exports = f"export ARENA_INSTRUCTION={shlex.quote(FOLDER + '/instruction.md')}; "
        done = workspace.exec(exports + self.line, job.budget.seconds)
        ended = {"": Ended.FINISHED if done.ok else Ended.CRASHED, "timeout": Ended.CAPPED_TIME}
        usage = {"seconds": round(done.seconds, 3), "status": done.status}
        patch, note = workspace.collect_patch()
        note |= {"command": self.line} | ({"stopped": done.stopped} if done.stopped else {})
        return Solution(patch, ended.get(done.stopped, Ended.KILLED), usage, done.output, note)


PLUGIN = ShellCommand
