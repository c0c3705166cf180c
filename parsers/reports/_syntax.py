"""Whether a text is a document, XML or JSON, which quotes reports but is none of those it quotes."""

from __future__ import annotations

import re
from typing import NamedTuple

TEXT = "text"
XML = "xml"
JSON = "json"
_HEAD_CHARACTERS = 64 * 1024
_TAIL_CHARACTERS = 1024
_XML = re.compile(r"[^\S\n]*(?:<\?xml[ ]|<!DOCTYPE[ ]|<!--|<[A-Za-z_][\w.:-]*[\s>/])")
_JSON = re.compile(r"\s*(?:\{\s*(?:\"|\})|\[\s*[\[{])")
_LATER = re.compile(r"<\?xml |<testsuites?[\s>]")
_CLOSED = re.compile(r"</[A-Za-z_][\w.:-]*>\s*\Z")


class Syntax(NamedTuple):
    """What a text is written in, and where its document begins."""

    name: str
    start: int


def document_syntax(text: str) -> Syntax | None:
    """The document that `text` is, or ends with behind unrelated output; None if there is none."""
    start = len(text) - len(text.lstrip())
    if _XML.match(text, start):
        return Syntax(XML, start)
    if _JSON.match(text, start):
        return Syntax(JSON, start)
    later = _LATER.search(text, 0, _HEAD_CHARACTERS)
    # Without its closing tag at the end, the XML may be what a test printed into a plain report.
    closed = later and _CLOSED.search(text, max(len(text) - _TAIL_CHARACTERS, later.start()))
    return Syntax(XML, later.start()) if later and closed else None
