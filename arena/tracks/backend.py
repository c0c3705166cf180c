"""The sandbox backend and the scanner that a user named, wherever a track is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.grade.sast import Scanner
    from harness.sandbox.base import Backend


def choose_backend(name: str, say: Callable[[str], None]) -> Backend:
    """The sandbox backend by name; `auto` takes docker where an engine answers, else local.

    Raises UnknownName, or EngineUnavailable with what is missing and how to get it.
    """
    from harness.sandbox.base import EngineUnavailable
    from harness.scratch import sweep_scratch
    from parsers.registry import UnknownName, lookup, names

    package = "harness.sandbox.backends"
    if name not in ("auto", *names(package)) and ":" not in name:
        backends = ", ".join(names(package))
        raise UnknownName(
            f"unknown sandbox {name!r}; known: auto, {backends} (docker: Podman's socket too)"
        )
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
            if removed := (*backend.clean(), *sweep_scratch()):
                what = f"{len(removed)}, such as {removed[0]}" if len(removed) > 1 else removed[0]
                say(f"removed what a dead run left behind: {what}")
            return backend
        reasons.append(missing)
    raise EngineUnavailable("; ".join(reasons))


def known_scanner(name: str) -> Scanner:
    """The scanner that a user named. Raises ValueError when there is none of that name."""
    from harness.grade.sast import ScanFailed, load_scanner

    try:
        return load_scanner(name)
    except ScanFailed as error:
        raise ValueError(f"--sast: {error}") from error
