"""Money is counted as it is spent: neither a killed driver nor a lost node takes the knowledge of it along."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.store.model import AttemptKey, Spent
from arena.store.store import Store
from arena.sweep import drive as driving
from arena.sweep.budget import Bounds, Cap
from arena.sweep.control import DriveOptions, Why
from arena.sweep.spend_tracker import WRITE_INTERVAL_S, SpendTracker
from harness.protocols import Budget, Ended, Solution
from harness.sandbox.base import SandboxDied
from tests.arena.sweep.scripted import SETUP, ScriptedTrack, driven, keys
from tests.arena.sweep.test_survival import PATIENCE, finish, start

PAID = Solution(b"patch", Ended.FINISHED, {"usd": 0.5, "input_tokens": 10}, b"", {})
charges = st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.booleans(), st.booleans())


@given(st.lists(charges), st.dictionaries(st.sampled_from("abc"), st.integers(0, 60)))
def test_what_is_written_in_parts_is_the_whole(
    heard: list[tuple[str, int, bool, bool]], told: dict[str, int]
) -> None:
    """Nothing is written twice or lost, whichever of the two ledgers knows more."""
    meter, wrote, sums, now = SpendTracker(), Counter[str](), defaultdict[str, int](int), 0.0
    for attempt, tokens, late, at_once in heard:
        meter.charge(attempt, Spent(tokens / 8, tokens))
        sums[attempt] += tokens
        now += WRITE_INTERVAL_S if late else WRITE_INTERVAL_S / 10
        for name, part in meter.collect_charges(now, at_once):
            assert part.usd == part.tokens / 8
            wrote[name] += part.tokens
    for attempt in "abc":
        most = max(told.get(attempt, 0), sums[attempt])
        whole, rest = meter.settle(
            attempt, Spent(told.get(attempt, 0) / 8, told.get(attempt, 0), 3, 1)
        )
        assert whole == Spent(most / 8, most, 3, 1)
        assert rest == Spent((most - wrote[attempt]) / 8, most - wrote[attempt], 3, 1)
    assert not list(meter.collect_charges(now + 99, at_once=True)), (
        "what is settled is not told again"
    )


def test_a_node_that_is_lost_has_cost_what_was_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.0)
    store = Store(tmp_path / "store")
    run = store.open_run("pack", keys(1, model="m"), {})
    track = ScriptedTrack({"t000": [SandboxDied("gone")]}, solution=PAID, costs=(0.5, 10))
    assert driven(store, run, track).why is Why.DONE
    (done,) = store.attempts(run)
    assert (done.usd, done.tokens, done.tries) == (1.0, 20, 2), "not once for each ledger"


@pytest.mark.slow
def test_a_sweep_that_is_given_up_knows_what_was_in_flight(tmp_path: Path) -> None:
    store, stop, held = Store(tmp_path / "store"), threading.Event(), threading.Event()

    def asks(key: AttemptKey) -> None:
        stop.set()
        held.wait(PATIENCE)

    run = store.open_run("pack", keys(5, model="m"), {})
    options = DriveOptions(Bounds(Cap(usd=2.0)), grace=0.1)
    setup = replace(SETUP, caps=Budget(usd=0.5))
    try:
        ending = driven(
            store,
            run,
            ScriptedTrack(hook=asks, costs=(0.5, 10)),
            1,
            options=options,
            setup=setup,
            stop=stop,
        )
    finally:
        held.set()
    assert ending.why is Why.STOPPED
    assert [(a.usd, a.tokens) for a in store.attempts(run) if a.usd] == [(0.5, 10)]
    again = ScriptedTrack(solution=PAID)
    assert driven(store, run, again, options=options, setup=setup).why is Why.BUDGET
    assert again.calls.total() == 3, "what the first driver spent counts"


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_a_driver_that_is_killed_has_told_what_was_in_flight(tmp_path: Path) -> None:
    store, log = Store(tmp_path / "store"), tmp_path / "log"
    run = store.open_run("pack", [AttemptKey(f"t{n}", "a", "m") for n in range(2)], {})
    process = start(str(tmp_path / "store"), run, log, PATIENCE)
    limit = time.monotonic() + PATIENCE
    while store.counts(run).spent.usd < 1.0:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit, "nothing is told"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finish(start(str(tmp_path / "store"), run, log, 0.0))
    assert [(a.label, a.usd) for a in store.attempts(run)] == [("C&S", 1.0)] * 2
