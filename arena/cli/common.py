"""What the commands share: options, output, and the backend that a user chose."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.report.text import one_line

if TYPE_CHECKING:
    from harness.grade.sast import Scanner
    from harness.sandbox.base import Backend

OK, UNMET, MISTAKE, UNLABELLED = 0, 1, 2, 3

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
PackOption = Annotated[
    str, typer.Option("--pack", help="A pack's folder, or the name of one that ships.")
]
SandboxOption = Annotated[
    str, typer.Option("--sandbox", envvar="ARENA_SANDBOX", help="docker, local, or auto.")
]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=0, help="Attempts at a time; 0: one a CPU.")
]
ScannerOption = Annotated[
    str,
    typer.Option(
        "--sast", help="builtin, a rules folder, p/..., or tool:COMMAND; default: the task's."
    ),
]


def tell(text: str) -> None:
    """A line for people, on stderr so that stdout stays for results."""
    print(one_line(text), file=sys.stderr)


def emit(value: Any) -> None:
    """One JSON value on one line of stdout."""
    print(json.dumps(value, ensure_ascii=True), flush=True)


def asked_now(ledger: Mapping[str, Any]) -> str:
    """A gateway's usage in words; {} where all answers were in the store."""
    if not ledger:
        return "nothing was asked now"
    tokens = f"{ledger['input_tokens']} + {ledger['output_tokens']} tokens"
    return f"{ledger['calls']} calls, {tokens}, {ledger['usd']:.4f} USD"


def known_scanner(name: str) -> Scanner:
    """The scanner that a user named. Raises ValueError when there is none of that name."""
    from harness.grade.sast import ScanFailed, load_scanner

    try:
        return load_scanner(name)
    except ScanFailed as error:
        raise ValueError(f"--sast: {error}") from error


def choose_backend(name: str, say: Callable[[str], None] = tell) -> Backend:
    """The sandbox backend by name; `auto` takes docker where an engine answers, else local.

    Raises EngineUnavailable with what is missing and how to get it.
    """
    from harness.sandbox.base import EngineUnavailable
    from harness.scratch import sweep_scratch
    from parsers.registry import lookup

    package = "harness.sandbox.backends"
    reasons: list[str] = []
    for candidate in ("docker", "local") if name == "auto" else (name,):
        backend: Backend = lookup(package, candidate)(say)
        missing = backend.available()
        if not missing:
            if reasons:
                say(f"no container engine ({reasons[0]})")
                say(f"using the {candidate} sandbox, which does not isolate:")
                for line in backend.not_isolated():
                    say(f"  - {line}")
            for removed in (*backend.clean(), *sweep_scratch()):
                say(f"removed what a dead run left behind: {removed}")
            return backend
        reasons.append(missing)
    raise EngineUnavailable("; ".join(reasons))
