"""What building and testing need to know of a program, whether a task states it or a project."""

from __future__ import annotations

from typing import Protocol

from tasks.schema import BuildSpec, LimitsSpec, Tests


class BuildableSpec(Protocol):
    """The tables that `task.toml` and `project.toml` share."""

    @property
    def environment(self) -> BuildSpec: ...

    @property
    def tests(self) -> Tests: ...

    @property
    def limits(self) -> LimitsSpec: ...


class Buildable(Protocol):
    """A program that can be built and tested: a `tasks.loader.Task`, or a project that is gated."""

    @property
    def id(self) -> str: ...

    @property
    def spec(self) -> BuildableSpec: ...
