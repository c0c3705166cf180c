"""Errors of toolboxes, and the function that runs the programs that install them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# Variables of the user that would make a copied interpreter look outside its folder.
MISLEADING = ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
MAX_OUTPUT_LINES = 6


class ToolboxError(ValueError):
    """A toolbox cannot be installed or used; the message is a clear line that says why."""


def run(
    argv: Sequence[str | Path],
    *,
    log: Path | None = None,
    cwd: Path | None = None,
    more: Mapping[str, str] | None = None,
) -> str:
    """Run a program without input; returns what it printed on stdout, and adds all to `log`.

    more: variables beside those of the user.

    Raises ToolboxError with the last lines of its output.
    """
    env = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    env |= more or {}
    words = [str(word) for word in argv]
    try:
        done = subprocess.run(
            words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise ToolboxError(f"{words[0]}: {error.strerror}") from error
    if log is not None:
        with log.open("ab") as file:
            file.write(f"$ {' '.join(words)}\n".encode() + done.stdout + done.stderr)
    if done.returncode:
        lines = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        last_lines = " | ".join(line.strip() for line in lines[-MAX_OUTPUT_LINES:] if line.strip())
        raise ToolboxError(f"{Path(words[0]).name} ended with {done.returncode}: {last_lines}")
    return done.stdout.decode(errors="replace")
