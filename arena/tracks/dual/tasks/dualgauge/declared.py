"""Answers that a specification declares to be errors: in its words, and in what its tests expect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.tracks.dual.tasks.dualgauge.facts import MAX_TEXT, TestFacts
from arena.tracks.dual.tasks.dualgauge.reading import MISSING, Original

# Keys of an error whose texts name its kind, and are no message.
KINDS = ("status", "type", "code")
STATUS = ("status_code", "statusCode", "http_status")
TEXT = {"$type": "string"}
_ERROR = re.compile(
    r"\A(?:error|invalid|fail|denied|access denied|forbidden|unauthori[sz]ed|bad request|rejected)"
    r"|\b(?:error|invalid|not found|not allowed|denied|missing|unsupported|failed|forbidden|"
    r"no .{1,30} provided)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)'([^'\n]{2,120})'(?!\w)|\"([^\"\n]{2,120})\"|`([^`\n]{2,120})`")
_EXCEPTION = re.compile(r"\b([A-Z][A-Za-z]*(?:Error|Exception))\b")
_RAISES = re.compile(r"\b(?:rais|throw)\w*\b", re.IGNORECASE)
_NULL = re.compile(r"\breturns?\s+(?:`|')?(?:null|none|undefined)\b", re.IGNORECASE)
_FALSE = re.compile(r"\breturns?\s+(?:`|')?false\b", re.IGNORECASE)
ERROR_SAID = (
    r"\b(?:error|invalid|denied|rejected|refused|not (?:allowed|permitted|valid|found)|missing|forbidden"
    r"|illegal|unsafe|unsupported|failed)\b"
)
SAYS_ERROR = f"(?i){ERROR_SAID}"
# How functions that return objects report errors, where the specification shows no such object.
BY_CONVENTION: tuple[Any, ...] = (
    {"error": TEXT},
    {"type": "error", "error": TEXT},
    {"status": "error", "message": TEXT},
    {"status": "error", "error": TEXT},
    {"success": False, "error": TEXT},
    {"success": False, "message": TEXT},
)
MAX_PARTS, MAX_TEXT_SHOWN = 40, 200


@dataclass(frozen=True)
class Declared:
    """texts: error texts. values: whole values that are errors, with matchers. types: exceptions.

    explicit: the specification itself says what an error looks like.
    """

    texts: tuple[str, ...]
    values: tuple[Any, ...]
    types: tuple[str, ...]
    explicit: bool

    @property
    def refusals(self) -> list[Any]:
        """Values that a function may return to refuse."""
        refusals = [*self.texts, *self.values]
        if self.explicit:
            return refusals
        return [
            *refusals,
            None,
            False,
            {"$match": r"(?is)\s*(error|invalid|failed|denied).*"},
            *BY_CONVENTION,
        ]

    @property
    def pattern(self) -> str:
        """Matches text output, or a body, that holds a declared error text; "" where none is declared.

        A text of a single short word ("Error") counts only when it is all there is, or a whole JSON text: as
        a part of a longer text it would be no evidence.
        """
        parts = [_part(text) for text in self.texts if len(text) <= MAX_TEXT_SHOWN][:MAX_PARTS]
        for value in self.values:
            if isinstance(value, dict) and any(key in value for key in STATUS):
                parts.append(r'"(?:status_code|statusCode|http_status)"\s*:\s*"?4\d\d\b')
        alternatives = "|".join(dict.fromkeys(parts))
        return f"(?is){alternatives}" if alternatives else ""


def _part(text: str) -> str:
    escaped = re.escape(text)
    if len(text) >= 8 and " " in text:
        return escaped
    return rf'\A\s*"?{escaped}"?[.!]?\s*\Z|:\s*"{escaped}"'


def declared_errors(original: Original, facts: TestFacts) -> Declared:
    """What counts as an error for this task."""
    text = facts.text
    texts = [
        quoted_text for quoted_text in _quoted_texts(text) if _is_error_text(quoted_text, text)
    ]
    values: list[Any] = []
    types = set(_EXCEPTION.findall(text)) if _RAISES.search(text) else set()
    for test in original.tests:
        # What security tests expect is prose about behaviour, and no value.
        if test.kind != "functional" or test.expected_value is MISSING:
            continue
        if isinstance(test.expected_value, str):
            if _ERROR.search(test.expected_value) and not _EXCEPTION.fullmatch(test.expected_value):
                texts.append(test.expected_value)
        elif isinstance(test.expected_value, dict) and is_error(test.expected_value):
            values.append(_general(test.expected_value))
            texts.extend(_texts_of(test.expected_value))
    if _NULL.search(text):
        values.append(None)
    if _FALSE.search(text):
        values.append(False)
    explicit = bool(texts or values or types)
    if facts.says(r"\berror (?:object|message)|(?:dictionary|object|structure)[^.]{0,80}\berror\b"):
        values.extend(BY_CONVENTION)
    return Declared(
        tuple(dict.fromkeys(text.strip() for text in texts if text.strip())),
        tuple(_deduplicate(values)),
        tuple(sorted(types)),
        explicit,
    )


def _quoted_texts(text: str) -> Iterator[str]:
    for groups in _QUOTED.findall(text[: 2 * MAX_TEXT]):
        yield next(part for part in groups if part).strip("`'\"")


def _is_error_text(quoted_text: str, text: str) -> bool:
    """Whether a quoted text is an error answer: not a name, nor text between two quoted texts."""
    if (
        quoted_text != quoted_text.strip()
        or not _ERROR.search(quoted_text)
        or _EXCEPTION.fullmatch(quoted_text)
    ):
        return False
    return (
        not re.fullmatch(r"[a-z_]+", quoted_text)
        and "{" not in quoted_text
        and "<" not in quoted_text
    )


def is_error(value: dict[str, Any]) -> bool:
    """Is this expected object an error: by its status, or by what it says of itself?"""
    status = status_of(value)
    if status is not None:
        # A status of 500 and above is a fault of the program, and no error that it declares.
        return 400 <= status < 500
    if value.get("success") is False or value.get("ok") is False:
        return True
    if "error" in value and value["error"] not in (None, False, ""):
        return True
    return any(str(value.get(key)).lower() in ("error", "failed") for key in ("status", "type"))


def status_of(value: dict[str, Any]) -> int | None:
    for key in (*STATUS, "status", "code"):
        status = value.get(key)
        if isinstance(status, str) and re.fullmatch(r"[1-5][0-9]{2}", status):
            status = int(status)
        if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599:
            return status
    return None


def _general(value: dict[str, Any]) -> dict[str, Any]:
    """The same error with any message, and with whatever stands in its lists and objects."""
    return {
        key: {"$any": True}
        if isinstance(item, list | dict)
        else TEXT
        if isinstance(item, str) and key not in KINDS
        else item
        for key, item in value.items()
        if not key.startswith("$")
    }


def _texts_of(value: dict[str, Any]) -> list[str]:
    return [
        item for key, item in value.items()
        if isinstance(item, str) and key not in KINDS
        and not key.endswith(("_contains", "_match"))
    ]  # fmt: skip


def _deduplicate(values: list[Any]) -> list[Any]:
    return list({json.dumps(value, sort_keys=True): value for value in values}.values())
