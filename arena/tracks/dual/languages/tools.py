"""Interpreters and compilers of candidates; their version is part of a result's key."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from functools import cache
from importlib.metadata import distributions

_VERSION_COMMANDS = {"javascript": ("node", "--version"), "cpp": ("g++", "-dumpfullversion")}


@cache
def version_of(language: str) -> str:
    """The interpreter or compiler of a language with its version; "" where there is none here.

    Python's names the installed packages too, by a digest: candidates import them.
    """
    if language == "python":
        versions = sorted(
            f"{distribution.name} {distribution.version}" for distribution in distributions()
        )
        packages = hashlib.sha256("\n".join(versions).encode()).hexdigest()[:12]
        return f"python {sys.version.split()[0]} packages {packages}"
    command = _VERSION_COMMANDS[language]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"{command[0]} {done.stdout.strip()}" if done.returncode == 0 else ""
