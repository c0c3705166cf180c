"""Which lines of a C or C++ file hold code: not blank, and not wholly inside a comment.

Preprocessor lines are code, and so is `*p = x;`, although it looks like the middle of a comment.
"""

from __future__ import annotations

import re

# Each form also takes its unterminated end, so that a broken file is read in linear time.
TOKEN = re.compile(
    rb"""
      (?P<comment> /\*.*?(?:\*/|\Z) | //(?:[^\\\n]|\\(?:\r?\n|.)?)* )
    | (?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
    | "(?:[^"\\\n]|\\(?:\r?\n|.)?)*"?
    | [0-9](?:'?[0-9A-Za-z_.])*
    | '(?:[^'\\\n]|\\(?:\r?\n|.)?)*'?
    | [A-Za-z_][A-Za-z_0-9]*
    | \s+
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def code_lines(content: bytes) -> list[bool]:
    """For each line of `content` (index 0 is line 1) whether it holds code."""
    holds = [False] * (content.count(b"\n") + 1)
    line = 0
    for match in TOKEN.finditer(content):
        token = match[0]
        more = token.count(b"\n")
        if match["comment"] is None and not token.isspace():
            for number in range(line, line + more + 1):
                holds[number] = True
        line += more
    return holds


def blank_lines(content: bytes) -> list[bool]:
    """For each line whether it holds anything but white space: for languages besides C and C++."""
    return [bool(line.strip()) for line in content.split(b"\n")]
