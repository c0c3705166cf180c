"""The lines of a build's output that say why it failed."""

from __future__ import annotations

import re

# Bytes of the output's end that are looked at.
TAIL_BYTES = 1 << 20
ERROR = re.compile(
    r"\b(?:fatal )?error\b\s*:|undefined reference|multiple definition|cannot find -l|No such file or"
    r"|No rule to make target|command not found|Permission denied|^arena: no |syntax error|: not found$"
    r"|\*\*\* \[[^\[\]]*\] Error|Traceback|CMake Error|ERROR:|unable to|cannot (?:stat|open|create)",
)
# Lines in which such words mean nothing: commands that a shell echoes, counts, what configure looks for.
NO_ERROR = re.compile(r"^\+|generated?\.$|-Wno-error|checking |ERROR:\s+0$")
# Without this a coloured `error:` is not recognised, since escapes stand between its letters and the colon.
# What compilers colour their words with where they are asked to, as Meson does.
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def error_lines(output: bytes, max_lines: int) -> list[str]:
    """The first lines of a build's output that name an error; without any, the last line."""
    text = COLOUR.sub("", output[-TAIL_BYTES:].decode("utf-8", "replace"))
    lines = ["".join(c if c.isprintable() else "?" for c in line) for line in text.splitlines()]
    errors = [line for line in lines if ERROR.search(line) and not NO_ERROR.search(line)]
    return errors[:max_lines] or [line for line in lines if line.strip()][-1:]
