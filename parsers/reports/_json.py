"""Reads JSON from hostile text: bounded size, and a problem instead of an exception."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from parsers.reports._collect import Collector

# A parsed document takes some thirty times its text when it is made of empty objects.
MAX_DOCUMENT = 8 * 1024 * 1024
_MAX_LINE = 1024 * 1024
_LINE = re.compile(r"^[ ]*+(\{.*\})[ ]*+$", re.MULTILINE)


def document(text: str, collector: Collector) -> Any:
    """The JSON value that `text` is; None, and a doubt in `collector`, when it is not JSON."""
    if not text.strip():
        return None
    # A part of a document is no JSON, so a large document cannot be read up to a bound as text is.
    if len(text) > MAX_DOCUMENT:
        collector.doubt("the JSON document is too large to be read")
        return None
    try:
        return json.loads(text)
    # Deeply nested lists end the decoder with RecursionError, which no test's output may cause here.
    except (ValueError, RecursionError) as error:
        collector.doubt(f"JSON: {error}")
        return None


def objects(text: str, collector: Collector) -> Iterator[dict[str, Any]]:
    """The objects of a text with an object on each line; lines of a different form are passed over."""
    for match in collector.scan(_LINE, text):
        value = document(match[1], collector) if len(match[1]) <= _MAX_LINE else None
        if isinstance(value, dict):
            yield value


def text_at(value: dict[str, Any], key: str) -> str:
    """`value[key]` when it is a string, else ""."""
    item = value.get(key)
    return item if isinstance(item, str) else ""


def objects_at(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in the list `value[key]`; none when it is no list."""
    items = value.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
