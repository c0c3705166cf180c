"""The sandbox in which an agent works: the repository at PVIC, its past, and nothing of the oracle."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from harness.agents._worktree import WorkTreePatch, WorkTreeUnusable, patch_between
from harness.command import Command, ExecResult, Limits, Mount
from harness.protocols import Sandbox
from harness.sandbox.base import SandboxEnded

KILLED_STATUS = 137


class Create(Protocol):
    def __call__(self, mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        """A sandbox at PVIC, not started yet; with `least`, its limits are not below these."""
        ...


class SandboxWorkspace:
    """Opens its sandbox when it is first used, so that agents that need none cost nothing."""

    def __init__(
        self, create: Create, workdir: str, agent_files: Mapping[str, bytes] = MappingProxyType({})
    ) -> None:
        """agent_files: files that an agent finds beside the repository (absolute path -> content)."""
        self._create, self.workdir, self._agent_files = create, workdir, agent_files
        self._box: Sandbox | None = None
        # What is to be seen inside; like `least`, of effect until the sandbox is first used.
        self.mounts: list[Mount] = []
        self.least: Limits | None = None

    @property
    def box(self) -> Sandbox:
        if self._box is None:
            self._box = self._create(self.mounts, self.least)
            self._box.start()
            for path, content in self._agent_files.items():
                folder, _, name = path.rpartition("/")
                self._box.exec(Command(f"mkdir -p {folder}"))
                self._box.put({name: content}, folder, executable=content.startswith(b"#!"))
        return self._box

    def exec(self, line: str, timeout: float) -> ExecResult:
        """Run a shell command in the repository, as `run`."""
        return self.run(Command(line, self.workdir, timeout, is_budget=True))

    def run(self, command: Command) -> ExecResult:
        """Run an agent. An agent that ended its sandbox was stopped by "sandbox"."""
        started = time.monotonic()
        try:
            return self.box.exec(command)
        # An agent that ends its sandbox has done so itself: what it left is graded, and it is not run again.
        except SandboxEnded as ended:
            return ExecResult(KILLED_STATUS, ended.output, time.monotonic() - started, "sandbox")

    def collect_patch(self, droppings: Sequence[str] = ()) -> tuple[bytes, dict[str, Any]]:
        """The patch of `take_patch`, and for the attempt's note what it lacks, or why there is none."""
        try:
            result = self.take_patch(droppings)
        except WorkTreeUnusable as gone:
            return b"", {"problem": str(gone)}
        return result.patch, {"left_out": result.left_out}

    def take_patch(self, droppings: Sequence[str] = ()) -> WorkTreePatch:
        """Everything that differs from PVIC, new files included, commits or not. Raises WorkTreeUnusable."""
        # Without the agent's mounts: git and its settings are those of the image, as at PVIC.
        fresh = self._create()
        try:
            fresh.start()
            return patch_between(self.box, fresh, self.workdir, droppings)
        finally:
            fresh.stop()

    def patch(self) -> bytes:
        """The patch of `take_patch`."""
        return self.take_patch().patch

    def close(self) -> None:
        if self._box is not None:
            self._box.stop()
            self._box = None
