"""What an input would bring into a page, and whether a page has it."""

from __future__ import annotations

import re
from typing import NamedTuple

from arena.tracks.dual.oracles._html import HtmlElement, elements
from arena.tracks.dual.oracles._texts import brief

URLS = frozenset(
    ("href", "src", "action", "formaction", "xlink:href", "data", "poster", "background", "ping")
)
OWN_TAG = "x-own"
# Characters from which on an input is known within an address.
PART = 4
_SCHEMES = ("javascript:", "vbscript:", "data:text/html", "data:image/svg", "data:text/xml")
# Browsers leave out tabs and line breaks within a scheme, and blanks and control characters before it.
_BLANK = re.compile(r"[\x00-\x20\x7f]+")
_CALL = re.compile(r"[\w.$]{1,60}\([^()\n]{0,100}\)")
_MARKUP = re.compile(r"<[A-Za-z/!?]")
_QUOTES = re.compile(r"[<>'\"`\\]")
# The same text breaks out of a page in different ways: it depends on where the page puts it.
_CONTEXTS = ("{}", f'<{OWN_TAG} y="{{}}">', f"<{OWN_TAG} y='{{}}'>", f"<{OWN_TAG} y={{}}>")
Pairs = frozenset[tuple[str, str]]


class Brought(NamedTuple):
    """What a payload would be in a page that does not escape it: elements, attributes, code, an address."""

    payload: str
    elements: frozenset[tuple[str, Pairs, str]]
    attributes: Pairs
    code: str
    address: str


def _pairs(element: HtmlElement) -> Pairs:
    return frozenset((attribute.name, attribute.value.strip()) for attribute in element.attributes)


def _bare(text: str) -> str:
    return _BLANK.sub("", text).lower()


def parse_payload(payload: str) -> Brought:
    """A payload, read as text between tags and within each kind of attribute value."""
    tags, attributes = set(), set()
    for context in _CONTEXTS:
        for element in elements(context.replace("{}", payload)):
            pairs = _pairs(element)
            if element.tag == OWN_TAG:
                attributes |= {pair for pair in pairs if pair[0] != "y" and pair[1]}
            else:
                tags.add((element.tag, pairs, "" if pairs else element.text.strip()))
                # Handlers also count alone: a filter may take the tag's name away and leave its attributes.
                attributes |= {pair for pair in pairs if pair[0].startswith("on")}
    code = _CALL.search(payload)
    return Brought(
        payload, frozenset(tags), frozenset(attributes), code[0] if code else "", _bare(payload)
    )


def _is_code(code: str, text: str) -> bool:
    return bool(code) and text.strip().rstrip(";").strip() == code


def _leads(payload: Brought, value: str) -> bool:
    """Whether an address runs what the payload brings."""
    address = _bare(value)
    if not address.startswith(_SCHEMES):
        return False
    inside = len(payload.address) >= PART and payload.address in address
    code = payload.code.lower()
    return address in payload.address or inside or bool(code and code in address)


def _is_in_script(payload: str, script: str) -> bool:
    """Whether a payload stands in a script as it is, and not behind a backslash, as an escaped quote is."""
    # Letters and digits alone cannot leave a string of the script.
    if not _QUOTES.search(payload):
        return False
    return re.search(r"(?<!\\)" + re.escape(payload), script) is not None


def _match_attributes(element: HtmlElement, payload: Brought) -> str:
    for attribute in element.attributes:
        name, value = attribute.name, attribute.value
        if (name, value.strip()) in payload.attributes:
            return f"the attribute {name}={brief(value)} of <{element.tag}> is the input's"
        if name.startswith("on"):
            quoted = _QUOTES.search(payload.payload) and payload.payload in value
            if quoted or _is_code(payload.code, value):
                return f"the input is code in the attribute {name} of <{element.tag}>"
        if name in URLS and _leads(payload, value):
            return f"the address {brief(value)} in {name} of <{element.tag}> is the input's"
        if name == "srcdoc" and (inner := wrong(value, payload)):
            return f"in srcdoc: {inner}"
    return ""


def _match_element(element: HtmlElement, payload: Brought) -> str:
    pairs = _pairs(element)
    for tag, attributes, behind in payload.elements:
        # An element without attributes is known by the text behind it; pages have many plain `<b>` of their
        # own.
        bare = not pairs and element.text.strip() == behind
        alike = attributes <= pairs if attributes else bare
        if element.tag == tag and alike:
            return f"the element <{tag}> is the input's"
    if element.tag != "script":
        return ""
    code = _is_in_script(payload.payload, element.text) or _is_code(payload.code, element.text)
    return "the input stands in a script as it is" if code else ""


def wrong(page: str, payload: Brought) -> str:
    """How an HTML text lets in what the payload brings, "" where it does not."""
    in_attributes = 0
    for element in elements(page):
        if difference := _match_attributes(element, payload) or _match_element(element, payload):
            return difference
        in_attributes += sum(
            attribute.raw.count(payload.payload) for attribute in element.attributes
        )
    # Also where no element comes of it, as in a comment or a text area: nobody escaped it. Quoted attributes
    # are no harm.
    if _MARKUP.search(payload.payload) and page.count(payload.payload) > in_attributes:
        return "the input's markup stands in the page as it is"
    return ""
