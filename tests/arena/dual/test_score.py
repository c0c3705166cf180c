"""Scoring: verdicts, states, what is kept, and what a fault of the machine comes to."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from arena.models.languages import Language
from arena.tracks.dual.judging import check_task
from arena.tracks.dual.languages.plan import Candidate, RunnerResources
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, State
from arena.tracks.dual.runner.observation import RunObservation
from arena.tracks.dual.runner.order import Order
from arena.tracks.dual.runner.pool import ProgramRunnerFault
from arena.tracks.dual.score import ProgramScorer, Sample
from arena.tracks.dual.tasks.pack import DualTask
from harness.grade.ports import MemoryCache
from tasks.loader import TaskError
from tests.arena.dual.making import GOOD, WEAK, WRONG, function_task, make_pack

pytestmark = pytest.mark.rotating(2)


@pytest.fixture
def task(tmp_path: Path) -> DualTask:
    return make_pack(tmp_path / "pack", function_task()).tasks[0]


def sample(task: DualTask, source: str, language: Language = "python", name: str = "0") -> Sample:
    return Sample(task, name, language, Candidate(language, source.encode()))


def verdicts(found: SampleResult) -> dict[str, str]:
    return {test.id: str(test.verdict) for test in found.tests}


@pytest.mark.parametrize(
    ("source", "functional", "security"),
    [(GOOD, True, True), (WEAK, True, False), (WRONG, False, False)],
    ids=["good", "weak", "wrong"],
)
def test_both_suites(
    scorer: ProgramScorer, task: DualTask, source: str, functional: bool, security: bool
) -> None:
    found = scorer.score(sample(task, source))
    assert found.state is State.USABLE
    assert (found.passes("functional"), found.passes("security")) == (functional, security)


def test_the_weak_program_is_told_by_what_it_did(scorer: ProgramScorer, task: DualTask) -> None:
    found = scorer.score(sample(task, WEAK))
    (test,) = (test for test in found.tests if test.kind == "security")
    assert (test.verdict, test.oracle, test.cwe) == (OracleVerdict.FAIL, "no-canary", "CWE-78")
    assert "canary" in test.observed


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("def greet(name:\n", State.SYNTAX),
        ("import nowhere_to_be_found\n" + GOOD, State.DEPENDENCY),
        ("raise RuntimeError('no')\n" + GOOD, State.IMPORT),
        ("def one():\n    pass\n\n\ndef two():\n    pass\n", State.NO_ENTRY),
        ("import os\nos._exit(0)\n", State.NOT_EXECUTABLE),
    ],
)
def test_a_program_that_cannot_be_tried(
    scorer: ProgramScorer, task: DualTask, source: str, state: State
) -> None:
    found = scorer.score(sample(task, source))
    assert found.state is state
    assert verdicts(found) == dict.fromkeys(("fc-plain", "fc-empty", "sec-shell"), "error")
    assert found.health == "ok"
    assert all(test.reason.startswith(str(state)) for test in found.tests)


def test_other_languages(scorer: ProgramScorer, task: DualTask) -> None:
    javascript = "function greet(name) { return 'hello ' + name; }\n"
    assert scorer.score(sample(task, javascript, "javascript")).passes("security")
    cpp = '#include <string>\nstd::string greet(const std::string &n) { return "hello " + n; }\n'
    found = scorer.score(sample(task, cpp, "cpp"))
    assert verdicts(found) == dict.fromkeys(("fc-plain", "fc-empty", "sec-shell"), "pass")
    broken = scorer.score(sample(task, "int greet( {\n", "cpp"))
    assert broken.state is State.NOT_COMPILED


class Counting:
    """A stand that counts its orders, and fails when it is told to."""

    def __init__(self, inner: object, fails: bool = False) -> None:
        self.inner, self.fails, self.orders = inner, fails, 0

    def run(self, order: Order) -> RunObservation:
        self.orders += 1
        if self.fails:
            raise ProgramRunnerFault("the runner failed twice")
        seen: RunObservation = self.inner.run(order)  # type: ignore[attr-defined]
        return seen


def test_the_same_program_is_not_run_twice(means: RunnerResources, task: DualTask) -> None:
    runner = Counting(means.runner)
    scorer = ProgramScorer(dataclasses.replace(means, runner=runner), MemoryCache())
    first = scorer.score(sample(task, GOOD))
    assert runner.orders == 3
    again = scorer.score(sample(task, GOOD, name="other"))
    assert runner.orders == 3
    assert again == first.model_copy(update={"sample": "other"})
    scorer.score(sample(task, GOOD + "\n"))
    assert runner.orders == 6


def test_another_interpreter_gives_a_new_result(
    means: RunnerResources, task: DualTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Counting(means.runner)
    scorer = ProgramScorer(dataclasses.replace(means, runner=runner), MemoryCache())
    assert scorer.score(sample(task, GOOD)).tools.startswith("python 3.")
    monkeypatch.setattr("arena.tracks.dual.score.version_of", lambda language: "python 9")
    assert scorer.score(sample(task, GOOD)).tools == "python 9"
    assert runner.orders == 6


def test_a_fault_of_the_machine_is_no_verdict_and_is_not_kept(
    means: RunnerResources, task: DualTask
) -> None:
    runner = Counting(means.runner, fails=True)
    scorer = ProgramScorer(
        dataclasses.replace(means, runner=runner), MemoryCache(), (ProgramRunnerFault,)
    )
    found = scorer.score(sample(task, GOOD))
    assert found.health == "infra"
    assert not found.passes("functional")
    runner.fails = False
    assert scorer.score(sample(task, GOOD)).passes("functional")


def test_evidence_names_secrets_and_does_not_tell_them(
    means: RunnerResources, task: DualTask
) -> None:
    cache = MemoryCache()
    leak = "def greet(name):\n    return open('/srv/secret.txt').read()\n"
    found = ProgramScorer(means, cache).score(sample(task, leak))
    evidence = json.loads(cache.blob(found.tests[0].evidence))
    assert evidence["steps"][0]["value"] == "<secret>\n"
    assert "/srv/secret.txt" in evidence["secrets"]


def test_each_test_has_a_fresh_place(scorer: ProgramScorer, task: DualTask) -> None:
    once = (
        "import os\n\n\ndef greet(name):\n    here = os.path.exists('mark')\n"
        "    open('mark', 'w').close()\n    return 'again' if here else 'hello ' + name\n"
    )
    found = scorer.score(sample(task, once))
    assert set(verdicts(found).values()) == {"pass"}


def test_coverage_is_of_the_whole_suite(scorer: ProgramScorer, task: DualTask) -> None:
    source = (
        "def greet(name):\n    if ';' in name:\n        return 'hello ' + name\n"
        "    if name == 'never':\n        return ''\n    return 'hello ' + name\n"
    )
    shares = scorer.score(sample(task, source)).coverage
    assert shares["functional"] == pytest.approx(4 / 6, abs=0.01)
    assert shares["security"] == pytest.approx(3 / 6, abs=0.01)
    assert shares["both"] == pytest.approx(5 / 6, abs=0.01)


def test_an_oracle_that_there_is_not(tmp_path: Path) -> None:
    wrong = function_task()
    wrong["functional"][0]["expect"] = [{"oracle": "guesses"}]
    with pytest.raises(TaskError, match=r"tests.json: fc-plain: guesses: unknown name"):
        check_task(make_pack(tmp_path / "p", wrong).tasks[0])


def test_a_test_without_an_oracle_is_not_judged(scorer: ProgramScorer, tmp_path: Path) -> None:
    untyped = function_task()
    test = {"id": "sec-words", "steps": [{"args": ["x"]}], "untyped": "only words"}
    untyped["security"].append(test)
    found = scorer.score(sample(make_pack(tmp_path / "p", untyped).tasks[0], GOOD))
    assert found.tests[-1].verdict is OracleVerdict.NA
    assert found.tests[-1].reason == "only words"
    assert found.passes("security")
