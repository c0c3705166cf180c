"""Expected answers of services: status, body, or JSON that contains a status."""

from __future__ import annotations

import json
import re
from typing import Any

from arena.tracks.dual.tasks.dualgauge.declared import KINDS, STATUS, status_of
from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.stepping import value

_BODY = (
    "content",
    "body",
    "text",
    "response",
    "response_body",
    "response_text",
    "html",
    "output",
    "page",
)
_LOCATION = (
    "redirect",
    "redirect_url",
    "redirects_to",
    "redirect_to",
    "location",
    "Location",
    "redirect_location",
)
_HEADERS = ("headers", "response_headers")
_ERROR = re.compile(
    r"(?i)\A(?:error|invalid|fail|denied|access denied|forbidden|unauthori[sz]ed"
    r"|bad request|rejected|missing)"
    r"|\b(?:not found|not allowed|missing|unsupported|no .{1,30} (?:provided|given|specified))\b"
)
_STATUS = (*STATUS, "status", "code")
_CONTAINS = re.compile(r"(.{1,80}?)_(?:contains|includes)\Z")
_HTTP_STATUS = re.compile(
    r"(?i)\bhttp (?:error )?(?:status|code|[1-5]\d\d)|\bstatus (?:code )?(?:of )?[1-5]\d\d|\b[1-5]\d\d status"
)
_STATUS_FIELD = re.compile(
    r"(?i)(?:json|object|\{|fields?|keys?)[^.\n]{0,120}?\bstatus_?code\b"
    r"|\bstatus_code['\"`]?\s*:|['\"`]status_code['\"`]"
)
MAX_PATTERN = 1_000


def responds(wanted: Any, facts: TestFacts) -> dict[str, Any]:
    """Parameters of `responds` for what a test expects of a service.

    An object with a status: that of the body where the specification makes it a field of the JSON (HTTP's
    is held then only if the specification speaks of it), that of HTTP elsewhere. `content` is the text of
    the body, or its JSON, unless the specification has a field of that name in its JSON; `data_contains` is a
    text in the field `data`.
    """
    if isinstance(wanted, str):
        return {"status": ["2xx", "4xx"]} if unsaid(wanted, facts) else _text(wanted)
    if not isinstance(wanted, dict):
        return {"json": value(wanted)}
    around, wanted = _split_headers(wanted, facts)
    # Also by its value: `status` may as well be a text such as "ok", which is part of the body.
    status = next((key for key in _STATUS if key in wanted and status_of({key: wanted[key]})), None)
    rest = {key: item for key, item in wanted.items() if key != status}
    parameters: dict[str, Any] = {}
    in_body = status is not None and status_in_body(facts)
    if status is not None and (not in_body or _HTTP_STATUS.search(facts.text)):
        parameters["status"] = _told_status(status_of({status: wanted[status]}), facts)
    if in_body and status is not None:
        rest = {status: wanted[status], **rest}
    return {**parameters, **around, **_body(rest, facts)}


def _told_status(status: int | None, facts: TestFacts) -> Any:
    """The status; where the specification does not name this error's, any error of the client's."""
    unnamed = status is not None and 400 <= status < 500 and not facts.says(rf"\b{status}\b")
    return "4xx" if unnamed else status


def unsaid(text: str, facts: TestFacts) -> bool:
    """Is it the text of an error that no program can know of, since the specification has it not?"""
    if not _ERROR.search(text) or len(text) > MAX_PATTERN:
        return False
    return " ".join(text.split()).lower() not in " ".join(facts.text.split()).lower()


def _split_headers(
    wanted: dict[str, Any], facts: TestFacts
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Expected headers and redirect target of an answer, and the rest of the answer.

    A field that the specification makes part of the JSON stays.
    """
    headers: dict[str, Any] = {}
    rest = dict(wanted)
    for key in _HEADERS:
        if isinstance(wanted.get(key), dict) and not _is_field(key, facts):
            headers |= {name: _header(name, item) for name, item in rest.pop(key).items()}
    for key in _LOCATION:
        if isinstance(wanted.get(key), str) and not _is_field(key, facts):
            target = re.escape(rest.pop(key))
            # A framework may make the target absolute, or add the slash of its route.
            headers["Location"] = {"$match": rf"(?:https?://[^/]+)?{target}/?"}
    for key in ("content_type", "contentType", "Content-Type"):
        if isinstance(wanted.get(key), str) and not _is_field(key, facts):
            headers["Content-Type"] = _header("Content-Type", rest.pop(key))
    return ({"headers": headers} if headers else {}), rest


def _header(name: str, item: Any) -> Any:
    """A media type may have parameters that a test leaves out."""
    text = item if isinstance(item, str) else json.dumps(item)
    if name.lower() == "content-type" and ";" not in text:
        return {"$match": rf"(?i){re.escape(text)}\s*(?:;.*)?"}
    return text


def status_in_body(facts: TestFacts) -> bool:
    """Does the specification make the status code a field of the JSON?"""
    return bool(_STATUS_FIELD.search(facts.prompt)) and facts.says(r"\bjson\b|\breturn \{")


def _body(rest: dict[str, Any], facts: TestFacts) -> dict[str, Any]:
    if not rest:
        return {}
    only = next(iter(rest))
    if (
        len(rest) == 1
        and only in _BODY
        and isinstance(rest[only], str)
        and not _is_field(only, facts)
    ):
        return {} if unsaid(rest[only], facts) else _text(rest[only])
    if len(rest) == 1 and only in _BODY and not _is_field(only, facts):
        return {"json": value(rest[only])}
    if (
        len(rest) == 1
        and only in (f"{name}_contains" for name in _BODY)
        and isinstance(rest[only], str)
    ):
        return {"contains": [rest[only]]}
    fields: dict[str, Any] = {}
    for key, item in rest.items():
        match = _CONTAINS.fullmatch(key)
        if match and isinstance(item, str):
            fields[match.group(1)] = {"$contains": item}
        elif isinstance(item, str) and key not in KINDS and unsaid(item, facts):
            fields[key] = {"$type": "string"}
        elif key in STATUS and isinstance(item, int) and _told_status(item, facts) == "4xx":
            fields[key] = {"$approx": 449.5, "within": 49.5}  # 400 to 499
        else:
            fields[key] = value(item)
    return {"json": {"$escape": fields} if any(key.startswith("$") for key in fields) else fields}


def _is_field(name: str, facts: TestFacts) -> bool:
    return facts.says(rf"json[^.]{{0,200}}['\"`]{name}['\"`]")


def _text(wanted: str) -> dict[str, Any]:
    """The body is this text, as it is or as a JSON text, with white space around it at will."""
    stripped = wanted.strip()
    # JSON with and without escapes: frameworks differ in whether they write letters beyond ASCII as \u.
    ways = dict.fromkeys(
        (re.escape(stripped), re.escape(json.dumps(stripped)), re.escape(_unicode(stripped)))
    )
    pattern = rf"\A\s*(?:{'|'.join(ways)})\s*\Z"
    if not stripped or "\n" in stripped or len(pattern) > MAX_PATTERN:
        return {"text": wanted}
    return {"pattern": pattern}


def _unicode(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
