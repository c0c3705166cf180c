"""Many attempts at a time: in turn, once, with what they cost, and as rows and counts."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.store.model import AttemptKey, AttemptUpdate, Row, Spent, StoredSolution, TaskFacts
from arena.store.solutions import keep, load
from arena.store.store import Store, UnknownRun, attempt_id
from arena.store.writing import turns
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Ended, Solution

GOOD = Verdict(Label.SECURE, reason="fine", evidence={"build": {"log": "l"}}, score=0.5)
FAULT = Verdict(None, Health.INFRA, "the machine")
TASKS = [f"t{number}" for number in range(7)]
KEYS = [
    AttemptKey(task, agent, model, "neutral", replicate)
    for task in TASKS
    for agent, model in (("a", "m"), ("a", "n"), ("b", "m"))
    for replicate in range(2)
]


def left(ended: str = "finished") -> StoredSolution:
    return StoredSolution(
        "p" * 64, ended, {"usd": 1.0}, "q" * 64, {"exit": 0}, {"record": "r" * 64}
    )


@pytest.mark.slow
def test_what_is_spent_adds_up_and_a_verdict_keeps_what_the_agent_left(store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    (one,) = store.open_attempts(run)
    assert (
        store.write([AttemptUpdate(one.id, Spent(0.5, 10, 1.0, 1), node="one", flags=("history",))])
        == 1
    )
    assert (
        store.write([AttemptUpdate(one.id, Spent(1.0, 20, 2.0, 1), left(), flags=("network",))])
        == 1
    )
    (only_graded,) = store.open_attempts(run)
    assert only_graded.solution == left()
    assert store.attempt(one.id).health == ""
    end = AttemptUpdate(one.id, Spent(seconds=4.0), None, GOOD, "two", ("oracle",), ("CWE-787",))
    assert store.write([end]) == 1
    found = store.attempt(one.id)
    assert (found.usd, found.tokens, found.seconds, found.tries) == (1.5, 30, 7.0, 2)
    assert (found.label, found.health, found.reason, found.score) == ("C&S", "ok", "fine", 0.5)
    assert (found.patch, found.ended, found.node) == ("p" * 64, "finished", "two")
    assert (list(found.flags), list(found.new_cwes)) == (["network", "oracle"], ["CWE-787"])
    assert found.evidence == {
        "build": {"log": "l"}, "agent": {"exit": 0}, "artefacts": {"record": "r" * 64},
    }  # fmt: skip
    assert found.finished is not None
    assert store.open_attempts(run) == []


@pytest.mark.slow
def test_the_first_verdict_stays(store: Store) -> None:
    run = store.open_run("pack", KEYS[:2], {})
    ids = [one.id for one in store.open_attempts(run)]
    both = [
        AttemptUpdate(ids[0], Spent(1.0), None, GOOD),
        AttemptUpdate(ids[0], Spent(2.0), None, FAULT),
    ]
    assert store.write(both) == 1, "in one batch"
    other = Verdict(Label.CV, reason="late")
    late = [
        AttemptUpdate(ids[0], Spent(4.0), left(), other),
        AttemptUpdate(ids[1], Spent(8.0), None, FAULT),
    ]
    assert store.write(late) == 1, "in the next"
    assert (store.attempt(ids[0]).label, store.attempt(ids[0]).usd) == ("C&S", 1.0)
    assert store.attempt(ids[0]).patch is None
    assert [one.id for one in store.open_attempts(run)] == [ids[1]], "a fault can be made good"
    assert store.write([AttemptUpdate(ids[1], Spent(), None, GOOD)]) == 1
    assert store.write([]) == 0


@pytest.mark.slow
def test_a_batch_is_written_whole_or_not_at_all(store: Store) -> None:
    run = store.open_run("pack", KEYS[:2], {})
    ids = [one.id for one in store.open_attempts(run)]
    with pytest.raises(UnknownRun, match="no attempt 'none'"):
        store.write([AttemptUpdate(ids[0], Spent(1.0), None, GOOD), AttemptUpdate("none", Spent())])
    with pytest.raises(ValueError, match="not a finite number"):
        store.write(
            [AttemptUpdate(ids[0], Spent(1.0), None, GOOD), AttemptUpdate(ids[1], Spent(math.nan))]
        )
    assert store.counts(run).healths == {"": 2}
    assert store.counts(run).spent == Spent()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "calls", "fit"), [("m", 0, False), ("m", 2, True), ("", 0, True)]
)
def test_a_crash_is_the_agents_own_once_its_model_was_asked(
    model: str, calls: int, fit: bool, store: Store
) -> None:
    run = store.open_run("pack", [AttemptKey("t", "a", model)], {})
    (one,) = store.open_attempts(run)
    made = Solution(b"patch", Ended.CRASHED, {"calls": calls})
    store.write([AttemptUpdate(one.id, Spent(), keep(store, made))])
    assert (store.open_attempts(run)[0].solution is not None) is fit


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize("ended", [*map(str, Ended)])
def test_what_can_only_be_graded_is_what_solution_tells(ended: str, store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    (one,) = store.open_attempts(run)
    made = Solution(b"patch", Ended(ended), {"usd": 1.0}, b"told", {"a": 1}, {"record": b"r"})
    store.write(
        [
            AttemptUpdate(one.id, Spent(), keep(store, made)),
            AttemptUpdate(one.id, Spent(), None, FAULT),
        ]
    )
    (again,) = store.open_attempts(run)
    assert (again.solution is None) == (ended in ("model-unavailable", "diverged", "crashed"))
    if again.solution is not None:
        assert again.solution == keep(store, made)
        assert load(store, again.solution) == made


@pytest.mark.slow
def test_pages_tell_every_open_attempt_once_in_turn(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    other = store.open_run("pack", KEYS, {})
    pages, after = [], ""
    while page := store.open_attempts(run, after, 5):
        assert len(page) <= 5
        after = page[-1].order
        pages += page
        store.write([AttemptUpdate(page[0].id, Spent(), None, GOOD)])
    assert Counter(one.key for one in pages) == Counter(KEYS)
    assert [one.order for one in pages] == sorted(one.order for one in pages)
    assert [one.key.replicate for one in pages] == [0] * 21 + [1] * 21
    for one, following in pairwise(pages):
        assert one.key.task != following.key.task
    assert len(store.open_attempts(run)) == len(KEYS) - 9
    assert len(store.open_attempts(other)) == len(KEYS)


names = st.sampled_from("abcdefgh")
keys = st.builds(AttemptKey, names, names, names, names, st.integers(0, 2))


@given(st.sets(keys, max_size=60))
def test_turns_are_unique_and_sort_as_numbers(some: set[AttemptKey]) -> None:
    rows = sorted(turns("run", some), key=lambda row: str(row["turn"]))
    assert len({row["turn"] for row in rows}) == len(some)
    replicates = [row["replicate"] for row in rows]
    assert replicates == sorted(replicates)


@pytest.mark.slow
@pytest.mark.parametrize("key", [
    AttemptKey("t" * 201, "a"), AttemptKey("t", "a", "\udcff"),
    AttemptKey("t", "a" * 1001),
])  # fmt: skip
def test_a_key_that_cannot_be_stored_is_told_before_anything_is(
    key: AttemptKey, store: Store
) -> None:
    with pytest.raises(ValueError, match=r"^(task|agent|model) ") as told:
        store.open_run("pack", [KEYS[0], key], {})
    assert "\n" not in str(told.value)
    assert store.runs() == []


def test_nul_in_a_name_is_told_where_it_cannot_be_stored(store: Store) -> None:
    key = AttemptKey("t\0", "a")
    if store.url.startswith("sqlite"):
        assert store.attempts(store.open_run("pack", [key], {}))[0].key == key
        return
    with pytest.raises(ValueError, match="PostgreSQL takes no NUL"):
        store.open_run("pack", [KEYS[0], key], {})
    assert store.runs() == []


text = st.text(st.characters(codec=None), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(evidence=st.dictionaries(text, values, max_size=4), reason=text, node=text)
def test_hostile_evidence_comes_back_and_hostile_text_breaks_nothing(
    evidence: dict[str, object], reason: str, node: str, store: Store
) -> None:
    """NUL, lone surrogates and controls are in what agents, tests and scanners print."""
    run = store.open_run("pack", KEYS[:1], {})
    (one,) = store.open_attempts(run)
    verdict = Verdict(None, Health.INFRA, reason, evidence)
    facts = StoredSolution("p" * 64, "finished", {reason: 1}, None, {reason: node})
    store.write([AttemptUpdate(one.id, Spent(), facts, verdict, node, (reason,), (node,))])
    found = store.attempt(one.id)
    assert found.evidence == {**evidence, "agent": {reason: node}}
    assert found.usage == {reason: 1}
    assert (list(found.flags), list(found.new_cwes)) == ([reason], [node])
    if reason.isprintable():
        assert found.reason == reason


def test_numbers_that_are_none_do_not_make_the_evidence_invalid(store: Store) -> None:
    store.put_fact("k", {"a": [math.nan, math.inf, 1.5], "b": {"c": -math.inf}})
    assert store.fact("k") == {"a": ["nan", "inf", 1.5], "b": {"c": "-inf"}}


@pytest.mark.slow
def test_counts_are_by_health_label_and_model(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    ids = {one.key: one.id for one in store.open_attempts(run)}
    some = [ids[key] for key in KEYS if key.model == "m"]
    store.write([AttemptUpdate(one, Spent(0.25, 3, 1.0, 1), None, GOOD) for one in some[:4]])
    store.write([AttemptUpdate(some[4], Spent(0.5, 1, 1.0, 3), None, FAULT)])
    late = Verdict(None, Health.TIMEOUT)
    store.write([AttemptUpdate(some[5], Spent(), None, late)])
    counts = store.counts("latest")
    assert (counts.attempts, counts.open) == (len(KEYS), len(KEYS) - 5)
    assert counts.labels == {"C&S": 4}
    assert counts.healths == {"": len(KEYS) - 6, "ok": 4, "infra": 1, "timeout": 1}
    assert counts.spent == Spent(1.5, 13, 5.0, 7)
    assert counts.by_model == {"m": Spent(1.5, 13, 5.0, 7), "n": Spent()}
    with pytest.raises(UnknownRun):
        store.counts("other")


@pytest.mark.slow
def test_rows_are_light_in_order_and_know_their_tasks(store: Store) -> None:
    facts = TaskFacts(
        "t1", "T\0", "c", "zlib", "", ("CWE-787", "CWE-125"), "Do it\udcff?"[:5], "img"
    )
    run = store.open_run("pack", KEYS, {}, track="dual", tasks=[facts])
    second = store.open_run("other", [AttemptKey("t1", "z")], {})
    one = attempt_id(run, KEYS[6])
    score = Verdict(Label.CV, score=0.25)
    store.write(
        [
            AttemptUpdate(
                one, Spent(2.0, 5, 3.0, 1), left(), score, flags=("history",), new_cwes=("CWE-1",)
            )
        ]
    )
    rows = list(store.rows([run]))
    assert [AttemptKey(r.task, r.agent, r.model, r.prompt, r.replicate) for r in rows] == sorted(
        KEYS, key=lambda key: tuple(vars(key).values())
    )
    assert rows[6] == Row(
        one, run, "dual", "pack", "t1", "a", "m", "neutral", 0, "ok", "CV", 0.25, 2.0, 5, 3.0,
        ("history",), ("CWE-1",), "c", "zlib", "", ("CWE-787", "CWE-125"),
    )  # fmt: skip
    assert (rows[0].language, rows[0].label, rows[0].health) == ("", None, "")
    assert [row.run for row in store.rows()] == [run] * len(KEYS) + [second]
    told = store.tasks(run)
    title = "T\0" if store.url.startswith("sqlite") else "T\\x00"
    assert told == {"t1": TaskFacts("t1", title, "c", "zlib", "", facts.cwes, "Do it", "img")}
    with pytest.raises(UnknownRun):
        list(store.rows([run, "other"]))


def test_a_run_is_of_one_track(store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {}, track="dual")
    with pytest.raises(UnknownRun, match="is of the track 'dual', not of 'repo'"):
        store.open_run("pack", KEYS, {}, run)
    assert store.run(run).track == "dual"


def test_runs_and_what_is_wished_of_them(store: Store) -> None:
    runs = [store.open_run("pack", [], {"n": number}) for number in range(3)]
    assert [row.id for row in store.runs()] == runs[::-1]
    assert store.read_wish(runs[0]) == ""
    store.request(runs[0], "stop")
    assert [store.read_wish(run) for run in runs] == ["stop", "", ""]
    store.request(runs[0], "")
    store.add_seconds(runs[1], 1.5)
    store.add_seconds(runs[1], 2.0)
    assert (store.read_wish(runs[0]), store.run(runs[1]).spent_seconds) == ("", 3.5)
    for change in (store.request, store.add_seconds):
        with pytest.raises(UnknownRun):
            change("none", 1.0)  # type: ignore[operator]


def test_facts_of_many_at_once(store: Store) -> None:
    store.put_facts({f"k{number}": {"n": number} for number in range(50)})
    store.put_facts({"k1": {"n": "new"}, "k\0\udcff": {"n": 1}})
    store.put_facts({})
    assert [store.fact(key) for key in ("k0", "k1", "k\0\udcff")] == [
        {"n": 0},
        {"n": "new"},
        {"n": 1},
    ]
