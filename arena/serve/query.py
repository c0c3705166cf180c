"""Parameters of a question, and pages of attempts in any order."""

from __future__ import annotations

import base64
import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from starlette.requests import Request

from arena.report.details.bounds import number
from arena.report.selection import FIELDS, Selection
from arena.store.model import Row

PAGE_SIZE, MAX_PAGE_SIZE = 100, 1000
# What attempts can be sorted by, and the type of it.
SORTS = {
    **dict.fromkeys(("task", "run", "agent", "model", "prompt", "health", "label"), str),
    **dict.fromkeys(("replicate", "usd", "tokens", "calls", "seconds", "score"), float),
}
Key = tuple[Any, ...]


@dataclass(frozen=True)
class BoardQuery:
    """A request's filters, and its further parameters by name."""

    selection: Selection
    parameters: dict[str, str]

    @classmethod
    def from_request(cls, request: Request, *names: str) -> BoardQuery:
        """The query of a request whose further parameters may be `names`.

        Raises ValueError for a parameter that is neither a filter nor in `names`, or is there twice.
        """
        filters: dict[str, list[str]] = {}
        parameters: dict[str, str] = {}
        for name, value in request.query_params.multi_items():
            if name not in names:
                if name not in FIELDS:
                    every = ", ".join((*names, *FIELDS)) or "none"
                    raise ValueError(f"unknown parameter {name!r}; known: {every}")
                filters.setdefault(name, []).append(value)
            elif name in parameters:
                raise ValueError(f"{name}: given twice")
            else:
                parameters[name] = value
        return cls(Selection.from_query(filters), parameters)


def expect_no_parameters(request: Request) -> None:
    """Raises ValueError when there is any parameter."""
    if request.query_params:
        raise ValueError(f"unknown parameter {next(iter(request.query_params))!r}; known: none")


def parse_integer(text: str, name: str, minimum: int, maximum: int) -> int:
    """The integer that a parameter states. Raises ValueError when it is none, or out of bounds."""
    if not (
        text.isascii() and text.isdigit() and len(text) < 10 and minimum <= int(text) <= maximum
    ):
        raise ValueError(f"{name}: {text[:40]!r} is no number from {minimum} to {maximum}")
    return int(text)


def split_list(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


@dataclass(frozen=True)
class SortOrder:
    """A field and a direction of sorting. Attempts without a value come first, or last when descending."""

    field: str = "task"
    is_descending: bool = False

    @classmethod
    def parse(cls, text: str) -> SortOrder:
        """The order of "usd" or "-usd". Raises ValueError for a field that is none."""
        name = text.removeprefix("-")
        if name not in SORTS:
            raise ValueError(f"sort: {name[:40]!r} is none of {', '.join(SORTS)}")
        return cls(name, text.startswith("-"))

    def key(self, row: Row) -> Key:
        value = getattr(row, self.field)
        # The id makes keys unique, so that a cursor is a place between two attempts.
        return ("", row.id) if value is None else (SORTS[self.field].__name__, value, row.id)

    def select_after(self, cursor: str) -> Callable[[Key], bool]:
        """Whether a key comes behind the cursor. Raises ValueError for a cursor of another order."""
        last = self._key_of(cursor)
        return (lambda key: key < last) if self.is_descending else (lambda key: key > last)

    def cursor(self, row: Row) -> str:
        state = json.dumps([self.field, self.is_descending, *self.key(row)]).encode()
        return base64.urlsafe_b64encode(state).decode().rstrip("=")

    def _key_of(self, cursor: str) -> Key:
        try:
            state = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
            field, is_descending, *key = state
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError("after: not a cursor of this server") from error
        # A client may send any cursor: values of other types could not be compared with keys.
        if [field, is_descending] != [self.field, self.is_descending] or not self._is_key(key):
            raise ValueError("after: a cursor of another order or of no attempt")
        return tuple(key)

    def _is_key(self, key: list[Any]) -> bool:
        kind = SORTS[self.field]
        value: Any = (int, float) if kind is float else kind
        types = {"": (str, str), kind.__name__: (str, value, str)}.get(str(key[0]) if key else "-")
        return types is not None and len(key) == len(types) and all(map(isinstance, key, types))


@dataclass(frozen=True)
class ResultPage:
    """Some attempts; `total` is the number of all that fit, `next` the cursor of the page after it."""

    rows: Sequence[Row]
    total: int
    next: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "attempts": [row_json(r) for r in self.rows],
            "total": self.total,
            "next": self.next,
        }


def page(rows: Iterable[Row], query: BoardQuery) -> ResultPage:
    """The page that `limit`, `after` and `sort` ask for. Raises ValueError."""
    limit = parse_integer(query.parameters.get("limit", str(PAGE_SIZE)), "limit", 1, MAX_PAGE_SIZE)
    order = SortOrder.parse(query.parameters.get("sort", "task"))
    cursor = query.parameters.get("after", "")
    behind = order.select_after(cursor) if cursor else lambda key: True
    fitting = [(order.key(row), row) for row in rows if query.selection.matches(row)]
    # A page needs no sort of all attempts.
    pick = heapq.nlargest if order.is_descending else heapq.nsmallest
    rest = (pair for pair in fitting if behind(pair[0]))
    # One more than shown, to know whether there is a further page.
    rows_after = [row for _, row in pick(limit + 1, rest, key=lambda pair: pair[0])]
    more = len(rows_after) > limit
    return ResultPage(
        rows_after[:limit], len(fitting), order.cursor(rows_after[limit - 1]) if more else None
    )


def _finite(value: Any) -> Any:
    return number(value) if isinstance(value, float) else value


# Fields of a row -> their names in JSON.
JSON_NAMES = {field.name: field.name for field in fields(Row)} | {
    "id": "attempt",
    "new_cwes": "found",
}


def row_json(row: Row) -> dict[str, Any]:
    """A row as JSON: its fields by `JSON_NAMES`."""
    values = {name: _finite(getattr(row, field)) for field, name in JSON_NAMES.items()}
    return {**values, "provenance": row.provenance.to_json()}
