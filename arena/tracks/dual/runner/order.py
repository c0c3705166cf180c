"""An order for the runner: the input, the command, and the steps of a test.

Nothing of an order is secret but its `secrets`; expected values have no place in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

MIB = 1 << 20

# The working folder of programs; fixtures and the program's file are put here.
HOME = "/srv/app"
# A file that no program under test has any business with.
SECRET = "/srv/secret.txt"  # noqa: S105 - a path
# The command, looked up on PATH, whose execution is recorded.
CANARY = "canary"
# Where every name resolves to (and where every other address leads to): the sinkhole for connections.
SINK = "198.51.100.7"

Shape = Literal["call", "run", "serve"]


@dataclass(frozen=True)
class RunLimitsSpec:
    """Limits of a test. Seconds are wall time for each step (`start`: until a service listens, or an import
    is done); `cpu` seconds, bytes of memory and number of processes are for all that the program starts.
    """

    seconds: float = 10.0
    start: float = 10.0
    cpu: float = 20.0
    memory: int = 512 * MIB
    processes: int = 64
    output: int = 2 * MIB
    disk: int = 64 * MIB


@dataclass(frozen=True)
class Copy:
    """A file or folder of the host, copied afresh for each order to `target` (absolute; writable)."""

    source: str
    target: str


@dataclass(frozen=True)
class Bind:
    """A file or folder of the host, mounted read-only at `target` (absolute). For kits and built programs."""

    source: str
    target: str


@dataclass(frozen=True)
class RunReply:
    """What the sinkhole answers to an HTTP request for `host` and `path` ("" for any): a stand-in for another
    service. Without a fitting reply it answers 200 with the text "sink".
    """

    host: str
    path: str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""


@dataclass(frozen=True)
class CodeSuite:
    """A suite that is code. It runs beside the program, which cannot look into it.

    form: how its tests are listed and called (`drivers/suite_<form>.py`). module: the module that has them.
    program: the module's name for the program. files: path -> content, of all its modules and their data.
    """

    form: str
    module: str
    program: str = ""
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Order:
    """A test of a program.

    `shape` says what a step is:

    - "run": the program is started for each step, over the same state. Step:
      {"args": [str], "stdin": str | {"$bytes": base64}, "env": {name: value}}; all may be left out.
    - "serve": the program is started once, with the environment variable PORT; when it listens, each step
      is an HTTP request: {"method", "path", "query": {}, "headers": {}, "form": {}, "json": any,
      "body": str | {"$bytes"}, "multipart": [{"name", "filename", "content", "type"}], "save": {},
      "raw": bool}. Cookies persist from step to step. "save" {"token": "/json/pointer" | "header:Name"}
      saves a value of the response; "${token}" in later steps stands for it. `path` is sent
      percent-encoded where it must be; with "raw" exactly as it is.
    - "call": the program is a driver that speaks the channel's protocol
    (`arena/tracks/dual/runner/drivers/`). Step:
      {"call": name, "args": [value], "kwargs": {name: value}}; values are JSON with tags, see `values.py`.

    With `suite` (shapes "serve" and "call") a step is a test of the suite, {"test": name}; its `value` is the
    result: {"passed": bool or None where it could not be completed, "why", "cwes": ["CWE-22"]}. Or it
    is {"list": true}: `value` is {"tests", "facts"}, and no program is started. open_root: files may be put
    in the root, as in a container for the program alone.

    argv: the command. folder: where it starts. stdin: "run" only, when the step has none.
    hooks: names of hook sets to preload ("python", "javascript", "native"); they write
    `RunObservation.calls`.
    files, links: path -> content, path -> where the link leads; created afresh, after the copies.
    secrets: path -> content, put in the jail (the tokens go to oracles, never to the program).
    canaries: further command names whose execution is recorded and does nothing ("rm", "curl").
    databases: SQLite files (paths below `folder`) whose rows are recorded before and after.
    watched: folders whose tree is compared before and after; HOME and /tmp always are.
    fetch: files to give back as bytes (built programs).
    seed: with a number, the weak generators (Python's random, JavaScript's Math.random, C's rand and the
    clock's seconds where they can be) start from it: two orders that differ in nothing else show what is
    predictable. coverage: record which statements of the files `covered` (absolute paths) ran.
    """

    shape: Shape
    argv: tuple[str, ...]
    steps: tuple[dict[str, Any], ...]
    folder: str = HOME
    copies: tuple[Copy, ...] = ()
    binds: tuple[Bind, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    canaries: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    fetch: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    replies: tuple[RunReply, ...] = ()
    limits: RunLimitsSpec = field(default_factory=RunLimitsSpec)
    seed: int | None = None
    suite: CodeSuite | None = None
    open_root: bool = False
    coverage: bool = False
    covered: tuple[str, ...] = ()
