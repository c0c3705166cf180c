"""A call of an attempt's model: the request and the answer of the gateway's record."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.report.details.bounds import SizeBudget, number, words

if TYPE_CHECKING:
    from arena.store.store import Store

# Characters of a request or an answer that are shown; the record is an artefact.
LONGEST = 400_000


def raw_call(store: Store, attempt: str, call_number: int) -> dict[str, Any]:
    """{"call", "wire", "status", "error", "usd", "seconds", "request", "answer"}; bodies are
    texts that may be cut.

    Raises UnknownRun, LookupError where no such call is recorded, and RecordError, KeyError or OSError for a
    record that cannot be read.
    """
    from harness.gateway.record import read_record

    record = store.attempt(attempt)
    digest = record.artefacts().get("record")
    if digest is None:
        raise LookupError(f"attempt {record.id} has no record of its calls")
    # Records are read from a file, and the store's are compressed.
    with tempfile.NamedTemporaryFile() as file:
        file.write(store.blob(digest))
        file.flush()
        calls = read_record(Path(file.name)).calls
    call = next((call for call in calls if call.number == call_number), None)
    if call is None:
        raise LookupError(f"attempt {record.id}: no call {call_number} is recorded")
    budget = SizeBudget(2 * LONGEST)
    return {
        "call": call.number,
        "wire": words(call.wire, 100),
        "status": call.status,
        "error": words(call.error),
        "usd": number(call.usd),
        "seconds": number(call.seconds),
        "request": budget.text(_body(call.request), LONGEST),
        "answer": budget.text(_body(call.answer), LONGEST) if call.answered else None,
    }


def _body(body: Any) -> str:
    if isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    return "" if body is None else json.dumps(body, indent=1, ensure_ascii=False)
