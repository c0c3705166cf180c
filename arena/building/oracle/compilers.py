"""Compilers that measure: wrappers in a folder before the real ones in PATH, which add `--coverage`."""

from __future__ import annotations

import re
import shlex

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox.base import SandboxDied

FOLDER = "/tmp/.arena-coverage"  # noqa: S108 - a path inside the sandbox
BIN = f"{FOLDER}/bin"
MAX_COMPILERS = 100
_NAMES = r"(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|c89|c99)(?:-[0-9]{1,2}(?:\.[0-9]{1,2})?)?"
_COMPILER = re.compile(rf"(?:[a-z0-9_]+-linux-gnu-)?{_NAMES}")
_BY_PATH = re.compile(rf"(?:^|[\s=\"'(])(/[\w./+-]*/{_COMPILER.pattern})(?=$|[\s\"');&|])")

# Partial links and programs without a C library have no place for the counters. PATH goes back to what
# it was, so that ccache, which looks for the next compiler in PATH, does not find this one.
_SCRIPT = """\
#!/bin/sh
PATH={path}
export PATH
for word do
    case $word in
    -nostdlib | -nodefaultlibs | -nostartfiles | -ffreestanding | -r) exec {real} "$@" ;;
    esac
done
exec {real} "$@" {flags}
"""
_FLAGS = "--coverage"
_CLANG_FLAGS = f"{_FLAGS} -Wno-unused-command-line-argument"  # -Werror must not see what is added

_LIST = (
    'IFS=:; for folder in $PATH; do ls -1 "$folder" 2>/dev/null; done; printf \'\\n=%s\\n\' "$PATH"'
)


def put_compilers(box: Sandbox) -> str:
    """Put a wrapper for each compiler of a started sandbox; returns the PATH to use.

    Raises SandboxDied when the sandbox cannot even list its programs.
    """
    # The image's PATH, not this machine's: its compilers may lie anywhere.
    listed = box.exec(Command(_LIST, "/", 60)).output.decode(errors="replace")
    names, mark, rest = listed.rpartition("\n=")
    path = rest.partition("\n")[0]
    if not mark or not path:
        raise SandboxDied("PATH of the sandbox cannot be read")
    compiler_names = sorted({name for name in names.split() if _COMPILER.fullmatch(name)})[
        :MAX_COMPILERS
    ]
    joined_names = " ".join(compiler_names)
    line = (
        f'for name in {joined_names}; do echo "$name $(command -v "$name")"; done'
        if compiler_names
        else "true"
    )
    output = box.exec(Command(line, "/", 60)).output.decode(errors="replace")
    wrappers = {}
    for entry in output.splitlines():
        name, _, real = entry.partition(" ")
        if name in compiler_names and real.startswith("/"):
            flags = _CLANG_FLAGS if "clang" in name else _FLAGS
            script = _SCRIPT.format(path=shlex.quote(path), real=shlex.quote(real), flags=flags)
            wrappers[f".arena-coverage/bin/{name}"] = script.encode()
    box.put(wrappers, "/tmp", executable=True)  # noqa: S108 - a path inside the sandbox
    return f"{BIN}:{path}"


def compilers_by_path(*lines: str) -> list[str]:
    """Compilers that command lines name by an absolute path, which bypasses the wrappers."""
    return sorted({match[1] for line in lines for match in _BY_PATH.finditer(line[: 64 << 10])})
