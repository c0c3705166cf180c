"""Calibration: the developers' change with the later fix. Due label: C&S."""

from __future__ import annotations

from harness.agents._calibration import Calibration
from harness.protocols import Job, Solution


class Fixed(Calibration):
    due = "C&S"

    def solve(self, job: Job) -> Solution:
        return Solution(self.task.answer("fixed"))


PLUGIN = Fixed
