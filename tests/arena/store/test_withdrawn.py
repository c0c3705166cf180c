"""Attempts that a sweep's file does not name any more: in no number, but for what they have cost."""

from __future__ import annotations

from arena.store.model import AttemptKey, AttemptUpdate, Spent
from arena.store.store import Store
from harness.grade.verdict import Health, Label, Verdict

KEPT, DROPPED, LOST = (AttemptKey("t", agent, "m") for agent in ("kept", "dropped", "lost"))
FINE = Verdict(Label.SECURE, Health.OK)
FAULT = Verdict(None, Health.INFRA, "no engine")


def test_counts_and_reasons_leave_withdrawn_attempts_out_and_keep_their_cost(store: Store) -> None:
    run = store.open_run("pack", [KEPT, DROPPED, LOST], {})
    ids = {attempt.key.agent: attempt.id for attempt in store.attempts(run)}
    store.write(
        [
            AttemptUpdate(ids["kept"], Spent(1.0), verdict=FINE),
            AttemptUpdate(ids["dropped"], Spent(2.0), verdict=FINE),
            AttemptUpdate(ids["lost"], Spent(4.0), verdict=FAULT),
        ]
    )
    before = store.counts(run)
    assert (before.attempts, before.open, before.withdrawn) == (3, 1, 0)
    assert before.labels == {"C&S": 2}
    assert store.commonest_reason(run) == ("no engine", 1)

    store.set_settings(run, {"sweep": {"withdrawn": [ids["dropped"], ids["lost"]]}})
    counts = store.counts(run)
    assert (counts.attempts, counts.open, counts.withdrawn) == (1, 0, 2)
    assert (counts.labels, counts.healths) == ({"C&S": 1}, {"ok": 1})
    assert counts.state(driven=False) == "done"
    assert counts.spent.usd == 7.0, "money that was spent stays spent"
    assert store.commonest_reason(run) is None
    assert [attempt.id for attempt in store.attempts(run)] == [ids["kept"]]
    assert len(store.attempts(run, withdrawn=True)) == 3
