"""The workspace of a task of the track `repo`."""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents._workspace import Workspace
from harness.grade.environment import limits_of, prepare
from harness.sandbox.base import Backend, Limits, Mount, Sandbox
from tasks.loader import Task


def workspace_of(backend: Backend, task: Task) -> Workspace:
    """Where an agent works: a sandbox of its own at PVIC, opened when it is first used."""

    def create(mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        image, limits = prepare(backend, task).image, limits_of(task)
        return backend.create(image, limits.at_least(least) if least else limits, mounts)

    return Workspace(create, task.spec.environment.workdir)
