"""Calibration: compiles, and implements nothing. Due label: IC."""

from __future__ import annotations

from harness.agents import Budget, Solution, Workspace
from harness.agents._calibration import Calibration

LINES = "\n/* The feature is yet to come. */\n"


class Stub(Calibration):
    due = "IC"

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution:
        self.append(workspace, LINES)
        return Solution(workspace.patch())


PLUGIN = Stub
