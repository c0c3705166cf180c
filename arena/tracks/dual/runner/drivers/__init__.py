"""Drivers, each for a language: they load a candidate and make calls for the runner.

This folder is bound read-only at `AT` in the jail; nothing in it imports the project. `argv` says how a
driver is started. A driver speaks JSON lines on the two descriptors named in ARENA_CHANNEL ("3,4"): first
it writes {"ready": true, "names": {name: match}} or {"failed": {"kind", "type", "text", "name"}}; then for
each line {"call", "args", "kwargs"} it writes {"value"} or {"raised", "bases", "text"}, until the input ends.
Values are JSON with the tags of `arena/tracks/dual/tasks/values.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

# Where this folder is, in the jail.
AT = "/opt/arena/drivers"

# Kinds of "failed": why a candidate could not be loaded. C++ fails when it is built: `cpp.failure`.
FAILURES = (
    "syntax-error",
    "missing-dependency",
    "import-error",
    "no-entry-point",
    "died",
)


def call_argv(
    language: str, candidate: str, entries: Sequence[str], *, at: str = AT
) -> tuple[str, ...]:
    """The command of the driver that loads the file `candidate` and finds `entries` in it.

    language: "python" or "javascript"; for "cpp" the candidate is the program that `cpp.build` compiles.
    Raises ValueError for any further language.
    """
    if language == "python":
        return (sys.executable, f"{at}/call.py", candidate, *entries)
    if language == "javascript":
        return ("node", f"{at}/call.js", candidate, *entries)
    if language == "cpp":
        return (candidate,)
    raise ValueError(f"language: {language!r} has no driver; there are python, javascript, cpp")
