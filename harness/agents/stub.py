"""Calibration: compiles, and implements nothing. Due label: IC."""

from __future__ import annotations

from harness.agents._calibration import Calibration
from harness.protocols import Job, Solution

LINES = "\n/* The feature is yet to come. */\n"


class Stub(Calibration):
    due = "IC"

    def solve(self, job: Job) -> Solution:
        self.append(job.workspace, LINES)
        return Solution(job.workspace.patch())


PLUGIN = Stub
