"""Command lines that run the parts of a suite in sequence, for suites that do not report by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# The format of what `run_by_exit_code` prints: weak, since it says one bit a part.
BY_EXIT_CODE = "exit-codes"

# Before a program that people run by hand: one that waits for something is no test, and ends.
BOUNDED = "timeout -k 5 60"


def run_by_exit_code(parts: Mapping[str, str]) -> str:
    """A line that runs each part (plain name -> command) and prints its exit code under its name.

    What a part says on stderr comes behind what it says on stdout, lest it tear the lines that name tests.
    """
    ran = [
        f"( {line} ) 2>$err; code=$?; cat $err; printf '\\nexit code of %s: %s\\n' {name} $code; "
        "[ $code = 0 ] || bad=$code; "
        for name, line in parts.items()
    ]
    return f"bad=0; err=$(mktemp); {''.join(ran)}echo 'exit codes: {len(parts)}'; exit $bad"


def each_into(folder: str, interpreter: str, scripts: Sequence[str], ending: str) -> str:
    """A line that runs scripts (paths or globs), the output of each in a report file in `folder`."""
    return (
        f"mkdir -p {folder}; status=0; for t in {' '.join(scripts)}; do "
        f'n=$(printf %s "$t" | tr / -); {interpreter} "$t" > {folder}/${{n%.t}}.{ending} || status=1; '
        "done; exit $status"
    )
