"""On what the solving of an attempt rests: the agent's version, its model's effort, and the price table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.models.direct import DIRECT
from arena.store.model import AttemptKey
from arena.store.provenance import EFFORT, NOTHING_RECORDED, Provenance
from arena.version import installed
from harness.gateway.pins import with_effort

# Of a file's digest.
DIGITS = 12


def planned_provenance(
    key: AttemptKey, prices: str | Path | None, pins: Mapping[str, Any]
) -> Provenance:
    """Facts that are certain before an attempt. prices: the user's file, if any; pins: of its calls."""
    if not key.model:
        return NOTHING_RECORDED
    version = f"arena {installed()}" if key.agent == DIRECT else ""
    effort = with_effort(key.model, pins)[1].get(EFFORT)
    return Provenance(
        agent_version=version, effort=str(effort or ""), prices=prices_as_text(prices)
    )


def add_program_facts(planned: Provenance, note: Mapping[str, Any]) -> Provenance:
    """The facts, updated with the solution's note on the agent's program and on what was really pinned."""
    program = note.get("program")
    facts: Mapping[str, Any] = program if isinstance(program, Mapping) else {}
    pinned = facts.get("pinned")
    effort = str(pinned.get(EFFORT) or "") if isinstance(pinned, Mapping) else planned.effort
    version = str(facts.get("version") or planned.agent_version)
    return Provenance(agent_version=version, effort=effort, prices=planned.prices)


def prices_as_text(file: str | Path | None = None) -> str:
    """The price table with its version; before it the user's file, which takes precedence, by its digest."""
    table = _table_as_text()
    if not file:
        return table
    try:
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:DIGITS]
    except OSError:  # whoever reads the prices of it reports that
        digest = "not readable"
    return f"{Path(file).name} {digest}, else {table}"


def _table_as_text() -> str:
    from harness.gateway.price_table import table_facts

    try:
        return str(table_facts())
    except FileNotFoundError:
        return "no price table"
