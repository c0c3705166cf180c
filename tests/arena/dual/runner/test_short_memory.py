"""What the kernel kills because the machine has no memory left is no verdict, in either runner."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from arena.tracks.dual.runner import pool as programs
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.mutation.runner import pool as tests
from arena.tracks.mutation.runner.facts import EndOfTest, RunResult, Stopped, TestOutcome
from harness.sandbox.jail import shortage
from harness.sandbox.jail.workers import WorkerLost

WELL = StepObservation(ProcessEnded.OK, exit=0)
COMPILER = StepObservation(
    ProcessEnded.OK, exit=1, stderr="g++: fatal error: Killed signal terminated program cc1plus"
)


@pytest.fixture
def killing(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Whether the kernel kills something for memory during what follows."""

    def kill(does: bool) -> None:
        now = (6, 9) if does else (6, 8)  # a kill for a container's own limit
        counts = iter([(5, 8), now])
        monkeypatch.setattr(shortage, "counts", lambda: next(counts))

    return kill


def seen(ended: ProcessEnded, *steps: StepObservation) -> Any:
    return SimpleNamespace(ended=ended, steps=steps)


@pytest.mark.parametrize(
    "spoilt",
    [
        seen(ProcessEnded.OK, COMPILER),
        seen(ProcessEnded.DIED, StepObservation(ProcessEnded.DIED, exit=-9)),
        seen(ProcessEnded.NO_START),
    ],
)
def test_a_program_that_did_not_end_well_meanwhile_is_not_judged(
    killing: Callable[[bool], None], spoilt: Any
) -> None:
    order: Any = None
    for told, kills in ((spoilt, False), (seen(ProcessEnded.OK, WELL), True)):
        worker: Any = SimpleNamespace(run=lambda *_, told=told: told)
        killing(kills)
        assert programs._run_checking_memory(worker, order, b"") is told
    worker = SimpleNamespace(run=lambda *_: spoilt)
    killing(True)
    with pytest.raises(WorkerLost, match="out of memory"):
        programs._run_checking_memory(worker, order, b"")


@pytest.mark.parametrize(
    "spoilt",
    [
        RunResult(Stopped.DIED),
        RunResult(Stopped.FINISHED, (TestOutcome("t", EndOfTest.ERROR, kind="Died"),)),
    ],
)
def test_a_run_that_died_meanwhile_kills_no_mutant(
    killing: Callable[[bool], None], spoilt: RunResult
) -> None:
    worker: Any = SimpleNamespace(run=lambda _: spoilt)
    job: Any = None
    killing(False)
    assert tests._run_checking_memory(worker, job) is spoilt
    killing(True)
    with pytest.raises(WorkerLost, match="out of memory"):
        tests._run_checking_memory(worker, job)


def test_the_kernels_count_is_read(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(shortage.counts()) == 2
    monkeypatch.setattr(shortage, "COUNTS", tmp_path / "vmstat")
    (tmp_path / "vmstat").write_text(
        "nr_free_pages 7\noom_kill 12\nallocstall_dma32 1\nallocstall_normal 2\n"
    )
    assert shortage.counts() == (12, 3)
