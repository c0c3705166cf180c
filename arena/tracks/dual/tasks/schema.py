"""`task.toml` and `tests.json` of the track `dual` as checked models. Unknown fields are mistakes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from arena.models.languages import Language
from tasks.schema import Absolute, Cwe, Inside, Model, Name

# C is compiled by the runner of C++, as C.
SUFFIXES: dict[str, Language] = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".c": "cpp",
}
Shape = Literal["function", "stdin", "http", "file", "cli"]
# The paper's domains (Section 3.3): file and filesystem; network and web; database; cryptography; system
# administration; data processing; user input and validation.
Domain = Literal["files", "web", "database", "crypto", "system", "data", "input", "other"]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f]*$", max_length=300)]
TestName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class FunctionSpec(Model):
    """A function that programs must define. Names in the spelling of a language match too."""

    name: Line
    parameters: tuple[Line, ...] = ()


class Io(Model):
    """How a program takes input and gives output; it leaves nothing to guess.

    function: `functions` are called. stdin: started with arguments and standard input, answers on standard
    output. cli: the same, and its exit status counts. http: listens on 127.0.0.1 at the environment's PORT.
    file: started with the paths `input` and `output` as its two arguments (in the working folder).
    """

    shape: Shape
    functions: tuple[FunctionSpec, ...] = ()
    input: Inside | None = None
    output: Inside | None = None

    @model_validator(mode="after")
    def _check_shape(self) -> Io:
        if (self.shape == "function") != bool(self.functions):
            raise ValueError("io.functions belongs to the shape `function`, and it needs some")
        if (self.shape == "file") != bool(self.input and self.output):
            raise ValueError("io.input and io.output belong to the shape `file`, and it needs both")
        return self


class DatabaseSpec(Model):
    """A SQLite database created by a script of SQL (both below `fixtures/`); its rows are watched."""

    file: Inside
    script: Inside | None = None


class ReplySpec(Model):
    """The answer of a remote service, which programs may query by HTTP (`host` with `path`)."""

    host: Line
    path: Line = ""
    status: int = Field(default=200, ge=100, le=599)
    headers: dict[str, str] = Field(default_factory=dict)
    body: str = ""


class PlaceSpec(Model):
    """What is around a program. `allowed`: globs below the working folder that tests may find changed."""

    databases: tuple[DatabaseSpec, ...] = ()
    allowed: tuple[Line, ...] = ()
    watched: tuple[Absolute, ...] = ()
    replies: tuple[ReplySpec, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)


class ProgramLimits(Model):
    """Seconds for each step and until a service listens; CPU seconds; MiB of memory and of files."""

    seconds: float = Field(default=10.0, gt=0, le=300)
    start: float = Field(default=10.0, gt=0, le=300)
    cpu: float = Field(default=20.0, gt=0, le=600)
    memory: int = Field(default=512, ge=32, le=8192)
    processes: int = Field(default=64, ge=8, le=1024)
    disk: int = Field(default=64, ge=1, le=4096)


class VariantSpec(Model):
    """A program that must fail: `insecure` programs are functionally correct but weak; `broken` ones are not.

    fails: ids of the tests that must fail on it, each of which must be of that kind of suite.
    """

    file: Inside
    kind: Literal["insecure", "broken"]
    fails: tuple[TestName, ...] = Field(min_length=1)
    cwe: Cwe | None = None


class OracleSpec(Model):
    """Suites that are code: the modules lie in the task's folder `oracle/`, and no program ever sees them.

    form: pytest (tests with the marks `functionality` and `security`, of functions) or baxbench (functions
    over an application, of services). module: the module that has the tests. program: what that module calls
    the program: the module that it imports the functions from, or BaxBench's name of the environment.
    A step of the tests is {"test": name}; {"oracle": "tested"} judges what it came to.
    """

    form: Literal["pytest", "baxbench"]
    module: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
    program: Line = ""


class DualTaskSpec(Model):
    """A whole `task.toml`."""

    schema_: Literal[1] = Field(alias="schema")
    id: Name
    title: Line = ""
    domain: Domain = "other"
    level: Literal["function", "program"] = "function"
    cwe: tuple[Cwe, ...] = ()
    languages: tuple[Language, ...] = Field(min_length=1)
    io: Io
    interface: dict[Language, str] = Field(default_factory=dict)
    place: PlaceSpec = PlaceSpec()
    limits: ProgramLimits = ProgramLimits()
    oracle: OracleSpec | None = None
    variants: tuple[VariantSpec, ...] = ()
    origin: Line = ""
    # Of an imported task: whether a program passes its tests. A task that is withheld is not run.
    proof: Literal["", "proven", "unproven", "held"] = ""
    # Why it is withheld.
    held: Line = ""

    @model_validator(mode="after")
    def _expect_matching_shape(self) -> DualTaskSpec:
        shapes = {"pytest": "function", "baxbench": "http"}
        if self.oracle is not None and self.io.shape != shapes[self.oracle.form]:
            raise ValueError(
                f"oracle.form {self.oracle.form} tests the shape {shapes[self.oracle.form]}"
            )
        return self


class Expectation(Model):
    """An oracle with its parameters; `step` is the step it looks at (default: the last)."""

    oracle: Line
    step: int | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, value: Any) -> Any:
        """On disk the parameters stand beside `oracle` and `step`."""
        # Built in code, or read back from a model's own dump.
        if not isinstance(value, dict) or "parameters" in value:
            return value
        own_fields = {name: value[name] for name in ("oracle", "step") if name in value}
        return {**own_fields, "parameters": {n: v for n, v in value.items() if n not in own_fields}}


class TestSpec(Model):
    """A test: its steps in a fresh jail, and what must hold.

    `steps` are as `arena.tracks.dual.runner.order.Order` has them, by the shape (function: "call", http:
    "serve", the rest: "run"); for the shape `file` a step is {"content": text or {"$bytes"}}. `files`,
    `links`, `canaries`, `secrets` add to the jail for this test. `judge`: the question to a model, where
    only a model can decide; a test without expectations and without `judge` has no verdict, and `untyped`
    gives the reason. Nor has a test with `lacks`, which names what it needs and the pack lacks (a fixture, a
    remote service), nor a test that is `quarantined`, for that reason.
    """

    id: TestName
    title: Line = ""
    cwe: str = ""
    steps: tuple[dict[str, Any], ...] = Field(default=(), max_length=100)
    expect: tuple[Expectation, ...] = ()
    files: dict[str, Any] = Field(default_factory=dict)
    links: dict[str, str] = Field(default_factory=dict)
    canaries: tuple[Name, ...] = ()
    secrets: dict[str, str] = Field(default_factory=dict)
    limits: ProgramLimits | None = None
    judge: str = ""
    survives: bool = True
    untyped: str = ""
    lacks: str = ""
    quarantined: str = ""


class SuitesSpec(Model):
    """A whole `tests.json`."""

    functional: tuple[TestSpec, ...] = ()
    security: tuple[TestSpec, ...] = ()

    @model_validator(mode="after")
    def _unique(self) -> SuitesSpec:
        ids = [test.id for test in (*self.functional, *self.security)]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"test ids are there twice: {', '.join(twice)}")
        return self
