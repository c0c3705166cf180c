"""Elements of an HTML text, as browsers find them, in linear time whatever the text is.

After the tokenizer of the HTML Standard (Section 13.2.5). `html.parser` is not used, as it takes quadratic
time for texts written to that end, and differs from browsers on tags broken on purpose. A tag that the
text's end cuts is reported too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

TEXT = 200
# A tag's name begins with a letter and ends only at these characters: `<a"b` is a tag of that name.
_TAG = re.compile(r"<(/?)([A-Za-z][^\t\n\f\r />]*)")
# Browsers end a comment also at `--!>`, and at once in `<!-->` and `<!--->`.
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_BOGUS = re.compile(r"<(?:[!?]|/(?![A-Za-z]))[^>]*")
_NAME = re.compile(r"[\t\n\f\r /]*(=?[^\t\n\f\r />=]*)")
_EQUALS = re.compile(r"[\t\n\f\r ]*=[\t\n\f\r ]*")
# Leading zeros go first, so that `&#0000000060;` is still read as `<`.
_ZEROS, _HUGE = re.compile(r"&#0+(?=[0-9])"), re.compile(r"&#[0-9]{9,};?")
_BARE = re.compile(r"[^\t\n\f\r >]*")
# In these elements no tag is read but their own end.
_RAW = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}


class Attribute(NamedTuple):
    """`value` is what it means, `raw` how it is written."""

    name: str
    value: str
    raw: str


class HtmlElement(NamedTuple):
    """A start tag (name in lower case), and the start of the text behind it; all of it of a script."""

    tag: str
    attributes: tuple[Attribute, ...]
    text: str


def elements(text: str) -> Iterator[HtmlElement]:
    """The elements of an HTML text, in order."""
    at = text.find("<")
    while at >= 0:
        opening = _TAG.match(text, at)
        if opening is None:
            comment = _COMMENT.match(text, at) or _BOGUS.match(text, at)
            at = text.find("<", comment.end() if comment else at + 1)
            continue
        attributes, end = _attributes(text, opening.end())
        tag = opening[2].lower()
        at = text.find("<", end)
        if opening[1]:
            continue
        raw = _RAW.get(tag)
        if raw is None:
            behind = text[end : end + TEXT].partition("<")[0]
            yield HtmlElement(tag, attributes, behind)
            continue
        closing = raw.search(text, end)
        at = closing.start() if closing else -1
        yield HtmlElement(tag, attributes, text[end:at] if closing else text[end:])


def _attributes(text: str, at: int) -> tuple[tuple[Attribute, ...], int]:
    """The attributes of a tag whose name ends at `at`, and where the tag ends."""
    attributes: list[Attribute] = []
    while at < len(text):
        name = _NAME.match(text, at)
        if name is None:
            break
        at = name.end()
        if not name[1]:
            return tuple(attributes), at + 1
        raw = ""
        if equals := _EQUALS.match(text, at):
            raw, at = _value(text, equals.end())
        attributes.append(Attribute(name[1].lower(), _meaning(raw), raw))
    return tuple(attributes), len(text)


def _meaning(raw: str) -> str:
    """What a value means. A number of thousands of digits, which Python does not read, is no letter."""
    return html.unescape(_HUGE.sub("\ufffd", _ZEROS.sub("&#", raw)))


def _value(text: str, at: int) -> tuple[str, int]:
    quote = text[at : at + 1]
    if quote and quote in "\"'":
        end = text.find(quote, at + 1)
        end = len(text) if end < 0 else end
        return text[at + 1 : end], end + 1
    bare = _BARE.match(text, at)
    return (bare[0], bare.end()) if bare else ("", at)
