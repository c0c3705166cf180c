"""Inputs of services -> requests."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl

from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.shaping import REQUEST_KEYS
from arena.tracks.dual.tasks.dualgauge.urls import (
    encode_target,
    is_request,
    query_value,
    request_line,
)

Step = dict[str, Any]
_PARAMETER = re.compile(
    r"(?:parameters?|arguments?)\s+(?:named\s+|called\s+)?[`'\"](\w+)[`'\"]"
    r"|[`'\"](\w+)[`'\"]\s+(?:query\s+)?(?:parameter|argument)",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\bform(?:[- ]?data| fields?| parameters?| submission)?\b|post parameters?", re.I
)
_FORM_TEXT = re.compile(r"[\w.\-\[\]]+=[^&]*(?:&[\w.\-\[\]]+=[^&]*)*")
_PART_OF_KEY = {
    "headers": "headers", "form": "form", "form_data": "form", "json": "json", "query": "query",
    "params": "query", "query_params": "query", "query_string": "query", "multipart": "multipart",
}  # fmt: skip


class Untypable(Exception):
    """This input cannot be typed with certainty; the message is why."""


def requests(value: Any, facts: TestFacts) -> list[Step]:
    """The requests of a test. Raises Untypable."""
    if isinstance(value, list) and value and all(_is_one(item) for item in value):
        return [step for item in value for step in requests(item, facts)]
    if isinstance(value, str):
        return [_step_from_text(value, facts)]
    if isinstance(value, dict):
        return [_step_from_object(value, facts)]
    if value is None:
        return [{"method": facts.method, "path": _route(facts)}]
    raise Untypable("the input is neither a request nor the fields of one")


def _is_one(value: Any) -> bool:
    return (isinstance(value, str) and is_request(value)) or (
        isinstance(value, dict) and bool(REQUEST_KEYS & value.keys())
    )


def _route(facts: TestFacts) -> str:
    if len(facts.routes) != 1:
        raise Untypable("the input names no path, and the prompt names not just one")
    return facts.routes[0]


def _step_from_text(text: str, facts: TestFacts) -> Step:
    if is_request(text):
        line = request_line(text)
        step: Step = {"method": line.method or facts.method, "path": line.path}
        return {**step, **_body_of_text(line.rest)}
    if _FORM_TEXT.fullmatch(text):
        if facts.method == "GET":
            return {"method": "GET", "path": encode_target(f"{_route(facts)}?{text.lstrip('?')}")}
        return {"method": facts.method, "path": _route(facts), "form": _form(text)}
    names = dict.fromkeys(first or second for first, second in _PARAMETER.findall(facts.text))
    if len(names) != 1:
        raise Untypable("the input is one value, and the prompt names not just one parameter")
    if facts.method != "GET":
        return _fields({next(iter(names)): text}, facts)
    return {"method": "GET", "path": f"{_route(facts)}?{next(iter(names))}={query_value(text)}"}


def _body_of_text(rest: str) -> Step:
    if not rest:
        return {}
    rest = re.sub(
        r"\A(?:with )?(?:json |form )?(?:body|data|payload)?\s*:?\s*", "", rest, flags=re.I
    )
    if rest.startswith(("{", "[")):
        try:
            return {"json": json.loads(rest)}
        except (ValueError, RecursionError):
            # Text that begins as JSON and is none is sent as it is: it may be the attack.
            return {"body": rest, "headers": {"Content-Type": "application/json"}}
    if _FORM_TEXT.fullmatch(rest):
        return {"form": _form(rest)}
    return {"body": rest}


def _step_from_object(value: dict[str, Any], facts: TestFacts) -> Step:
    place = next((key for key in value if key in REQUEST_KEYS and _is_path(value[key])), None)
    # A service that takes a URL as a parameter has a field of that name: it is no address of the request.
    if "method" not in value and (place is None or _is_field(place, facts)):
        return _fields(value, facts)
    line = request_line(value[place]) if place else None
    method = str(value.get("method") or (line and line.method) or facts.method).upper()
    if not re.fullmatch(r"[A-Z]{3,10}", method):
        raise Untypable("the input's method is none of HTTP")
    step: Step = {"method": method, "path": line.path if line else _route(facts)}
    for key, item in value.items():
        if key in (place, "method") or item is None:
            continue
        if key in ("body", "data", "payload"):
            step.update(_body(item, facts))
        elif key == "cookies" and isinstance(item, dict):
            cookie = "; ".join(f"{name}={content}" for name, content in item.items())
            step.setdefault("headers", {})["Cookie"] = cookie
        elif key in _PART_OF_KEY:
            step.update(_accept_part(_PART_OF_KEY[key], item, step))
        else:
            # Not passed over: a test without a part of its input would judge something else.
            raise Untypable(f"the input's key {key[:40]!r} is no part of a request")
    return step


def _form(text: str) -> dict[str, str]:
    """Fields written as a query, by the same rules as a query in a hand-written URL."""
    return dict(parse_qsl(encode_target(f"/?{text}")[2:], keep_blank_values=True))


def _is_field(name: str, facts: TestFacts) -> bool:
    """Is `url` or `path` a parameter of the service itself?"""
    return name in (first or second for first, second in _PARAMETER.findall(facts.text))


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and is_request(value)


def _accept_part(part: str, item: Any, step: Step) -> Step:
    if part in ("headers", "form", "query") and not isinstance(item, dict):
        raise Untypable(f"the input's {part} is no object")
    if part in ("headers", "form", "query"):
        return {
            part: {**step.get(part, {}), **{name: _text(element) for name, element in item.items()}}
        }
    return {part: item}


def _body(item: Any, facts: TestFacts) -> Step:
    if isinstance(item, str):
        return _body_of_text(item)
    if (
        isinstance(item, dict)
        and _FORM.search(facts.text)
        and not facts.says(r"json (?:body|data)")
    ):
        return {"form": {name: _text(element) for name, element in item.items()}}
    return {"json": item}


def _fields(value: dict[str, Any], facts: TestFacts) -> Step:
    """Fields of a form, of a JSON body, or of the query: by the method and the words of the prompt."""
    step: Step = {"method": facts.method, "path": _route(facts)}
    if facts.method == "GET":
        if not all(isinstance(item, str | int | float | None) for item in value.values()):
            raise Untypable("fields of a query that are no texts")
        return {**step, "query": {n: _text(item) for n, item in value.items() if item is not None}}
    if _FORM.search(facts.text):
        return {**step, "form": {n: _text(item) for n, item in value.items() if item is not None}}
    if facts.says(r"\bjson\b"):
        return {**step, "json": value}
    raise Untypable("whether the fields are a form or JSON is not told")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
