"""An attempt as a flat row: the same columns, each of a fixed type, in CSV and in Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena.store.model import Attempt
from arena.store.provenance import FACTS

if TYPE_CHECKING:
    from arena.exchange.source import Source

# Counts of the last try (`harness.gateway.account.Usage`); USD and tokens of all tries are columns.
USAGE = (
    "calls",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "retries",
    "refused",
    "written_tokens",
)

# Name of a column -> type of its values, of which each may be None; a list is one of texts.
COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("attempt", "run", "track", "pack", "task"), str),
    **dict.fromkeys(("agent", "model", "prompt"), str),
    "replicate": int,
    **dict.fromkeys(("health", "label", "reason", "ended"), str),
    "score": float,
    "usd": float,
    "tokens": int,
    "seconds": float,
    "tries": int,
    "node": str,
    "finished": float,
    "flags": list,
    "found": list,
    **dict.fromkeys(("patch", "trajectory", "title", "language", "project", "domain"), str),
    "cwes": list,
    **{f"usage_{name}": int for name in USAGE},
    **{fact.name: str for fact in FACTS},
}

FORMULA = ("=", "+", "-", "@")


def row(source: Source, attempt: Attempt) -> dict[str, Any]:
    """The values of an attempt by column, each of the column's type or None."""
    facts = source.task(attempt.key.task)
    by_name = {
        **attempt.to_json(),
        **{f"usage_{name}": attempt.usage.get(name) for name in USAGE},
        **vars(facts),
        **{fact.name: attempt.provenance.recorded_facts().get(fact.name) for fact in FACTS},
        "track": source.run.track,
        "pack": source.run.pack,
    }
    return {name: value_of_type(by_name[name], type_) for name, type_ in COLUMNS.items()}


def value_of_type(value: Any, type_: type) -> Any:
    """The value if it is of the type, else None: what an agent claims to have used may be anything."""
    if value is None:
        return None
    if type_ is list:
        return [str(item) for item in value]
    if type_ is str:
        return text(str(value))
    # To Python a bool is an int.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if type_ is float:
        return float(value) if abs(value) < LARGEST else None
    return value if isinstance(value, int) and abs(value) < LARGEST else None


# Beyond it a number fits no column.
LARGEST = 1 << 63


def text(value: str) -> str:
    """Text that can be written as UTF-8."""
    return value.encode("utf-8", "backslashreplace").decode()


def cell(value: Any) -> Any:
    """A cell of a CSV file: a single line, which no spreadsheet runs as a formula."""
    from arena.report.text import one_line

    if isinstance(value, list):
        value = ";".join(value)
    if not isinstance(value, str):
        return value
    shown = one_line(value)
    # Also behind blanks, which a spreadsheet may strip.
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown
