"""Calibration: the developers' own change, which brought the vulnerability in. Due label: CV."""

from __future__ import annotations

from harness.agents import Budget, Solution, Workspace
from harness.agents._calibration import Calibration


class Gold(Calibration):
    due = "CV"

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution:
        return Solution(self.task.solution("gold"))


PLUGIN = Gold
