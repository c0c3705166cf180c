"""Whether a text can be an agent's instruction: whole, plain, of a sane length, and no talk of a chat."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# How a draft begins; see `draft.py`.
REVIEW = "<!-- needs review:"
_PREAMBLE = re.compile(
    r"(?i)\W*(?:sure|certainly|of course|okay|ok|absolutely|great|understood|got it)\b[,.!:\u2014]"
    r"|\W*(?:here(?:'s| is| are)|below is|the following is) (?:the |a |an |your )?(?:\w+ ){0,4}"
    r"(?:requirements?|descriptions?|instructions?|text|rewrite|version)\b"
    r"|\W*(?:requirements?(?: description)?|description|instruction|output|answer) ?:"
    r"|\W*(?:i(?:'m| am) sorry|i can(?:no|')t|i am unable|i apologi[sz]e|as an ai|unfortunately, i)\b|<think"
)
_CHAT = re.compile(
    r"(?i)\b(?:let me know (?:if|whether)|i hope th(?:is|at)|feel free to ask|as an ai (?:language )?model"
    r"|would you like me to|i (?:have )?(?:revised|rewritten|removed|updated) the "
    r"(?:text|description|instruction))\b"
)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_OPEN_ITEM = re.compile(r"\s{0,8}(?:[-*+]|\d{1,3}[.)])\s|\s{0,8}\|")
_LOOSE_END = re.compile(
    r"(?i)(?:[,(\[{=+&/\u2014-]|\b(?:and|or|the|an|of|to|with|for|that|which|when|if|is|are|be|by|in))$"
)
_END = re.compile(r"[.!?:;)\]}\"'`\u2019\u201d*_|]$")


def length(text: str, min_words: int, max_words: int) -> Iterator[str]:
    """A word is what white space separates."""
    words = len(text.split())
    if not words:
        yield "the text is empty"
    elif not min_words <= words <= max_words:
        yield f"{words} words; {min_words} to {max_words} are wanted"


def characters(text: str) -> Iterator[str]:
    """Control and invisible characters: an agent's terminal and a reader would see another text."""
    odd_characters = {
        c for c in text if c not in "\n\t\r" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")
    }
    if odd_characters:
        yield "control or invisible characters: " + ", ".join(
            f"U+{ord(c):04X}" for c in sorted(odd_characters)[:5]
        )
    if "\r" in text.replace("\r\n", "\n"):
        yield "a carriage return that ends no line"
    if "\N{REPLACEMENT CHARACTER}" in text:
        yield "bytes that are no UTF-8"


def chat(text: str) -> Iterator[str]:
    """An answer's opening and closing, which are no part of a requirement."""
    opening = _PREAMBLE.match(text[:400])
    if opening:
        yield f"opens like an answer in a chat: {opening[0].strip()!r}"
    closing = _CHAT.search(text)
    if closing:
        yield f"speaks to the one who asked: {closing[0]!r}"
    body = text.strip()
    fences = _FENCE.findall(body)
    if len(fences) == 2 and body.startswith(fences[0]) and body.endswith(fences[1]):
        yield "the whole text is one code block"


def signs_of_cut(text: str) -> Iterator[str]:
    """Signs that the end is missing."""
    lines = text.rstrip().splitlines()
    if not lines:
        return
    last = lines[-1].rstrip()
    if len(_FENCE.findall(text)) % 2:
        yield "a code block is never closed"
    elif _LOOSE_END.search(last):
        yield f"ends in the middle of a sentence: {last[-40:]!r}"
    elif not (_END.search(last) or _OPEN_ITEM.match(last) or last.startswith(("    ", "\t"))):
        yield f"the last sentence has no end: {last[-40:]!r}"


def find_review_mark(text: str) -> Iterator[str]:
    """A draft that nobody has reviewed is no instruction."""
    if REVIEW in text:
        yield f"still marked as needing review ({REVIEW} ...)"
