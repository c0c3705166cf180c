"""The completion prefix: code up to the hole, with a wording put into it as a comment."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping

from arena.tracks.exposure.tasks.schema import Stop

PLACEHOLDER = "{task}"
WIDTH = 96
# Bytes of a prefix or suffix.
MAX_CODE = 64 << 10
# Columns that a comment has, however deep it stands.
LEAST_TEXT = 40
_PROBES: Mapping[Stop, str] = {"block": "pass", "assignment": " None"}


def fill(template: str, wording: str) -> str:
    """`template` with the wording as a comment in place of `{task}`, indented as that is.

    White space at the end is cut off, as the paper does before generation (Appendix B.1): tokenisers join a
    line's end with the indentation that follows, so that no model was trained to go on after a bare line end.
    """
    lines = template.rstrip().splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip() == PLACEHOLDER)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at : at + 1] = _comment(wording, indent)
    return "\n".join(lines)


def _comment(wording: str, indent: str) -> list[str]:
    """The wording as comment lines. All white space counts as a space: no wording can leave its comment."""
    return textwrap.wrap(
        " ".join(wording.split()),
        width=max(WIDTH, len(indent) + LEAST_TEXT),
        initial_indent=f"{indent}# ",
        subsequent_indent=f"{indent}# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def problem_of(template: str, stop: Stop, suffix: str = "") -> str:
    """What is wrong with a prefix, in a single line, or ""."""
    places = [line for line in template.splitlines() if line.strip() == PLACEHOLDER]
    if len(places) != 1:
        return f"one line {PLACEHOLDER} is needed; there are {len(places)}"
    filled = fill(template, "What is asked for.")
    if filled.splitlines()[-1].lstrip().startswith("#"):
        return "ends in a comment, which a model would go on with"
    if stop == "assignment" and not filled.endswith("="):
        return 'must end right after "=" because stop is "assignment"'
    probe = _PROBES[stop] if stop == "assignment" else f"\n{inner_indent(filled)}{_PROBES[stop]}"
    # With the least that could stand in the hole.
    if error := _error(f"{filled}{probe}\n{suffix}"):
        return f"does not compile with {_PROBES[stop].strip()!r} in the hole: {error}"
    return ""


def inner_indent(prefix: str) -> str:
    """The indentation of the line that would follow: a step deeper after a colon."""
    last = prefix.splitlines()[-1]
    indent = last[: len(last) - len(last.lstrip())]
    return indent + "    " if last.rstrip().endswith(":") else indent


def _error(source: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "prefix.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return " ".join(str(error).split()) or type(error).__name__
    return ""
