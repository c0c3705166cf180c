"""`project.toml`: how a project is built, tested and attacked, in the words of `task.toml`."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from arena.gate.checkout import GitState, ProjectCheckout
from tasks.loader import TaskError, load_model
from tasks.schema import (
    BuildSpec,
    Inside,
    LimitsSpec,
    Model,
    Name,
    Sanitizer,
    Sast,
    Seconds,
    Tests,
)

# Goes up when BASE's outcomes would be taken otherwise: those that are cached are then taken anew.
GATE_VERSION = 1
Package = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.+:-]{0,99}$")]


class ProjectEnvironment(BuildSpec):
    """Where the project is built. packages: Debian's, installed on the image."""

    image: str = Field(default="arena/cpp", min_length=1, max_length=300)
    packages: tuple[Package, ...] = Field(default=(), max_length=200)


class FuzzTarget(Model):
    """The fuzz target, and the inputs that it must survive.

    `{poc}` in `command` stands for the path of an input; `corpus` are folders and globs of the repository.
    """

    command: str = Field(min_length=1)
    build: str = ""
    sanitizer: Sanitizer = "address"
    timeout: Seconds = 60
    corpus: tuple[Inside, ...] = Field(min_length=1, max_length=100)

    @property
    def globs(self) -> tuple[str, ...]:
        """`corpus` with each entry as a folder as well."""
        return (*self.corpus, *(f"{entry.rstrip('/')}/**" for entry in self.corpus))


class ProjectSast(Sast):
    """blocks: the least severity of a new finding that blocks."""

    blocks: Literal["error", "warning", "never"] = "error"


class ProjectSpec(Model):
    """A whole `project.toml`. Without `poc.build`, the environment's build makes the target too."""

    schema_: Literal[1] = Field(alias="schema")
    name: Name
    environment: ProjectEnvironment
    tests: Tests
    poc: FuzzTarget | None = None
    sast: ProjectSast = ProjectSast()
    limits: LimitsSpec = LimitsSpec()

    def digest(self, *tables: str) -> str:
        """SHA-256 in hex of some of its tables."""
        text = self.model_dump_json(by_alias=True, include={*tables})
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Project:
    """A project, as `harness.grade.buildable.Buildable` wants it.

    path: the file's path in the repository, "" if it is elsewhere. differs: HEAD would change the file.
    """

    spec: ProjectSpec
    path: str = ""
    differs: bool = False

    @property
    def id(self) -> str:
        return self.spec.name


def load_project(file: Path, checkout: ProjectCheckout, base: GitState, head: GitState) -> Project:
    """The project as BASE has it, if the file is part of the repository there; else as it is on disk.

    A change that could rewrite how it is judged would decide that for itself. Where a change brings the file,
    it names no scanner: that may be a command, which runs outside the sandbox. Raises TaskError.
    """
    path = checkout.locate(file)
    blob = checkout.files(base.tree).get(path) if path else None
    if blob is None:
        project = Project(load_model(file, ProjectSpec), path)
        if path and project.spec.sast.scanner != Sast().scanner:
            raise TaskError(f"{file}: sast.scanner: only for a file that {base.name} has already")
        return project
    differs = checkout.files(head.tree).get(path) != blob
    with tempfile.TemporaryDirectory(prefix="arena-gate-") as scratch:
        copy = Path(scratch, "project.toml")
        copy.write_bytes(checkout.read(blob))
        try:
            return Project(load_model(copy, ProjectSpec), path, differs)
        except TaskError as error:
            # The path of the copy would say nothing to people.
            raise TaskError(str(error).replace(str(copy), f"{base.name}:{path}")) from error
