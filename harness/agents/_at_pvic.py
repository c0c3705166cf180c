"""The workspace of a task of the track `repo`."""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents._workspace import SandboxWorkspace
from harness.command import Limits, Mount
from harness.grade.environment import limits_of, prepare
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task


def workspace_of(backend: Backend, task: Task) -> SandboxWorkspace:
    """Where an agent works: a sandbox at the task's start, opened when it is first used.

    Beside the repository it has what the task gives it. Raises TaskError.
    """

    def create(mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        image, limits = prepare(backend, task).image, limits_of(task)
        return backend.create(image, limits.max_limits(least) if least else limits, mounts)

    return SandboxWorkspace(create, task.spec.environment.workdir, task.agent_files)
