"""What commands print, and how they end: of `arena/cli`, and of the studies and imports that tracks bring."""

from __future__ import annotations

import json
import sys
from typing import Any

from arena.report.text import one_line

# Exit codes; docs/commands.md says when each is given.
OK, UNMET, MISTAKE, UNLABELLED = 0, 1, 2, 3
MAX_PRINTED = 20


def print_err(text: str) -> None:
    """A line for people, on stderr so that stdout stays for results."""
    print(one_line(text), file=sys.stderr)


def print_first(what: str, lines: list[str]) -> None:
    """The first of many lines, and how many there are."""
    for line in lines[:MAX_PRINTED]:
        print_err(f"{what}: {line}")
    if len(lines) > MAX_PRINTED:
        print_err(f"{what}: {len(lines)} in all; the first {MAX_PRINTED} are shown")


def emit(value: Any) -> None:
    """One JSON value on one line of stdout."""
    print(json.dumps(value, ensure_ascii=True), flush=True)
