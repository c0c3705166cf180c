"""`arena runs`: the runs of a store, and the user's situation when no command is named."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import emit

if TYPE_CHECKING:
    from arena.store.store import Store

MAX_PACKS_NAMED = 8


def command(
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many.")] = 20,
    store: options.StoreAt = "",
    as_json: options.Json = False,
) -> None:
    from arena.report.text import visible
    from arena.store.known import known_store

    opened = known_store(store)
    facts = run_facts(opened, limit)
    if as_json:
        emit({"store": opened.display, "runs": facts})
        return
    width = max((len(fact["run"]) for fact in facts), default=0)
    for fact in facts:
        done = f"{fact['done']}/{fact['attempts']}"
        cells = (f"{fact['run']:{width}}", fact["date"], f"{fact['pack']:12}", f"{done:>9}")
        print("  ".join(map(visible, (*cells, _labels_in_words(fact["labels"])))))
    if not facts:
        print(f"no run in {opened.display} yet: arena run, or arena demo")


def run_facts(store: Store, limit: int) -> list[dict[str, Any]]:
    """Rows of the newest runs: id, pack, track, date (UTC), attempts, how many have ended, and labels."""
    facts = []
    for run in store.runs()[:limit]:
        counts = store.counts(run.id)
        facts.append(
            {
                "run": run.id,
                "pack": run.pack,
                "track": run.track,
                "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.created)),
                "attempts": counts.attempts,
                "done": counts.attempts - counts.open,
                "labels": dict(counts.labels),
            }
        )
    return facts


def _labels_in_words(labels: Mapping[str, int]) -> str:
    return " ".join(f"{number} {label}" for label, number in labels.items()) or "no label"


def print_standing() -> None:
    """Print the user's situation in up to ten lines: version, store, latest run, packs, next commands."""
    from arena.report.text import one_line, visible
    from arena.store.location import location_of
    from arena.version import installed
    from tasks.loader import shipped_packs

    location = location_of(None)
    packs = shipped_packs()
    more = " ..." if len(packs) > MAX_PACKS_NAMED else ""
    lines = [
        f"arena {installed()}: are coding agents' results correct, and are they secure?",
        f"store    {one_line(location.display)}",
        *_latest_run(location.is_file and not location.folder.is_dir()),
        f"packs    {', '.join(packs[:MAX_PACKS_NAMED])}{more}",
        "try      arena doctor                              what this machine has and lacks",
        "         arena demo                                all six labels, without a model",
        "         arena run --pack starter --agent AGENT    an agent on real tasks",
        "         arena runs                                what is in the store",
        "         arena --help                              all commands",
    ]
    for line in lines:
        print(visible(line))


def _latest_run(is_new: bool) -> list[str]:
    from arena.store.store import Store

    # Opening a store makes it: who only looks gets none.
    facts = [] if is_new else run_facts(Store(), 1)
    if not facts:
        return ["runs     none yet"]
    (fact,) = facts
    labels = _labels_in_words(fact["labels"])
    return [f"latest   {fact['run']}, pack {fact['pack']}, {fact['date']} UTC: {labels}"]
