"""A program for tests that is quickly installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from harness.agents._program import AgentReport, Launch, LaunchSetup
from harness.toolbox.recipe import Python, Recipe


class Tiny:
    """Prints a line; its recipe is what a test says."""

    dialect: Literal["chat", "responses", "messages"] = "chat"

    def __init__(
        self,
        name: str = "tiny-agent",
        version: str = "1.0",
        packages: tuple[str, ...] = (),
        recipe: Recipe | None = None,
    ) -> None:
        self.name, self.version = name, version
        self.recipe: Recipe = recipe or Python(packages, ("3.11", "3.12", "3.13"))

    def launch(self, setup: LaunchSetup) -> Launch:
        return Launch((str(setup.toolbox / "bin/tiny"),))

    def told(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return AgentReport()
