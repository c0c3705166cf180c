"""Calibration: the developers' own change with the later fix. Due label: C&S."""

from __future__ import annotations

from harness.agents import Budget, Solution, Workspace
from harness.agents._calibration import Calibration


class Fixed(Calibration):
    due = "C&S"

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution:
        return Solution(self.task.solution("fixed"))


PLUGIN = Fixed
