"""ATIF trajectories: a folder with one JSON file for each attempt, named by its id, and an index."""

from __future__ import annotations

import json
from pathlib import Path

from arena.exchange.atif import ARTEFACT
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import empty_folder, whole_file

INDEX = "index.jsonl"


def write(source: Source, out: Path, say: Say) -> None:
    empty_folder(out)
    count = without = 0
    with whole_file(out / INDEX) as index:
        for attempt in source.attempts():
            digest = attempt.artefacts().get(ARTEFACT)
            if digest is None:
                without += 1
                continue
            name = f"{attempt.id}.json"
            with whole_file(out / name) as stream:
                stream.write(source.store.blob(digest))
            entry = {"file": name, "attempt": attempt.id, "run": attempt.run, **vars(attempt.key)}
            told = {"label": attempt.label, "health": attempt.health, "usd": attempt.usd}
            rests_on = {"provenance": attempt.provenance.to_json()}
            index.write(json.dumps({**entry, **told, **rests_on}).encode() + b"\n")
            count += 1
    say(
        f"{count} trajectories in {out}; {without} attempts have none: no agent worked on them with a model"
    )


PLUGIN = WrittenFile("atif", "A folder of trajectories in Harbor's format ATIF.", write)
