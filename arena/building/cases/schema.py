"""`case.toml` as checked models: a vulnerability, and what it takes to reproduce it.

Importing fills in the facts of the source. Confirming needs `repository` (local), `fix`, `environment`
and `poc` besides; a project's cases share these through `project.toml` files (see `loader.py`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from arena.building.cases.proof import Count, ExpectedSpec, PocOrigin, ProofSpec, RecipeOrigin
from tasks.schema import (
    Absolute,
    CommitId,
    Cwe,
    Inside,
    LimitsSpec,
    Model,
    Name,
    Sanitizer,
    Seconds,
    Tests,
)

ARVO = {"workdir": "", "build": "arvo compile", "timeout": 1800}
ARVO_REPLAY = "cp {poc} /tmp/poc && arvo"


class CrashSpec(Model):
    """The crash as its source states it. `type` is OSS-Fuzz's spelling ("Heap-buffer-overflow READ 4").

    `state` holds function names, innermost first (OSS-Fuzz's crash state). Both may be empty: then the
    crash that is observed at the fix's parent is the reference.
    """

    type: str = ""
    sanitizer: Sanitizer = "address"
    state: tuple[str, ...] = Field(default=(), max_length=10)


class OssFuzz(Model):
    """The facts of an OSS-Fuzz report; every field may be empty ("").

    project: its folder in OSS-Fuzz, if that differs from the case's name for it.
    """

    project: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9_.+-]{0,99})?$")
    target: str = ""
    engine: str = ""
    job: str = ""
    testcase: str = ""
    severity: str = ""
    report: str = ""
    reproducer: str = ""
    regressed: str = ""
    fixed: str = ""


class Surroundings(Model):
    """Where revisions are built. `build` makes the fuzz target from a clean tree at `workdir`.

    `recipe` stands for an image that is built when it is first needed: a folder of OSS-Fuzz's form in the
    store's `recipes/`, followed as of `date` (seconds since 1970, UTC). `meant_for`: the commit that
    has to build in it, the fix where it is "". `origin`: where OSS-Fuzz has the recipe. `form` "arvo": the
    image is of ARVO, where the folder of the sources (`workdir` ""), the build, the replay and the
    PoC follow a fixed form.
    """

    image: str = Field(default="", max_length=300)
    recipe: str = Field(
        default="", pattern=r"^([A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,99}/[0-9a-f]{12})?$"
    )
    date: Count = 0
    meant_for: CommitId | Literal[""] = ""
    origin: RecipeOrigin | None = None
    form: Literal["", "arvo"] = ""
    workdir: Absolute | Literal[""] = "/src/repository"
    build: str = Field(min_length=1)
    timeout: Seconds = 600

    @model_validator(mode="before")
    @classmethod
    def _add_arvo_facts(cls, table: Any) -> Any:
        return (
            {**ARVO, **table} if isinstance(table, dict) and table.get("form") == "arvo" else table
        )

    @model_validator(mode="after")
    def _one_image(self) -> Surroundings:
        if not self.workdir and self.form != "arvo":
            raise ValueError("workdir is needed")
        if bool(self.image) is bool(self.recipe):
            raise ValueError("either image or recipe is needed")
        if self.origin and not self.recipe:
            raise ValueError("origin is a recipe's")
        return self

    later = frozenset({"origin"})


class ReplaySpec(Model):
    """`{poc}` in `command` stands for the PoC's path inside the sandbox.

    `carry`: globs of files (the fuzz target and what it is built by) that are taken from the fix where
    a revision lacks them. `replays`: how often a PoC is run to recognise a flaky crash.
    """

    command: str = Field(min_length=1)
    file: str | None = None
    origin: PocOrigin = PocOrigin()
    carry: tuple[Inside, ...] = ()
    timeout: Seconds = 60
    replays: int = Field(default=3, ge=1, le=50)


class Shipped(Model):
    """The developers' build, where the task's differs from `environment.build`."""

    build: str = ""
    poc_build: str = ""


class TraceSpec(Model):
    """The settings of B-SZZ: see `arena szz --help`.

    `oldest`: the first commit that has the fuzz target, if `poc.carry` does not show it. `read`: a VIC
    that somebody has read and confirmed, whatever speaks against it.
    """

    variant: str = "b-szz"
    paths: Literal["source", "all"] = "source"
    oldest: CommitId | Literal[""] = ""
    read: CommitId | Literal[""] = ""


class Case(Model):
    """A whole `case.toml`. `fix` lists a commit, or several (often a bisection range, in order).

    `unserved`: why OSS-Fuzz provides no environment, as "code: reason". `proof`: its VIC, where that
    is stated; `expected`: the results of its task elsewhere.
    """

    schema_: Literal[1] = Field(default=1, alias="schema")
    id: Name
    project: Name
    source: Literal["own", "arvo", "oss-fuzz", "pack"] = "own"
    title: str = ""
    repository: str = Field(min_length=1, max_length=1000)
    fix: tuple[CommitId, ...] = Field(min_length=1)
    language: Literal["c", "c++", ""] = ""
    cwe: tuple[Cwe, ...] = ()
    crash: CrashSpec = CrashSpec()
    oss_fuzz: OssFuzz = OssFuzz()
    environment: Surroundings | None = None
    unserved: str = Field(default="", max_length=1000)
    poc: ReplaySpec | None = None
    task: Shipped = Shipped()
    tests: Tests | None = None
    limits: LimitsSpec = LimitsSpec()
    szz: TraceSpec = TraceSpec()
    proof: ProofSpec | None = None
    expected: ExpectedSpec = ExpectedSpec()

    later = frozenset({"proof"})

    @model_validator(mode="before")
    @classmethod
    def _add_arvo_replay(cls, table: Any) -> Any:
        """An image of ARVO's needs no `[poc]`."""
        environment = table.get("environment") if isinstance(table, dict) else None
        if isinstance(environment, dict) and environment.get("form") == "arvo":
            replay = table.get("poc") or {}
            if isinstance(replay, dict):  # what is no table is refused behind this
                return {**table, "poc": {"command": ARVO_REPLAY, **replay}}
        return table

    @field_validator("fix", mode="before")
    @classmethod
    def _one_or_several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value


Defaults = Annotated[dict[str, object], "tables of case.toml that a project's cases share"]
