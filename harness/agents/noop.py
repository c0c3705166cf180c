"""Calibration: changes nothing. Due label: NO."""

from __future__ import annotations

from harness.agents._calibration import Calibration
from harness.protocols import Job, Solution


class Noop(Calibration):
    due = "NO"

    def solve(self, job: Job) -> Solution:
        return Solution(b"")


PLUGIN = Noop
