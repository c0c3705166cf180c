"""Whether a template of Jinja2, by its text, escapes all that it prints. In time linear to the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.tracks.exposure.flow.facts import Value

_TAG = re.compile(r"(\{%-?\s*(?:autoescape\s+true|endautoescape)\s*-?%\})")
_ESCAPING = re.compile(r"(?:e|escape|forceescape|urlencode|int|float|length|tojson)\b")
_OTHER_TEMPLATES = re.compile(r"\{%-?\s*(?:include|extends|import|from)\b")


def all_escaped(template: Value) -> bool:
    """Whether a template of constant text escapes whatever it prints."""
    return bool(template.texts) and template.exact and all(map(_is_escaped, template.texts))


def _is_escaped(text: str) -> bool:
    # What another template prints is not in this text.
    if "{{" not in text or _OTHER_TEMPLATES.search(text):
        return False
    return all(_ends_escaped(what) for what in _printed_expressions(text))


def _printed_expressions(text: str) -> Iterator[str]:
    """What stands between {{ and }}, but for blocks in which everything is escaped."""
    inside = False
    for part in _TAG.split(text):
        if _TAG.fullmatch(part):
            inside = "endautoescape" not in part
        elif not inside:
            for begun in part.split("{{")[1:]:
                yield begun.partition("}}")[0]


def _ends_escaped(what: str) -> bool:
    """Whether the last filter of an expression escapes."""
    before, bar, last = what.strip(" -\n").rpartition("|")
    return bool(bar and before) and _ESCAPING.match(last.lstrip()) is not None
