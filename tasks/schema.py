"""`pack.toml` and `task.toml` (track `repo`) as checked models. Unknown fields are mistakes."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from parsers.reports import AUTO
from tasks.kinds import KINDS, TaskKind

SCHEMA = 1

CommitId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
CommitIdOrNone = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40})?$")]
# The track whose tasks have the form of this room.
TRACK = "repo"
NAME = r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$"
Name = Annotated[str, StringConstraints(pattern=NAME)]
Size = Annotated[str, StringConstraints(pattern=r"^[0-9]+[kmgKMG]?$")]
Cwe = Annotated[str, StringConstraints(pattern=r"^CWE-[0-9]+$")]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/") or not path:
        raise ValueError("must be a relative path without ..")
    return path


def _absolute(path: str) -> str:
    if not re.fullmatch(r"(/[A-Za-z0-9._+-]+)+", path) or ".." in path.split("/"):
        raise ValueError("must be an absolute path of plain names")
    return path


def _everywhere(glob: str) -> str:
    if not re.fullmatch(r"(/[A-Za-z0-9._+,@=~:*?-]+)+", glob) or ".." in glob.split("/"):
        raise ValueError("must be an absolute path; names may hold letters, digits, ._+,@=~:-*?")
    return glob


Inside = Annotated[str, AfterValidator(_inside)]
Absolute = Annotated[str, AfterValidator(_absolute)]
Everywhere = Annotated[str, AfterValidator(_everywhere)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    # Fields that came after digests of tasks were kept: at their default they are in no dump.
    later: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _dump_what_is_given(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields_given: dict[str, Any] = dump(self)
        fields = type(self).model_fields
        spared = {n for n in self.later if getattr(self, n) == fields[n].default}
        return {name: value for name, value in fields_given.items() if name not in spared}


class SourceSpec(Model):
    """Where the code comes from. Without `repository`, the image holds it at `workdir`.

    An agent's task of kind `write` begins at `pvic`; the others at `base`, the first parent of `vfc`.
    """

    repository: Name | None = None
    pvic: CommitIdOrNone = ""
    vic: CommitIdOrNone = ""
    vfc: CommitId
    base: CommitIdOrNone = ""
    case: str = ""

    later = frozenset({"base"})

    @property
    def start(self) -> str:
        """The commit at which an agent begins."""
        return self.base or self.pvic

    @property
    def begins(self) -> str:
        """That commit in words."""
        return "the fix's parent" if self.base else "PVIC"

    @property
    def goal(self) -> str:
        """The commit of the developers' change: VIC, or the fix."""
        return self.vfc if self.base else self.vic

    @property
    def hidden_commits(self) -> tuple[str, ...]:
        """Commits that no agent may find."""
        return (self.vfc,) if self.base else (self.vic, self.vfc)


class Weakness(Model):
    language: Literal["c", "c++"]
    cwe: tuple[Cwe, ...] = Field(min_length=1)


class BuildSpec(Model):
    """`build` makes what the developers ship, in `workdir` of `image`, within `timeout` seconds."""

    image: str = Field(min_length=1, max_length=300)
    workdir: Absolute
    build: str = Field(min_length=1)
    timeout: Seconds = 600


class EnvironmentSpec(BuildSpec):
    """The build runs at PVIC once, and again after each patch.

    `remove` (globs) and `scrub` take out of the image what an agent must not find in it. With `unbuilt` the
    build may fail at PVIC: the fuzz target calls what only gold adds. What compiles stays.
    """

    remove: tuple[Everywhere, ...] = Field(default=(), max_length=100)
    scrub: bool = False
    unbuilt: bool = False

    later = frozenset({"unbuilt"})


class SuiteSpec(Model):
    """How a suite is built and run, and where its report is.

    `filter` turns what the command prints into a report in the parser's format; see
    `harness.grade.filtering`.
    """

    command: str = Field(min_length=1)
    build: str = ""
    parser: str
    report: tuple[Inside, ...] = ()
    timeout: Seconds = 300
    filter: str = ""

    later = frozenset({"filter"})

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.filter and (self.report or self.parser == "exit-status"):
            what = "report files" if self.report else "the exit status"
            raise ValueError(f"`filter` reads what `command` prints, the report is of {what}")
        if self.parser == AUTO and not self.report:
            raise ValueError("`auto` tells the format of each report file: state `report`")
        return self


class Tests(SuiteSpec):
    """`files` are globs of what belongs to the oracle: put back in gold's state before grading."""

    files: tuple[Inside, ...] = ()
    runs: int = Field(default=3, ge=1, le=50)


Sanitizer = Literal["address", "memory", "undefined", "thread", "leak", "none"]


class SignatureSpec(Model):
    kind: str
    access: Literal["read", "write", ""] = ""
    frames: tuple[str, ...] = Field(min_length=1, max_length=5)


class BuildVariant(Model):
    """A different build of the fuzz target, and how a PoC is replayed in it.

    `entries` are commands of the project's programs, built likewise, that take the same input.
    """

    name: str = Field(default="", max_length=60)
    build: str = Field(min_length=1)
    command: str = Field(min_length=1)
    entries: tuple[str, ...] = Field(default=(), max_length=8)

    later = frozenset({"name", "entries"})


class Poc(Model):
    """`{poc}` in `command` stands for the path of the PoC file inside the sandbox.

    `tests` is gold's suite once more, built as the fuzz target is: same compiler, flags and sources;
    `variants` are further builds of the target, such as by the compiler that the tests are built with.
    """

    command: str = Field(min_length=1)
    build: str = ""
    file: Inside | None = None
    sanitizer: Sanitizer = "address"
    timeout: Seconds = 60
    signature: SignatureSpec
    tests: SuiteSpec | None = None
    variants: tuple[BuildVariant, ...] = Field(default=(), max_length=4)

    @property
    def target(self) -> str:
        """The file name of the program that `command` starts."""
        return self.command.split()[0].rpartition("/")[2]


class Sast(Model):
    """`scanner` is a name for `harness.grade.sast.load_scanner`: builtin, a folder, p/..., tool:..."""

    scanner: str = "builtin"


class LimitsSpec(Model):
    cpus: float = Field(default=2.0, gt=0, le=256)
    memory: Size = "2g"
    pids: int = Field(default=256, ge=16, le=65_536)
    disk: Size = "2g"


class TaskSpec(Model):
    """A whole `task.toml`. Without `poc.build`, the environment's build makes the fuzz target too.

    kind, level: see `tasks.kinds`.
    """

    schema_: Literal[1] = Field(alias="schema")
    id: Name
    kind: TaskKind = TaskKind.WRITE
    level: int = Field(default=0, ge=0)
    title: str = ""
    source: SourceSpec
    weakness: Weakness
    environment: EnvironmentSpec
    tests: Tests
    poc: Poc
    sast: Sast = Sast()
    limits: LimitsSpec = LimitsSpec()

    later = frozenset({"kind", "level"})

    @model_validator(mode="after")
    def _as_its_kind(self) -> Self:
        writes = self.kind is TaskKind.WRITE
        if writes and not (self.source.pvic and self.source.vic):
            raise ValueError("source.pvic and source.vic are needed by a task of kind `write`")
        if writes == bool(self.source.base):
            which = "begins at source.pvic, not at" if writes else "needs"
            raise ValueError(f"a task of kind `{self.kind}` {which} source.base")
        if self.level >= (levels := len(KINDS[self.kind].levels)):
            raise ValueError(f"level of kind `{self.kind}` is 0 to {levels - 1}")
        return self

    @model_validator(mode="before")
    @classmethod
    def _fill_poc_build(cls, table: Any) -> Any:
        """Fills `poc.build` from `environment.build`."""
        poc = table.get("poc") if isinstance(table, dict) else None
        environment = table.get("environment") if isinstance(table, dict) else None
        if isinstance(poc, dict) and isinstance(environment, dict) and not poc.get("build"):
            return {**table, "poc": {**poc, "build": environment.get("build", "")}}
        return table


class PackSpec(Model):
    """A whole `pack.toml`."""

    schema_: Literal[1] = Field(alias="schema")
    name: Name
    version: str
    licence: str
    track: Name
    description: str = ""
