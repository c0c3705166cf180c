"""Calibration: the developers' change, which introduced the vulnerability. Due label: CV."""

from __future__ import annotations

from harness.agents._calibration import Calibration
from harness.protocols import Job, Solution


class Gold(Calibration):
    due = "CV"

    def solve(self, job: Job) -> Solution:
        return Solution(self.task.answer("gold"))


PLUGIN = Gold
