"""One call of an attempt's model as it was made: the request and the answer of the gateway's record."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.report.details.bounds import SizeBudget, number, words

if TYPE_CHECKING:
    from arena.store.store import Store

LONGEST = 400_000
"""Characters of a request or an answer that are shown; the record is an artefact."""


def raw_call(store: Store, attempt: str, asked: int) -> dict[str, Any]:
    """{"call", "wire", "status", "error", "usd", "seconds", "request", "answer"}; bodies are
    texts that may be cut.

    Raises UnknownRun, LookupError where no such call is recorded, and RecordError, KeyError or OSError for a
    record that cannot be read.
    """
    from harness.gateway.record import read_record

    found = store.attempt(attempt)
    digest = found.artefacts().get("record")
    if digest is None:
        raise LookupError(f"attempt {found.id} has no record of its calls")
    with tempfile.NamedTemporaryFile() as file:
        file.write(store.blob(digest))
        file.flush()
        calls = read_record(Path(file.name)).calls
    one = next((call for call in calls if call.number == asked), None)
    if one is None:
        raise LookupError(f"attempt {found.id}: no call {asked} is recorded")
    budget = SizeBudget(2 * LONGEST)
    return {
        "call": one.number,
        "wire": words(one.wire, 100),
        "status": one.status,
        "error": words(one.error),
        "usd": number(one.usd),
        "seconds": number(one.seconds),
        "request": budget.text(_body(one.request), LONGEST),
        "answer": budget.text(_body(one.answer), LONGEST) if one.answered else None,
    }


def _body(body: Any) -> str:
    if isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    return "" if body is None else json.dumps(body, indent=1, ensure_ascii=False)
