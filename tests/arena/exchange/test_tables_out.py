"""CSV, JSON lines, Parquet, predictions and trajectories say what the store holds."""

from __future__ import annotations

import csv
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.exchange.atif import messages
from arena.exchange.columns import COLUMNS, cell, value_of_type
from arena.exchange.groups import GroupFiles, file_name
from arena.store.store import Store
from arena.tracks.repo.predictions import read_predictions
from parsers.registry import names
from tests.arena.exchange.making import ATIF, PATCH, RUN, a_run, exported, many


@pytest.fixture
def full(store: Store) -> Store:
    a_run(store)
    return store


def test_every_format_is_there() -> None:
    assert set(names("arena.exchange.formats")) >= {
        *("predictions", "inspect", "harbor", "parquet", "csv", "jsonl", "html", "atif", "run")
    }


def test_jsonl_is_each_attempt_with_the_facts_of_its_task(full: Store, tmp_path: Path) -> None:
    exported(full, "jsonl", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    held = {attempt.id: attempt for attempt in full.attempts(RUN)}
    assert {row["attempt"] for row in rows} == held.keys()
    for row in rows:
        told = json.loads(json.dumps(held[row["attempt"]].to_json()))
        assert {name: row[name] for name in told} == told
        assert row["cwes"] == (["CWE-122", "CWE-20"] if row["task"] == "alpha" else [])
        assert (row["track"], row["pack"], row["project"]) == ("repo", "starter", "tarn")


def test_where_chooses_attempts(full: Store, tmp_path: Path) -> None:
    exported(full, "jsonl", tmp_path / "out", "cwe=CWE-20", "label=CV", "agent=aider")
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert {(row["task"], row["label"], row["agent"]) for row in rows} == {("alpha", "CV", "aider")}
    with pytest.raises(ValueError, match="no field 'colour'"):
        exported(full, "jsonl", tmp_path / "out", "colour=red")


def test_csv_has_no_formula_and_one_line_an_attempt(full: Store, tmp_path: Path) -> None:
    exported(full, "csv", tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 8 == len(text.splitlines()) - 1
    assert "\x1b" not in text
    reasons = {row["reason"] for row in rows if row["label"]}
    assert reasons == {"'=HYPERLINK(1)\N{REPLACEMENT CHARACTER}[31m <script>"}
    usd = {row["agent"]: float(row["usd"]) for row in rows if row["health"]}
    assert usd == {"gold": 0.0, "aider": 0.25}
    assert {row["cwes"] for row in rows} == {"CWE-122;CWE-20", ""}


@given(st.text())
def test_no_cell_begins_a_formula_or_a_line(text: str) -> None:
    shown = cell(text)
    assert not shown.lstrip().startswith(("=", "+", "-", "@"))
    assert "\n" not in shown and "\r" not in shown and "\x1b" not in shown


@pytest.mark.slow
def test_parquet_has_typed_columns(full: Store, tmp_path: Path) -> None:
    exported(full, "parquet", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == list(COLUMNS)
    assert str(table.schema.field("tokens").type) == "int64"
    assert str(table.schema.field("usd").type) == "double"
    assert str(table.schema.field("flags").type).startswith("list<")
    rows = {row["attempt"]: row for row in table.to_pylist()}
    for attempt in full.attempts(RUN):
        row = rows[attempt.id]
        assert (row["label"], row["usd"], row["tokens"]) == (
            attempt.label,
            attempt.usd,
            attempt.tokens,
        )
        assert row["flags"] == list(attempt.flags)
        assert row["usage_cached_tokens"] == attempt.usage.get("cached_tokens")


NUMBERS = st.integers() | st.floats() | st.booleans() | st.text() | st.none() | st.just([1])


@given(NUMBERS, st.sampled_from([int, float]))
def test_what_an_agent_claims_fits_its_column_or_is_left_out(value: Any, type_: type) -> None:
    found = value_of_type(value, type_)
    assert found is None or (
        type(found) is type_ and abs(found) <= 1 << 63 and found == type_(value)
    )


def test_predictions_are_read_by_grade(full: Store, tmp_path: Path) -> None:
    said = exported(full, "predictions", tmp_path / "out")
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == 4
    found = [one for path in files for one in read_predictions(path)]
    assert len(found) == 7
    assert {one.patch for one in found} == {PATCH}
    assert {one.model for one in found} == {"gold", "aider openai/m"}
    assert "1 attempts left no patch and are not in it" in said
    with pytest.raises(ValueError, match="is there already; name a new folder"):
        exported(full, "predictions", tmp_path / "out", "agent=gold", "agent=aider")


def test_two_processes_that_write_the_same_file_do_not_mix_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    with GroupFiles(tmp_path) as files:
        files.file(path).write("one\n" * 9)
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: -1)
            with GroupFiles(tmp_path) as others:
                others.file(path).write("another\n")
        assert path.read_text() == "another\n"
    assert path.read_text() == "one\n" * 9
    assert list(tmp_path.iterdir()) == [path]


def test_predictions_of_one_column_are_one_file(store: Store, tmp_path: Path) -> None:
    a_run(store, replicates=1)
    exported(store, "predictions", tmp_path / "gold.jsonl", "agent=gold")
    found = read_predictions(tmp_path / "gold.jsonl")
    assert [one.instance_id for one in found] in (["alpha", "beta"], ["beta", "alpha"])
    (tmp_path / "taken").write_text("")
    with pytest.raises(ValueError, match="is a file; 2 files are to be written"):
        exported(store, "predictions", tmp_path / "taken")


def test_atif_has_a_file_for_each_attempt_that_asked(full: Store, tmp_path: Path) -> None:
    exported(full, "atif", tmp_path / "out")
    index = [json.loads(line) for line in (tmp_path / "out/index.jsonl").read_text().splitlines()]
    assert {entry["agent"] for entry in index} == {"aider"}
    for entry in index:
        trial = f"{RUN}/{entry['task']}__{entry['attempt']}"
        assert entry["file"] == f"{trial}/agent/trajectory.json"
        trajectory = json.loads((tmp_path / "out" / entry["file"]).read_text())
        assert trajectory["steps"] == ATIF["steps"]
        assert trajectory["session_id"] == entry["attempt"]
    with pytest.raises(ValueError, match="is there already"):
        exported(full, "atif", tmp_path / "out")


@pytest.mark.slow
def test_html_is_the_dashboard(full: Store, tmp_path: Path) -> None:
    exported(full, "html", tmp_path / "out.html", "agent=gold")
    page = (tmp_path / "out.html").read_text("utf-8")
    assert "Content-Security-Policy" in page
    assert "aider" not in page.split('id="board"')[1][:20_000]
    exported(full, "html", tmp_path / "folder")
    assert (tmp_path / "folder/index.html").is_file()
    assert len(list((tmp_path / "folder/attempts").iterdir())) == 7


def test_messages_of_a_trajectory() -> None:
    found = messages(ATIF)
    assert [one["role"] for one in found] == ["system", "user", "assistant", "tool"]
    assert found[2]["content"][0] == {"type": "reasoning", "reasoning": "first look"}
    assert found[2]["tool_calls"][0]["arguments"] == {"cmd": "ls"}
    assert (found[3]["tool_call_id"], found[3]["function"]) == ("c1", "bash")


STEPS = st.sampled_from(
    ["source", "message", "tool_calls", "observation", "results", "content", "arguments", "agent"]
)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STEPS, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.fixed_dictionaries({"steps": JSONS | st.lists(st.dictionaries(STEPS, JSONS))}))
def test_a_trajectory_of_any_form_gives_messages(trajectory: dict[str, Any]) -> None:
    for one in messages(trajectory):
        assert one["role"] in ("system", "user", "assistant", "tool")
        json.dumps(one)


@pytest.mark.slow
@given(st.text(), st.text())
def test_names_of_files_are_plain_and_apart(one: str, other: str) -> None:
    name = file_name(one)
    assert "/" not in name and name not in ("", ".", "..") and len(name) < 120 and name.isascii()
    if one != other and file_name(other) == name:
        assert {one, other} <= {"", "unnamed"} or one == other


@pytest.mark.slow
def test_memory_is_flat(store: Store, tmp_path: Path) -> None:
    """16 MB of evidence are not in memory at one time."""
    many(store, 2_000, tail="x" * 8_000)
    exported(store, "jsonl", tmp_path / "warm", "label=CS")
    tracemalloc.start()
    exported(store, "jsonl", tmp_path / "out")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "out").stat().st_size > 16_000_000
    assert peak < 8_000_000
