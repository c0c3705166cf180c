"""Search over trajectories, in both databases: words, kinds, runs, attempts that ended again, hostile queries."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.store.model import Attempt, AttemptKey, attempt_id
from arena.store.search import StepText
from arena.store.store import Store
from tests.arena.serve.making import finish

TEXTS = {
    "a": [StepText(1, "message", "Make decoding faster"), StepText(2, "command", "sed -n 1,20p src/codec.c")],
    "b": [StepText(7, "result", "strcpy(out, in); \x00 \udc80 na\u00efve"), StepText(8, "message", "done")],
}  # fmt: skip


def texts_of(attempt: Attempt) -> list[StepText]:
    return TEXTS[attempt.key.task]


def opened(store: Store, run: str = "run-1", tasks: str = "ab") -> list[str]:
    keys = [AttemptKey(task, "x") for task in tasks]
    store.open_run("pack", keys, {}, run)
    for key in keys:
        finish(store, attempt_id(run, key))
    return [attempt_id(run, key) for key in keys]


def asked(store: Store, words: str, run: str = "run-1", **more: object) -> list[tuple[str, int]]:
    found, _ = store.search(run, words, **more)  # type: ignore[arg-type]
    return sorted((one.attempt, one.step) for one in found)


@pytest.mark.slow
def test_words_are_found_where_they_are(store: Store) -> None:
    a, b = opened(store)
    assert store.search("run-1", "codec") == ([], 2), "nothing is in yet, and that is said"
    assert store.index("run-1", texts_of, 1) == 1
    assert store.search("run-1", "x")[1] == 1
    assert store.index("run-1", texts_of, 5) == 1
    assert store.index("run-1", texts_of, 5) == 0
    assert asked(store, "CODEC") == [(a, 2)]
    assert asked(store, "src/codec.c") == [(a, 2)], "signs part words"
    assert asked(store, "dec") == []
    assert asked(store, "faster dec*") == [(a, 1)], "the last word may be only begun"
    assert asked(store, "strcpy out") == [(b, 7)]
    assert asked(store, "nai\u0308ve") == asked(store, "na\u00efve"), "however accents are typed"
    assert asked(store, "strcpy done") == [], "all words in one text"
    assert asked(store, "sed", kinds=("message",)) == []
    assert asked(store, "sed", kinds=("message", "command")) == [(a, 2)]


@pytest.mark.slow
def test_a_search_stays_in_its_run(store: Store) -> None:
    opened(store)
    (other,) = opened(store, "run-1-2", "a")
    for run in ("run-1", "run-1-2"):
        store.index(run, texts_of, 9)
    assert asked(store, "codec", "run-1-2") == [(other, 2)]
    assert len(asked(store, "codec")) == 1


@pytest.mark.slow
def test_an_attempt_that_ended_again_is_put_in_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = AttemptKey("a", "x")
    store.open_run("pack", [key], {}, "run-1")
    id_ = attempt_id("run-1", key)
    finish(store, id_, None)
    store.index("run-1", texts_of, 9)
    finish(store, id_)
    monkeypatch.setitem(TEXTS, "a", [StepText(3, "message", "another way")])
    assert store.index("run-1", texts_of, 9) == 1
    assert asked(store, "decoding") == []
    assert asked(store, "another") == [(id_, 3)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.text(max_size=20) | st.sampled_from(['" OR 1', "a AND NOT", "text:a", "'; drop", "a*(", "& | !"]))  # fmt: skip
def test_no_query_is_taken_for_more_than_words(store: Store, words: str) -> None:
    if not any(c.isalnum() for c in words):
        with pytest.raises(ValueError, match="no word to search for"):
            opened_once(store).search("run-1", words)
        return
    opened_once(store).search("run-1", words)


def opened_once(store: Store) -> Store:
    if not store.runs():
        opened(store)
        store.index("run-1", texts_of, 9)
    return store
