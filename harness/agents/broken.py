"""Calibration: leaves a line that no compiler takes. Due label: CE."""

from __future__ import annotations

from harness.agents._calibration import Calibration
from harness.protocols import Job, Solution

LINES = "\nthis line is not C;\n"


class Broken(Calibration):
    due = "CE"

    def solve(self, job: Job) -> Solution:
        self.append(job.workspace, LINES)
        return Solution(job.workspace.patch())


PLUGIN = Broken
