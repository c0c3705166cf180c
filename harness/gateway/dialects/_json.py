"""Reading JSON from outside: each value is read by its kind, and errors name the field."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from harness.gateway.neutral import Reply, Stop, ToolCall

# Counts above are lies; they would be billed.
MAX_TOKENS = 1 << 40
MAX_SHOWN_CHARACTERS = 300
MAX_WORD_CHARACTERS = 64
# Levels of nesting; Python's own writer fails at some hundreds, so what is read can be written.
MAX_DEPTH = 200


class NotJsonBody(ValueError):
    """Bytes or text that are no JSON."""


def load(data: bytes | str) -> Any:
    """Parsed JSON. Raises NotJsonBody, also for what is nested too deeply and for NaN and Infinity."""
    try:
        text = data if isinstance(data, str) else data.decode()
        value = DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise NotJsonBody(line(str(error))) from error
    # Counting brackets is far cheaper than a walk, and almost no body has so many nested levels.
    if text.count("{") + text.count("[") > MAX_DEPTH and not _shallow(value):
        raise NotJsonBody(f"nested more than {MAX_DEPTH} levels deep")
    return value


def _no_constant(name: str) -> NoReturn:
    raise NotJsonBody(f"{name} is no JSON")


def _finite(text: str) -> float:
    """1e999 is JSON, but the infinity that Python makes of it is not."""
    number = float(text)
    if math.isinf(number):
        raise NotJsonBody("a number is too large")
    return number


DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def _shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for held in level for item in _nested_values(held)]
        if not level:
            return True
    return False


def _nested_values(value: Any) -> list[Any]:
    """Lists and objects directly inside a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in inner if isinstance(item, dict | list)]


def dump(value: Any) -> str:
    """JSON text of a parsed value, as Python writes it. Raises NotJsonBody when nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotJsonBody(line(str(error))) from error


def line(text: str) -> str:
    """A line of a stranger's text, for an error message."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 4 * MAX_SHOWN_CHARACTERS])
    return " ".join(shown.split())[:MAX_SHOWN_CHARACTERS]


def clean(text: str) -> str:
    """Text that can be encoded: halves of a character are joined, lonely ones replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # Streams cut a character outside of the basic plane into two escapes, which arrive in two pieces.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def join_path(path: str, key: str | int) -> str:
    return f"{path}.{key}" if path else str(key)


class JsonReader:
    """Asks for values by kind; what is of another kind raises `error` with the place and the kind."""

    def __init__(self, error: Callable[[str], Exception]) -> None:
        self._error = error

    def wrong(self, path: str, wanted: str) -> Exception:
        return self._error(f"{path or 'body'}: must be {wanted}")

    def object(self, value: Any, path: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self.wrong(path, "an object")
        return value

    def list(self, value: Any, path: str) -> list[Any]:
        """null is an empty list."""
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(path, "a list")
        return value

    def text(self, value: Any, path: str) -> str:
        """null is an empty text."""
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(path, "text")
        return clean(value)

    def name(self, value: Any, path: str) -> str:
        if not value:
            raise self.wrong(path, "text that is not empty")
        return self.text(value, path)

    def flag(self, value: Any, path: str) -> bool:
        if value is not None and not isinstance(value, bool):
            raise self.wrong(path, "true or false")
        return bool(value)

    def json(self, value: Any, path: str) -> str:
        """JSON text of a value; text is taken for JSON text already, null for an empty object."""
        if value is None:
            return "{}"
        if isinstance(value, str):
            return clean(value)
        try:
            return clean(dump(value))
        except NotJsonBody as error:
            raise self.wrong(path, "JSON that is not nested so deeply") from error


def count(value: Any) -> int:
    """A count of tokens; 0 for any value that is no count."""
    # In Python `True` is an int; as a count it would be billed as a token.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value <= MAX_TOKENS else 0


def part(value: Any, key: str) -> Any:
    """`value[key]` where it exists, else None."""
    return value.get(key) if isinstance(value, Mapping) else None


def stop_of(calls: tuple[ToolCall, ...], cut: bool) -> Stop:
    """Why an answer ended. Providers differ in what they report beside calls, so the calls decide."""
    if cut:
        return "length"
    return "tools" if calls else "end"


def word(value: Any) -> str:
    """A provider's word, such as how an answer ended; "" for any value that is no word."""
    return clean(value[:MAX_WORD_CHARACTERS]) if isinstance(value, str) else ""


def ending(reply: Reply) -> Stop:
    return stop_of(reply.tool_calls, reply.stop == "length")
