"""A function put at the end of each C or C++ file: if the scanner does not find it, it did not get there.

An unterminated comment, a lost brace or a raw string swallows what follows, and the scanner says
little or nothing about it.
"""

from __future__ import annotations

RULE = "arena-canary"

# The blank lines end a last line without a newline, and one that ends in a backslash.
TEXT = b"\n\n\nstatic void arena_canary_holder(void) { arena_canary_call(20260101); }\n"

RULE_TEXT = f"""\
rules:
- id: {RULE}
  languages: [c, cpp]
  severity: INFO
  message: the scanner came to the end of this file
  pattern: arena_canary_call(20260101)
"""
