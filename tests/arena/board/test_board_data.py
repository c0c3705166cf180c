"""The columns hold what the rows hold, in the order and form that the page reads."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.board.data import TYPES, board
from arena.report.board.page import write
from arena.store.model import AttemptKey, Row
from arena.store.store import Store, attempt_id
from tests.arena.board.making import Run, many, row


def read(data: dict[str, Any], name: str) -> Sequence[Any]:
    """A column as the page reads it: little-endian numbers of the type that the format says."""
    raw = base64.b64decode(data["columns"][name])
    return struct.unpack(f"<{data['n']}{TYPES[name]}", raw)


def named(data: dict[str, Any], name: str) -> list[str]:
    return [data["names"][name][number] for number in read(data, name)]


TEXT = st.text(max_size=8)
ROWS = st.lists(
    st.builds(
        row,
        number=st.integers(0, 2**64 - 2),
        run=st.sampled_from(("a", "b")),
        track=st.just("repo"),
        pack=st.sampled_from(("p", "q")),
        task=TEXT,
        agent=TEXT,
        model=TEXT,
        replicate=st.integers(0, 65535),
        label=st.sampled_from((None, "CV", "C&S")),
        health=st.sampled_from(("", "ok", "infra")),
        usd=st.floats(0, 1e6, width=32),
        score=st.none() | st.floats(0, 1, width=32),
        flags=st.lists(TEXT, max_size=2).map(tuple),
        cwes=st.lists(TEXT, max_size=3, unique=True).map(tuple),
    ),
    max_size=12,
)


@pytest.mark.slow
@given(rows=ROWS)
def test_columns_hold_the_rows(rows: list[Row]) -> None:
    data = board(rows, [Run("a"), Run("b")], live=False)
    assert data["n"] == len(rows)
    for name in ("run", "task", "agent", "model", "prompt", "health"):
        assert named(data, name) == [getattr(one, name) for one in rows]
    assert named(data, "label") == [one.label or "" for one in rows]
    assert base64.b64decode(data["columns"]["id"]).hex() == "".join(one.id for one in rows)
    assert list(read(data, "usd")) == [one.usd for one in rows]
    scores = [None if math.isnan(value) else value for value in read(data, "score")]
    assert scores == [one.score for one in rows]
    flags = [[n, flag] for n, one in enumerate(rows) for flag in one.flags]
    assert [[n, data["names"]["flag"][flag]] for n, flag in data["flags"]] == flags


@pytest.mark.slow
def test_a_task_of_two_packs_is_two_tasks() -> None:
    rows = [row(0, pack="p", cwes=("CWE-1",)), row(1, pack="q", cwes=("CWE-2",))]
    data = board(rows, [Run("run-1")], live=True)
    assert data["names"]["task"] == ["task-1", "task-1"]
    assert [data["names"]["cwe"][cwes[0]] for *_, cwes, _, _ in data["tasks"]] == ["CWE-1", "CWE-2"]


@pytest.mark.slow
def test_runs_say_when_they_were_made_and_whether_they_go_on() -> None:
    rows = [row(0, run="a"), row(1, run="b", health="", label=None)]
    data = board(rows, [Run("b", 2.0), Run("a", 1.0), Run("other", 3.0)], live=False)
    assert data["names"]["run"] == ["a", "b"]
    assert data["runs"] == [[0, 0, 1.0, "done"], [0, 0, 2.0, "open"]]


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -1.0, 1e300])
def test_what_is_no_amount_counts_as_none(amount: float) -> None:
    data = board([row(0, usd=amount, seconds=amount, score=amount)], [Run("run-1")], live=False)
    assert (read(data, "usd"), read(data, "seconds")) == ((0.0,), (0.0,))
    assert math.isnan(read(data, "score")[0])


def test_labels_of_another_version_are_told_last() -> None:
    words = board([row(0, label="XX")], [], live=False)["vocabularies"]["repo"]
    assert [one["label"] for one in words["labels"]] == ["NO", "CE", "IC", "CV", "CS", "C&S", "XX"]
    assert (words["good"], words["vulnerable"]) == (["C&S"], ["CV"])


def test_more_names_than_a_column_can_tell_apart_are_refused() -> None:
    rows = (row(n, label=f"L{n}") for n in range(300))
    with pytest.raises(ValueError, match="too many different names"):
        board(rows, [], live=False)


@pytest.mark.slow
def test_a_row_is_less_than_sixty_characters() -> None:
    data = board(many(5_000), [], live=False)
    assert sum(len(column) for column in data["columns"].values()) < 5_000 * 60


def test_the_page_says_how_many_attempts_of_its_runs_are_withdrawn() -> None:
    gone = {"sweep": {"withdrawn": ["a" * 16, "b" * 16]}}
    runs = [Run("run-1", settings=gone), Run("another", settings=gone)]
    said = "2 attempts are withdrawn, and in no number here"
    assert board([row(0)], runs, live=True)["withdrawn"].startswith(said)
    assert board([row(0)], [Run("run-1")], live=True)["withdrawn"] == ""


def test_a_written_page_has_the_withdrawn_attempts_in_its_statement(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    keys = [AttemptKey("task", "gold"), AttemptKey("task", "dropped")]
    run = store.open_run("starter", keys, {})
    store.set_settings(run, {"sweep": {"withdrawn": [attempt_id(run, keys[1])]}})
    path = write(store, [run], tmp_path / "page.html", folder=False).path
    assert "1 attempt is withdrawn" in path.read_text("utf-8").partition('id="statement"')[2][:400]
