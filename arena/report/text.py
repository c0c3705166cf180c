"""Makes text from hostile sources safe for a terminal."""

from __future__ import annotations

PLAIN_CONTROLS = frozenset("\n\t")


def visible(text: str) -> str:
    """Replace control characters and unprintable text, so that no escape sequence reaches a terminal."""
    return "".join(
        # Marks of direction are not printable either: they could turn the rest of a line around.
        c if c.isprintable() or c in PLAIN_CONTROLS else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def one_line(text: str) -> str:
    """`visible`, with line ends and tabs as spaces: hostile text can neither add a line nor a column."""
    return visible(" ".join(text.split()))


def first_line(text: str) -> str:
    """The first line of a text, `visible` and with tabs as spaces."""
    return one_line(text.partition("\n")[0])


def natural(name: str) -> tuple[str, int, str]:
    """Sorts CWE-20 before CWE-117."""
    head, _, tail = name.rpartition("-")
    # Cut, since `int` raises for thousands of digits; `isascii`, since `isdigit` takes superscripts.
    return (head, int(tail[:18]), name) if tail.isascii() and tail.isdigit() else (name, 0, name)
