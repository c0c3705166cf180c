"""Which of an endpoint's tokens are those of a text: decided by what they spell, never taken on trust.

Tokens come in many writings: marks for spaces, single bytes of a multi-byte character, replacement
characters. So what is compared is what all of them preserve, ASCII characters that are no space; where the
tokens put together are the text itself, that is enough for a text of any script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_SPECIAL = re.compile(r"<[^<>\s]{1,40}>|\[[A-Z]{2,8}\]")
SHOWN = 24
# Characters of one token; it is rarely more than 20.
LONGEST = 48


class Misspelled(ValueError):
    """The tokens are not those of the text; the message says where."""


def spelling_span(tokens: Sequence[str], text: str, max_after: int) -> tuple[int, int]:
    """(first, end) of the tokens that spell the text from their beginning.

    They include a mark for the beginning (such as "<s>"). max_after: so many tokens may follow, those that
    were generated. Raises Misspelled.
    """
    start = 1 if _begins(tokens, text) else 0
    # Exact first: it needs no letters, and so holds for every script.
    exact = _exact_end(tokens, start, text)
    end = exact if exact is not None else _loose_end(tokens, start, text)
    after = len(tokens) - end
    if after > max_after:
        raise Misspelled(
            f"{len(tokens)} tokens, of which {after} come after the text; only {max_after} was asked for"
        )
    return 0, end


def within(tokens: Sequence[str], text: str) -> tuple[int, int]:
    """(first, end) of the tokens that spell the text somewhere, the last time. Raises Misspelled."""
    keys = [_key(token) for token in tokens]
    wanted = _key(text)
    if not wanted:
        raise Misspelled("a text without ASCII letters cannot be found within a chat")
    ends = list(accumulate(len(key) for key in keys))
    # The last time: a template may repeat a part of the text before it.
    begin = "".join(keys).rfind(wanted)
    if begin < 0:
        raise Misspelled(f"the tokens do not spell {text[:SHOWN]!r} anywhere")
    first = next(i for i, end in enumerate(ends) if end > begin)
    last = next(i for i, end in enumerate(ends) if end >= begin + len(wanted))
    # The probability of such a token is not the text's alone.
    if ends[first] - len(keys[first]) != begin or ends[last] != begin + len(wanted):
        raise Misspelled("a token is partly the text's, partly the chat template's")
    return first, last + 1


def all_but_first(tokens: Sequence[str], text: str) -> None:
    """Check that all tokens but the first, whose spelling is unknown, spell the end of the text.

    The first is then a mark for the beginning, or a token's length of the text. Raises Misspelled.
    """
    rest = "".join(tokens[1:])
    if text.endswith(rest) and len(text) - len(rest) <= LONGEST:
        return
    wanted, result = _key(text), "".join(_key(token) for token in tokens[1:])
    if not result or not wanted.endswith(result) or len(wanted) - len(result) > LONGEST:
        raise Misspelled(f"the tokens spell {rest[:SHOWN]!r}, the text is {text[:SHOWN]!r}")


def _begins(tokens: Sequence[str], text: str) -> bool:
    """Whether a mark for the beginning, which is no part of the text, stands first."""
    first = tokens[0] if tokens else ""
    if not first:
        return bool(tokens)
    return bool(_SPECIAL.fullmatch(first)) and not text.lstrip().startswith(first)


def _exact_end(tokens: Sequence[str], start: int, text: str) -> int | None:
    """Where the tokens put together are exactly the text, or None; without empty tokens after it."""
    at = 0
    for number in range(start, len(tokens)):
        if at == len(text):
            return number
        if not text.startswith(tokens[number], at):
            return None
        at += len(tokens[number])
    return len(tokens) if at == len(text) else None


def _loose_end(tokens: Sequence[str], start: int, text: str) -> int:
    wanted = _key(text)
    if not wanted:
        raise Misspelled("the tokens are not the text, which has no ASCII letters to tell more by")
    at = 0
    for number in range(start, len(tokens)):
        key = _key(tokens[number])
        if not wanted.startswith(key, at):
            raise Misspelled(
                f"token {number} is {tokens[number][:SHOWN]!r} where {wanted[at : at + SHOWN]!r} is expected"
            )
        at += len(key)
        if at == len(wanted):
            return _trailing(tokens, number + 1, text)
    raise Misspelled(f"the tokens end where {wanted[at : at + SHOWN]!r} is expected")


def _trailing(tokens: Sequence[str], end: int, text: str) -> int:
    """The end after tokens of the text's last spaces or non-ASCII letters; the last token was generated."""
    rest = len(text) - len(text.rstrip()) or not text[-1].isascii()
    while rest and end < len(tokens) - 1 and not _key(tokens[end]):
        end += 1
    return end


def _key(text: str) -> str:
    """ASCII characters that are no space; a token that only stands for a byte has none."""
    if text.startswith("bytes:") or _BYTE.fullmatch(text):
        return ""
    return "".join(c for c in text if c.isascii() and not c.isspace())
