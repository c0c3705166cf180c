"""Examples of operators, written as patches show changes."""

from __future__ import annotations

import re

from arena.tracks.mutation.operators._operator import MutantExample

HEADING = re.compile(r"^=== (?P<variant>\w+)(?P<how>| of the same|, left alone)\n", re.MULTILINE)
LINE = re.compile(r"(?:[-+ ] .*|[-+]?)\n")
GROUP = re.compile(r"(?:-(?: .*)?\n)+(?:\+(?: .*)?\n)*")


def examples(text: str, **code: str) -> tuple[MutantExample, ...]:
    """Examples, each below a heading: `=== VARIANT` and a program, whose lines begin with two characters:

    "- " where the variant takes a line away, "+ " where it adds a line, two spaces elsewhere. The operator
    has no result for a program that is `left alone`. `of the same`: a change of the program above; only lines
    that change are written, with an addition the line that it stands beside, and `...` between places.
    `+ <NAME>` stands for the lines of `code` of that name.
    Raises ValueError for a line that begins otherwise, and for a change that fits in several places or none.
    """
    for name, lines_of in code.items():
        text = text.replace(
            f"+ <{name}>\n", re.sub("^", "+ ", lines_of.rstrip("\n"), flags=re.M) + "\n"
        )
    pieces = HEADING.split(text)
    blocks: list[MutantExample] = []
    for variant, how, body in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        lines = body.splitlines(keepends=True)
        if how == " of the same":
            before = blocks[-1].before
            after = _apply_diff(before, lines)
        else:
            before, after = _side(lines, "-"), _side(lines, "+")
        blocks.append(MutantExample(variant, before, "" if how == ", left alone" else after))
    return tuple(blocks)


def _side(lines: list[str], mark: str) -> str:
    """What a patch's lines are before ("-") or after ("+") it."""
    if wrong := next((line for line in lines if not LINE.fullmatch(line)), None):
        raise ValueError(f"an example's line begins neither with -, + nor spaces: {wrong!r}")
    return "".join(line[2:] or "\n" for line in lines if line[0] in (mark, " ", "\n"))


def _apply_diff(before: str, lines: list[str]) -> str:
    """The program with each group of lines to be taken away, which it holds once, as those to be added."""
    for group in GROUP.findall("".join(lines)):
        marked = group.splitlines(keepends=True)
        old = _side(marked, "-")
        parts = re.split(f"^{re.escape(old)}", before, flags=re.MULTILINE)
        if len(parts) != 2:
            raise ValueError(f"an example's program does not hold {old!r} once")
        before = _side(marked, "+").join(parts)
    return before
