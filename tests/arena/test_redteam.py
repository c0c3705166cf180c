"""Hostile patches as an answer set: a folder of them is read, and counted by class."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.cli.redteam import ClassCount, command, count_by_class, read_column
from arena.store.model import AttemptKey
from arena.tracks.repo.predictions import Prediction, PredictionError, read_predictions

ORDER = ("NO", "CE", "IC", "CV", "CS", "C&S")


@dataclass
class Graded:
    """What the counts need of an attempt."""

    key: AttemptKey
    label: str | None


def graded(name: str, label: str | None) -> Any:
    return Graded(AttemptKey("task", "answers", name), label)


def test_each_class_has_its_counts() -> None:
    attempts = [
        graded("near01-far", "C&S"),
        graded("near02-farther", "C&S"),
        graded("near03-table", "IC"),
        graded("scan01-hidden", "CS"),
        graded("scan02-lost", None),
        graded("UPPER", "CE"),
    ]
    due = {"task__near01-far": "CV", "task__near03-table": "CV", "task__scan01-hidden": "CV"}
    holes = {"task__near01-far": "why"}
    assert count_by_class(attempts, due, holes, ORDER, frozenset({"C&S"})) == {
        "other": ClassCount(1, 0, 0, 0, 0),
        "near": ClassCount(3, 2, 1, 1, 0),
        "scan": ClassCount(2, 0, 0, 1, 1),
        "all": ClassCount(6, 2, 1, 2, 1),
    }


def test_a_folder_of_patches_is_an_answer_set(tmp_path: Path) -> None:
    (tmp_path / "one__near01-far.patch").write_bytes(b"first\xff")
    (tmp_path / "two__scan01.patch").write_bytes(b"second")
    (tmp_path / "due.tsv").write_text("one__near01-far\tCV\n")
    (tmp_path / "notes.patch").write_bytes(b"belongs to no task")
    assert read_predictions(tmp_path) == [
        Prediction("one", "near01-far", b"first\xff"),
        Prediction("two", "scan01", b"second"),
    ]
    assert read_column(tmp_path / "due.tsv") == {"one__near01-far": "CV"}
    assert read_column(tmp_path / "none.tsv") == {}


def test_a_folder_without_patches_is_none(tmp_path: Path) -> None:
    with pytest.raises(PredictionError, match="Is a directory"):
        read_predictions(tmp_path)


def test_a_pack_without_hostile_patches_is_named(tmp_path: Path) -> None:
    (tmp_path / "pack.toml").write_text("")
    with pytest.raises(ValueError, match="redteam: no such folder: the pack has no hostile"):
        command(str(tmp_path))
