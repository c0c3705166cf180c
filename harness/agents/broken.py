"""Calibration: leaves a line that no compiler takes. Due label: CE."""

from __future__ import annotations

from harness.agents import Budget, Solution, Workspace
from harness.agents._calibration import Calibration

LINES = "\nthis line is not C;\n"


class Broken(Calibration):
    due = "CE"

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution:
        self.append(workspace, LINES)
        return Solution(workspace.patch())


PLUGIN = Broken
