"""Every export says of each row on what it rests; what sums rows up does not mix versions unasked."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from arena.exchange.columns import COLUMNS
from arena.exchange.importing import import_run
from arena.exchange.opening import ImportRefused
from arena.exchange.samples import usage_of
from arena.report.provenance import VersionsDiffer
from arena.store.model import Attempt, AttemptKey, attempt_id
from arena.store.provenance import FACTS, NOTHING_RECORDED
from arena.store.store import Store
from arena.tracks.repo.predictions import read_predictions
from tests.arena.conftest import Arena
from tests.arena.exchange.making import PATCH, RUN, USAGE, a_run, exported, rests_on, written
from tests.arena.exchange.test_refused_files import changed, fit, members, packed

NAMES = [fact.name for fact in FACTS]
# What peers read by their place.
EARLIER = [
    *("attempt", "run", "track", "pack", "task", "agent", "model", "prompt", "replicate", "health"),
    *("label", "reason", "ended", "score", "usd", "tokens", "seconds", "tries", "node", "finished"),
    *("flags", "found", "patch", "trajectory", "title", "language", "project", "domain", "cwes"),
    *("usage_calls", "usage_input_tokens", "usage_output_tokens", "usage_cached_tokens"),
    *("usage_reasoning_tokens", "usage_retries", "usage_refused"),
]


def facts_of(store: Store) -> dict[str, dict[str, str]]:
    return {one.id: one.provenance.to_json() for one in store.attempts(RUN)}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def full(store: Store) -> Store:
    a_run(store, effort="high")
    return store


def test_new_columns_stand_behind_those_that_are_known() -> None:
    assert list(COLUMNS) == [*EARLIER, "usage_written_tokens", *NAMES]


def test_csv(full: Store, tmp_path: Path) -> None:
    exported(full, "csv", tmp_path / "out.csv")
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text("utf-8").splitlines()))
    assert {row["attempt"]: {name: row[name] for name in NAMES} for row in rows} == facts_of(full)
    asked = [row for row in rows if row["usage_calls"]]
    assert {(r["model"], r["effort"], r["usage_written_tokens"]) for r in asked} == {("openai/m", "high", "30")}  # fmt: skip


def test_parquet_has_null_where_nothing_is_recorded(full: Store, tmp_path: Path) -> None:
    exported(full, "parquet", tmp_path / "out.parquet")
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    told = {row["attempt"]: {name: row[name] or "" for name in NAMES} for row in rows}
    assert told == facts_of(full)
    assert {row["effort"] for row in rows} == {"high", None}


@pytest.mark.parametrize("to", ["jsonl", "atif"])
def test_json_lines(to: str, full: Store, tmp_path: Path) -> None:
    exported(full, to, tmp_path / "out")
    found = lines(tmp_path / "out" / "index.jsonl" if to == "atif" else tmp_path / "out")
    every = facts_of(full)
    assert found and all(row["provenance"] == every[row["attempt"]] for row in found)


def test_predictions_are_still_what_graders_read(full: Store, tmp_path: Path) -> None:
    exported(full, "predictions", tmp_path / "out", "agent=aider")
    files = sorted((tmp_path / "out").iterdir())
    for path in files:
        assert all(one["provenance"]["effort"] == "high" for one in lines(path))
        assert {one.patch for one in read_predictions(path)} == {PATCH}
        assert {one.model for one in read_predictions(path)} == {"aider openai/m (high)"}


def test_a_model_is_chosen_as_tables_name_it(full: Store, tmp_path: Path) -> None:
    exported(full, "jsonl", tmp_path / "out", "model=openai/m (high)")
    assert {row["model"] for row in lines(tmp_path / "out")} == {"openai/m"}
    with pytest.raises(ValueError, match=r"no attempt has the model 'openai/m'; known: .*\(high\)"):
        exported(full, "jsonl", tmp_path / "out", "model=openai/m")


def test_inspect_logs(full: Store, tmp_path: Path) -> None:
    exported(full, "inspect", tmp_path / "out")
    logs = {}
    for path in (tmp_path / "out").iterdir():
        with zipfile.ZipFile(path) as log:
            head = json.loads(log.read("header.json"))["eval"]
            names = [name for name in log.namelist() if name.startswith("samples/")]
            samples = [json.loads(log.read(name)) for name in names]
        logs[head["solver"]] = head
        every = facts_of(full)
        assert all(s["metadata"]["provenance"] == every[s["uuid"]] for s in samples)
    assert logs["gold"]["metadata"]["provenance"]["grader_version"] == ["grader 5"]
    assert "effort" not in logs["gold"]["metadata"]["provenance"]
    assert logs["aider"]["metadata"]["provenance"]["effort"] == ["high"]
    assert logs["aider"]["model"] == "openai/m"


def test_tokens_of_the_cache_are_apart_in_inspect() -> None:
    attempt = Attempt("1", RUN, AttemptKey("t", "aider", "m"), usage=dict(USAGE))
    told = usage_of(attempt)
    assert (told["input_tokens"], told["input_tokens_cache_read"]) == (30, 40)
    assert (told["input_tokens_cache_write"], told["total_tokens"]) == (30, 107)
    hostile = usage_of(replace(attempt, usage={**USAGE, "written_tokens": 10**9}))
    assert (hostile["input_tokens"], hostile["input_tokens_cache_write"]) == (0, 60)


def test_a_run_keeps_it(full: Store, other: Store, tmp_path: Path) -> None:
    exported(full, "run", tmp_path / "run.zip")
    head = json.loads(members(tmp_path / "run.zip")["manifest.json"])
    assert head["version"] == 3 and head["provenance"]["grader_version"] == ["grader 5"]
    assert import_run(other, tmp_path / "run.zip") == (RUN, 8, True)
    assert facts_of(other) == facts_of(full)


def test_a_run_of_the_version_before_is_imported_with_nothing_recorded(
    file: Path, other: Store
) -> None:
    found = members(file)
    del found["statement.json"]
    attempts = [json.loads(line) for line in found["attempts.jsonl"].splitlines()]
    for one in attempts:
        del one["provenance"]
    found["attempts.jsonl"] = b"".join(json.dumps(one).encode() + b"\n" for one in attempts)
    fit(found, "attempts.jsonl")
    manifest = json.loads(found["manifest.json"])
    del manifest["provenance"]
    found["manifest.json"] = json.dumps(manifest | {"version": 1}).encode()
    packed(file, found)
    assert import_run(other, file) == (RUN, 8, True)
    assert {one.provenance for one in other.attempts(RUN)} == {NOTHING_RECORDED}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"colour": "red"}, "provenance.colour: unknown field"),
        ({"scanner": 1}, "provenance.scanner: not a text"),
        ({"scanner": "x" * 301}, "provenance.scanner: not a text of up to 300"),
        ({"scanner": "a\0b"}, "provenance.scanner: not a text"),
        ([], "provenance: is of the wrong kind"),
    ],
)
def test_what_is_no_provenance_is_refused(value: Any, told: str, file: Path, other: Store) -> None:
    found = members(file)
    edit: Callable[[Any], None] = lambda line: line.update(provenance=value)  # noqa: E731
    changed("attempts.jsonl", edit)(found)
    packed(file, found)
    with pytest.raises(ImportRefused, match=told):
        import_run(other, file)


def mixed(store: Store) -> None:
    """A run of which one attempt was graded by another grader, after an upgrade."""
    a_run(store)
    key = AttemptKey("beta", "aider", "openai/m", "neutral", 1)  # the one that is open
    one = written(store, 7, key)
    old = replace(rests_on(key), grader_version="grader 4")
    store.write([replace(one, attempt=attempt_id(RUN, key), provenance=old)])


@pytest.mark.slow
@pytest.mark.parametrize("to", ["paper", "html"])
def test_rates_of_several_versions_are_refused_unless_asked_for(
    to: str, arena: Arena, tmp_path: Path
) -> None:
    mixed(Store())
    refused = arena("export", RUN, "--to", to, "--out", "out.html")
    assert refused.status == 2
    assert "grader version: grader 5 (6), grader 4 (1)" in refused.err
    assert "--mix-versions" in refused.err and not Path("out.html").exists()
    done = arena("export", RUN, "--to", to, "--out", "out.html", "--mix-versions")
    assert done.status == 0 and Path("out.html").exists()


@pytest.mark.parametrize("to", ["csv", "jsonl", "predictions", "run", "inspect"])
def test_rows_that_tell_of_themselves_are_not(to: str, store: Store, tmp_path: Path) -> None:
    mixed(store)
    exported(store, to, tmp_path / "out")
    with pytest.raises(VersionsDiffer):
        exported(store, "paper", tmp_path / "paper")


@pytest.mark.slow
def test_the_statement_of_a_paper_is_of_the_verdicts(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not of the installation that writes it, which may be a later one."""
    monkeypatch.setattr("harness.grade.version.GRADER_VERSION", 99)
    a_run(Store(), effort="high")
    assert arena("report", RUN, "--paper", "out").status == 0
    with next(Path("out/tables").glob("*data-statement.csv")).open(newline="") as file:
        rows = [line for line in csv.reader(file) if len(line) == 2]
    said = dict(rows)
    assert len(said) == len(rows)
    assert said["grader version"] == "grader 5" and said["rules"] == "builtin 0123456789abcdef"
    assert said["image digest"] == "sha256:" + "1" * 64 and said["images"] == "arena/cpp"
    assert said["task digest"].endswith("over 2 tasks") and said["effort"] == "high"
    assert said["price table"] == "LiteLLM 1.106.2 of 2026-05-01"
    assert said["agent version"] == "aider 0.86.2"
