"""Progress is told in few lines, says where a sweep stands, and passes nothing hostile on."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.jobs import WAITS, Capacity, Needs, Node, Stage, StageJob
from arena.store.model import AttemptKey, AttemptUpdate, Spent
from arena.sweep.progress import AWAY, BACK, Progress, duration
from arena.sweep.watch import Totals
from harness.grade.verdict import Health, Verdict


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def job(name: str) -> StageJob:
    return StageJob(name, AttemptKey(name, "gold"), Stage.SOLVE, Needs())


def told(total: int, usd: float | None = None) -> tuple[Progress, list[str], Clock]:
    lines: list[str] = []
    clock = Clock()
    return Progress("r1", total, usd, False, lines.append, clock), lines, clock


def totals(done: int, attempts: int = 100, **more: object) -> Totals:
    labels = Counter({"CV": done // 2, "C&S": done - done // 2})
    return Totals(attempts, done, labels, **more)  # type: ignore[arg-type]


def test_a_line_says_all_that_matters() -> None:
    progress, lines, clock = told(100, usd=5)
    progress.tick(totals(0))
    progress.nodes([Node("a", Capacity(1, 1)), Node("b", Capacity(1, 1))])
    progress.step(job("one"), "agent")
    progress.step(job("two"), "build")
    progress.step(job("three"), "build")
    clock.now += 60
    progress.tick(totals(30, spent=Spent(1.5), in_flight=3, faults=2))
    assert lines == [
        "r1: [30/100] 15 CV, 15 C&S; 2 faults; 1.50 of 5 USD; 2 min left; 30 a minute; "
        "2 nodes; 3 in flight (2 build, 1 agent)"
    ]


def test_steps_of_ended_attempts_are_forgotten() -> None:
    progress, lines, clock = told(10)
    progress.step(job("one"), "agent")
    progress.report_end(job("one"), AttemptUpdate("one", Spent()))
    clock.now += 5
    progress.tick(totals(1, in_flight=1))
    assert lines[0].endswith("1 in flight")


def test_a_run_tells_each_attempt_that_ends_after_those_that_had_ended() -> None:
    lines: list[str] = []
    progress = Progress("r1", 5, live=False, print_line=lines.append, clock=Clock(), each=2)
    for name, verdict in (("one", Verdict("CV")), ("two", Verdict(None, Health.INFRA))):
        progress.report_end(job(name), AttemptUpdate(name, Spent(), verdict=verdict))
    assert lines == ["[3/5] one x gold: CV", "[4/5] two x gold: infra"]


@pytest.mark.slow
def test_a_hundred_thousand_attempts_are_not_as_many_lines() -> None:
    progress, lines, clock = told(100_000)
    for done in range(0, 100_001, 5):
        clock.now += 0.25
        progress.tick(totals(done, 100_000))
    assert len(lines) == 85, "5,000 s: the first at once, one a minute, and the last"
    assert lines[-1].startswith("r1: [100000/100000] ")


def test_lines_are_a_minute_apart_and_the_first_and_the_last_come_at_once() -> None:
    progress, lines, clock = told(4)
    for done in (1, 2, 3):
        clock.now += 40
        progress.tick(totals(done))
    assert lines == ["r1: [1/4] 1 C&S", "r1: [3/4] 2 C&S, 1 CV; 40 s left; 1.5 a minute"]
    progress.tick(totals(4))
    assert len(lines) == 3


def test_nothing_new_is_no_line() -> None:
    progress, lines, clock = told(4)
    for _ in range(100):
        clock.now += 10
        progress.tick(totals(0))
    assert lines == []


def test_trouble_with_the_store_is_told_once_and_so_is_its_end() -> None:
    progress, lines, _ = told(4)
    for trouble in ("", "the store is busy: locked", "the store is busy: locked", ""):
        progress.tick(totals(0, trouble=trouble))
    assert lines == ["the store is busy: locked", "the store is back"]


def test_a_high_rate_is_a_plain_number() -> None:
    progress, lines, clock = told(5000)
    progress.tick(totals(0))
    clock.now += 60
    progress.tick(totals(2000))
    assert "; 2 min left; 2000 a minute" in lines[0]


def test_hostile_steps_stay_in_their_line() -> None:
    progress, lines, clock = told(4)
    progress.step(job("one"), "agent\n\x1b[2Jred")
    clock.now += 5
    progress.tick(totals(1, in_flight=1))
    assert "\x1b" not in lines[0]
    assert "\n" not in lines[0]


def test_a_bar_is_drawn_without_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    clock = Clock()
    progress = Progress("[red]r1[/red]", 4, live=True, clock=clock)
    with progress:
        progress.note("node [bold]x[/bold]\x1b[2J is lost")
        progress.tick(totals(2))
    said = capsys.readouterr().err
    assert "[red]r1[/red]" in said
    assert "node [bold]x[/bold]" in said
    assert "\x1b[2J" not in said


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (89, "89 s"),
        (91, "2 min"),
        (3600, "60 min"),
        (5400, "1 h 30 min"),
        (12_000, "3 h 20 min"),
        (187_200, "2 d 4 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@given(seconds=st.floats(0, 1e9))
def test_any_duration_is_short(seconds: float) -> None:
    assert len(duration(seconds)) < 16


def test_a_job_that_came_back_is_in_no_step() -> None:
    progress, lines, clock = told(10)
    progress.step(job("one"), "agent")
    progress.step(job("two"), "build")
    progress.step(job("one"), "")
    clock.now += 5
    progress.tick(totals(1, in_flight=1))
    assert lines[-1].endswith("1 in flight (1 build)")


def test_that_jobs_wait_for_the_sandbox_is_told_once_and_that_it_is_over() -> None:
    progress, lines, _ = told(10)
    for name in ("one", "two"):
        progress.step(job(name), WAITS)
        progress.tick(totals(0, in_flight=2))
    assert lines == [AWAY]
    for name in ("one", "two"):
        progress.step(job(name), "")
        progress.tick(totals(0, in_flight=2))
    assert lines == [AWAY, BACK]


def test_a_narrow_terminal_shows_counts_and_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    with Progress("a-run-with-a-long-name", 4, live=True, clock=Clock()) as progress:
        progress.tick(totals(2))
    said = capsys.readouterr().err
    assert "[2/4] 1 CV, 1 C&S" in said


def test_what_is_cut_is_on_the_right(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long line never loses the fraction, the labels and the cost."""
    monkeypatch.setenv("COLUMNS", "60")
    clock = Clock()
    with Progress("sweep-nightly-4156", 300, usd=60, live=True, clock=clock) as progress:
        for name in "abcdef":
            progress.step(job(name), f"a long step {name}")
        progress.tick(totals(0, 300))
        clock.now += 60
        progress.tick(totals(40, 300, spent=Spent(1.5), in_flight=6))
    said = capsys.readouterr().err
    assert "[40/300] 20 CV, 20 C&S; 1.50 of 60 USD; 6 min left" in said
    assert max(map(len, said.splitlines())) <= 60
