"""Calibration: changes nothing. Due label: NO."""

from __future__ import annotations

from harness.agents import Budget, Solution, Workspace
from harness.agents._calibration import Calibration


class Noop(Calibration):
    due = "NO"

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution:
        return Solution(b"")


PLUGIN = Noop
