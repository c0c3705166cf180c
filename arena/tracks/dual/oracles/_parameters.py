"""Parameters of oracles, by type of value. Each function takes the meaning, which the documentation shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from arena.tracks.dual.oracles._matching import wrong_expectation
from arena.tracks.dual.oracles._oracle import Parameter

_OCTAL = re.compile(r"[0-7]{3,4}")
_CLASS = re.compile(r"[1-5]xx")


def _wrong_regex(value: Any) -> str:
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        return f"no regular expression: {error}"
    return ""


def _wrong_list(of: type, called: str) -> Callable[[Any], str]:
    def wrong(value: Any) -> str:
        good = all(
            # An empty text is contained in every output, so an oracle that looks for it would always find it.
            isinstance(item, of) and not isinstance(item, bool) and item != ""
            for item in value
        )
        return "" if good and value else f"a list of {called}, not empty, is expected"

    return wrong


def _wrong_counts(value: Any) -> str:
    good = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in value.values())
    return "" if good else "an object of table -> number of rows is expected"


def _is_status(item: Any) -> bool:
    if isinstance(item, str):
        return _CLASS.fullmatch(item) is not None
    return isinstance(item, int) and not isinstance(item, bool) and 100 <= item <= 599


def _wrong_status(value: Any) -> str:
    items = value if isinstance(value, list) else [value]
    good = items and all(_is_status(item) for item in items)
    return "" if good else 'a status such as 404, "4xx" or a list of such is expected'


def _wrong_exit(value: Any) -> str:
    if value == "nonzero":
        return ""
    items = value if isinstance(value, list) else [value]
    good = items and all(isinstance(n, int) and not isinstance(n, bool) for n in items)
    return "" if good else 'an exit status, a list of such, or "nonzero" is expected'


def _wrong_text(value: Any) -> str:
    return "a text that is not empty is expected" if value == "" else ""


def regex(meaning: str) -> Parameter:
    return Parameter(meaning, (str,), check=_wrong_regex)


def expectation(meaning: str, *, needed: bool = False) -> Parameter:
    """Any value, in which matchers may stand."""
    return Parameter(meaning, (object,), needed, wrong_expectation)


def expectations(meaning: str) -> Parameter:
    """A list of values, in which matchers may stand."""
    return Parameter(meaning, (list,), False, wrong_expectation)


def text(meaning: str, *, needed: bool = False) -> Parameter:
    return Parameter(meaning, (str,), needed, _wrong_text)


def matched_text(meaning: str) -> Parameter:
    """A text, possibly empty, or a matcher."""
    return Parameter(meaning, (str, dict), False, wrong_expectation)


def texts(meaning: str, *, needed: bool = False) -> Parameter:
    return Parameter(meaning, (list,), needed, _wrong_list(str, "texts"))


def steps(meaning: str) -> Parameter:
    return Parameter(meaning, (list,), True, _wrong_list(int, "numbers of steps"))


def flag(meaning: str) -> Parameter:
    return Parameter(meaning, (bool,))


def integer_value(meaning: str) -> Parameter:
    return Parameter(meaning, (int,))


def number(meaning: str) -> Parameter:
    return Parameter(meaning, (int, float), False, lambda n: "" if n >= 0 else "less than nothing")


def status(meaning: str) -> Parameter:
    return Parameter(meaning, (int, str, list), False, _wrong_status)


def exits(meaning: str, *, needed: bool = False) -> Parameter:
    return Parameter(meaning, (int, str, list), needed, _wrong_exit)


def mode(meaning: str, *, needed: bool = False) -> Parameter:
    wrong = 'permission bits such as "0600" are expected'
    return Parameter(meaning, (str,), needed, lambda v: "" if _OCTAL.fullmatch(v) else wrong)


def counts(meaning: str) -> Parameter:
    return Parameter(meaning, (dict,), False, _wrong_counts)


def is_status(wanted: Any, status: int) -> bool:
    """Whether a checked parameter includes an HTTP status."""
    items = wanted if isinstance(wanted, list) else [wanted]
    return any(status == i if isinstance(i, int) else i[0] == str(status)[:1] for i in items)


def is_exit(wanted: Any, status: int) -> bool:
    """Whether a checked parameter includes an exit status."""
    if wanted == "nonzero":
        return status != 0
    return status in (wanted if isinstance(wanted, list) else [wanted])
