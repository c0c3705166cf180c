"""What the suite keeps of gold between workers and runs is believed only if this tree stored it, and whole."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import gold_cache
from tests.gold_cache import GoldCache

SHA_OF_7 = hashlib.sha256(b"7").hexdigest()
FACT = {"suite": {"outcomes": {"a": "passed"}}}


def test_another_worker_finds_what_gold_came_to(tmp_path: Path) -> None:
    GoldCache(tmp_path).put_fact("reference:x", FACT)
    assert GoldCache(tmp_path).fact("reference:x") == FACT
    assert GoldCache(tmp_path).fact("reference:y") is None


def test_a_verdict_is_never_shared(tmp_path: Path) -> None:
    GoldCache(tmp_path).put_fact("verdict:x", FACT)
    assert GoldCache(tmp_path).fact("verdict:x") is None
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:20],
        lambda text: "",
        lambda text: text.replace("passed", "failed"),
        lambda text: text.replace("reference:x", "reference:z"),
        lambda text: "[]",
        lambda text: "[" * 100_000,
        lambda text: json.dumps({"key": "reference:x", "fact": 7, "sha256": SHA_OF_7}),
        lambda text: json.dumps({"key": "reference:x"}),
    ],
)
def test_a_damaged_fact_is_taken_anew(tmp_path: Path, damage: object) -> None:
    GoldCache(tmp_path).put_fact("reference:x", FACT)
    [path] = tmp_path.iterdir()
    path.write_text(damage(path.read_text()))  # type: ignore[operator]
    assert GoldCache(tmp_path).fact("reference:x") is None


@pytest.mark.slow
def test_facts_of_another_version_of_the_tree_lie_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    GoldCache().put_fact("reference:x", FACT)
    assert GoldCache().fact("reference:x") == FACT
    monkeypatch.setattr(gold_cache, "tree_digest", lambda: "of another tree")
    assert GoldCache().fact("reference:x") is None


def test_the_digest_of_the_tree_changes_with_a_line_of_the_grader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gold_cache, "TREE", tmp_path)
    path = tmp_path / "harness/grade/decide.py"
    path.parent.mkdir(parents=True)
    digests = set()
    for text in ("a = 1\n", "a = 2\n"):
        path.write_text(text)
        digests.add(gold_cache.compute_tree_digest())
    assert len(digests) == 2


def test_facts_of_old_trees_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number in range(6):
        for name in ("tree_digest", "compute_tree_digest"):
            monkeypatch.setattr(gold_cache, name, lambda number=number: f"tree {number}")
        GoldCache().put_fact("reference:x", FACT)
    assert len([*(tmp_path / "arena-tests/gold").iterdir()]) == gold_cache.MAX_TREES_KEPT


@pytest.mark.slow
def test_nothing_is_stored_once_the_tree_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = GoldCache()
    monkeypatch.setattr(gold_cache, "compute_tree_digest", lambda: "edited")
    cache.put_fact("reference:x", FACT)
    assert GoldCache().fact("reference:x") is None


@pytest.mark.slow
def test_two_runs_at_once_never_read_half_a_fact(tmp_path: Path) -> None:
    def write_and_read(number: int) -> bool:
        GoldCache(tmp_path).put_fact("reference:x", {"number": 7, "long": "x" * 100_000})
        return GoldCache(tmp_path).fact("reference:x") is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, range(64)))


def test_without_a_folder_to_write_in_it_is_a_cache_of_one_process(tmp_path: Path) -> None:
    cache = GoldCache(tmp_path / "none/there")
    cache.put_fact("reference:x", FACT)
    assert cache.fact("reference:x") == FACT
