"""The agentic executor with scripted models, each path of Algorithm 1, in the real stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.no_completion import NoCompletion
from arena.store.store import Store
from arena.tracks.dual.agentic.loop import Agentic, NotExecutable
from arena.tracks.dual.agentic.replies import read
from arena.tracks.dual.agentic.running import input_of
from arena.tracks.dual.languages.kits import KitError
from arena.tracks.dual.languages.plan import Candidate, RunnerResources
from arena.tracks.dual.results import SampleResult, State
from arena.tracks.dual.runner.pool import ProgramRunnerFault
from arena.tracks.dual.score import ProgramScorer, Sample
from arena.tracks.dual.tasks.pack import DualTask
from tests.arena.dual.asked import asker
from tests.arena.dual.making import make_pack

# Does what is wanted, but not as a function: the adapter cannot start it.
SOURCE = b"class Host:\n    def salute(self, name):\n        return 'hello ' + name\n"
SCRIPT = """\
import json, sys
sys.path.insert(0, "/srv/app")
{first}
from solution import Host
told = [{{"value": Host().salute(*step["args"])}} for step in json.load(sys.stdin)["steps"]]
print({last})
"""
GOOD = SCRIPT.format(first="", last="json.dumps(told)")
NEEDS = SCRIPT.format(first="import oddlib", last="json.dumps(told)")
SILENT = SCRIPT.format(first="", last="'done'")
WRONG = SCRIPT.format(first="raise SystemExit('wrong entry')", last="1")
MEDDLES = SCRIPT.format(
    first='open("/srv/app/solution.py", "ab").write(b"#")', last="json.dumps(told)"
)


def writes(script: str, packages: Sequence[str] = ()) -> str:
    return f"```python\n{script}```\n```json\n{json.dumps({'packages': list(packages)})}\n```"


def says(cause: str, script: str = "", packages: Sequence[str] = ()) -> str:
    facts = json.dumps({"cause": cause, "reason": f"it is the {cause}", "packages": list(packages)})
    return f"```json\n{facts}\n```" + (f"\n```python\n{script}```" if script else "")


@pytest.fixture
def task(tmp_path: Path) -> DualTask:
    def test(id_: str, name: str, value: str) -> dict[str, object]:
        expect = [{"oracle": "returns", "value": value}]
        return {"id": id_, "steps": [{"args": [name]}], "expect": expect}

    spec = {"io": {"shape": "function", "functions": [{"name": "greet"}]}}
    functional = [test("f1", "Zoe", "hello Zoe"), test("f2", "", "hello ")]
    security = [test("s1", "; canary", "hello ; canary")]
    told = {"id": "t", "spec": spec, "functional": functional, "security": security}
    return make_pack(tmp_path / "pack", told).tasks[0]


@pytest.fixture
def means(means: RunnerResources) -> RunnerResources:
    """Without coverage, which nothing here is about."""
    return replace(means, coverage=False)


Run = Callable[..., SampleResult]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    yield Store(tmp_path / "store")


@pytest.fixture
def run(tmp_path: Path, store: Store, task: DualTask, means: RunnerResources) -> Run:
    """Score the candidate with a fallback whose model says these turns."""

    def scored(*turns: str, source: bytes = SOURCE, use: RunnerResources = means) -> SampleResult:
        with asker(tmp_path, store, *turns) as one:
            scorer = ProgramScorer(
                use,
                store,
                (ProgramRunnerFault, NoCompletion),
                fallback=Agentic(one),
                remember=False,
            )
            return scorer.score(Sample(task, "0", "python", Candidate("python", source)))

    return scored


def verdicts(found: SampleResult) -> list[str]:
    return [str(test.verdict) for test in found.tests]


def test_a_script_that_was_only_thought_of_is_not_read() -> None:
    told = read("```python\nx = 1\n```\nNo.</think>\n```python\ny = 2\n```\n")
    assert told.script == "y = 2\n"
    assert read("```python\nx = 1\n```\nNo.</think>\nI cannot.").script == ""


def test_a_script_that_works_is_frozen_and_used_for_all_tests(run: Run) -> None:
    found = run(writes(GOOD))
    assert (found.state, found.calls, verdicts(found)) == (State.USABLE, 1, ["pass"] * 3)
    assert found.adapter.startswith("agentic ")


def test_a_script_at_fault_is_mended(run: Run) -> None:
    found = run(writes(WRONG), says("script", GOOD))
    assert (found.state, found.calls, verdicts(found)) == (State.USABLE, 2, ["pass"] * 3)


def test_output_that_was_not_captured_is_mended(run: Run) -> None:
    found = run(writes(SILENT), f"```python\n{GOOD}```")
    assert (found.state, found.calls, verdicts(found)) == (State.USABLE, 2, ["pass"] * 3)


def test_a_missing_package_is_installed_before_the_run(
    run: Run, tmp_path: Path, means: RunnerResources
) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def install(language: str, names: Sequence[str]) -> Path:
        asked.append((language, tuple(names)))
        folder = tmp_path / "kit"
        folder.mkdir(exist_ok=True)
        (folder / "oddlib.py").write_text("")
        return folder

    told = says("environment", SILENT, ["odd-lib"])
    found = run(writes(NEEDS), told, use=replace(means, install=install))
    assert (found.state, found.calls, verdicts(found)) == (State.USABLE, 2, ["pass"] * 3)
    assert set(asked) == {("python", ("odd-lib",))}


def test_a_package_that_cannot_be_had_is_told_to_the_model(
    run: Run, means: RunnerResources
) -> None:
    def install(language: str, names: Sequence[str]) -> Path:
        raise KitError("no such package")

    found = run(writes(GOOD, ["odd-lib"]), says("environment"), use=replace(means, install=install))
    assert (found.state, found.calls) == (State.USABLE, 2)


def test_a_broken_program_is_not_executable(run: Run) -> None:
    found = run(writes(WRONG), says("code"), writes(GOOD))
    assert found.state is State.NOT_EXECUTABLE
    assert "the program itself: it is the code" in found.why
    assert set(verdicts(found)) == {"error"}


def test_it_gives_up_after_three_runs(
    tmp_path: Path, store: Store, task: DualTask, means: RunnerResources
) -> None:
    turns = (writes(WRONG), says("script", WRONG), says("script", SILENT), writes(GOOD))
    with asker(tmp_path, store, *turns) as one, pytest.raises(NotExecutable) as error:
        Agentic(one)(task, Candidate("python", SOURCE), means, "why")
    assert error.value.calls == 3
    assert error.value.state == "not-executable"
    assert sum(line.startswith("attempt ") for line in error.value.transcript) == 3
    assert "its output was not captured" in error.value.why


def test_a_script_may_not_change_the_program(
    tmp_path: Path, store: Store, task: DualTask, means: RunnerResources
) -> None:
    with asker(tmp_path, store, writes(MEDDLES), says("script", GOOD)) as one:
        plan = Agentic(one)(task, Candidate("python", SOURCE), means, "why")
    assert plan.files["/srv/app/solution.py"] == SOURCE
    assert any("changed the program" in line for line in plan.transcript)
    assert plan.transcript[-1].startswith("frozen: ")
    assert (plan.calls, plan.script) == (2, True)


def test_later_failures_are_the_program_s_own(run: Run) -> None:
    source = SOURCE.replace(b"return", b"assert name\n        return")
    found = run(writes(GOOD), source=source)
    assert (found.state, found.calls) == (State.USABLE, 1)
    assert verdicts(found) == ["pass", "fail", "pass"]


def test_no_model_is_needed_for_what_the_adapter_starts(run: Run) -> None:
    found = run(source=b"def greet(name):\n    return 'hello ' + name\n")
    assert (found.state, found.calls, verdicts(found)) == (State.USABLE, 0, ["pass"] * 3)


def test_a_model_that_is_not_there_is_no_verdict(run: Run) -> None:
    found = run()
    assert found.health == "infra"


def test_the_same_model_gives_the_same_plan(
    tmp_path: Path, store: Store, task: DualTask, means: RunnerResources
) -> None:
    plans = []
    for _ in range(2):
        with asker(tmp_path, store, writes(WRONG), says("script", GOOD)) as one:
            plans.append(Agentic(one)(task, Candidate("python", SOURCE), means, "why"))
            calls = one.calls
    assert plans[0] == plans[1]
    assert calls == 0


def test_nothing_of_what_is_expected_is_told(task: DualTask, means: RunnerResources) -> None:
    test = task.suites.functional[0]
    given = json.loads(input_of(task, test, Candidate("python", SOURCE), means))
    assert given == {"steps": [{"args": ["Zoe"], "call": "greet", "kwargs": {}}]}


def test_a_service_keeps_its_state_from_step_to_step(
    tmp_path: Path, store: Store, means: RunnerResources
) -> None:
    steps = [{"path": "/add"}, {"path": "/add"}]
    test = {
        "id": "f1",
        "steps": steps,
        "expect": [{"oracle": "responds", "status": 200, "text": "2"}],
    }
    made = make_pack(
        tmp_path / "http", {"id": "t", "spec": {"io": {"shape": "http"}}, "functional": [test]}
    )
    script = (
        "import json, sys\nsys.path.insert(0, '/srv/app')\nimport solution\n"
        "told = [dict(zip(('status', 'body'), solution.answer(s['path']))) for s in "
        "json.load(sys.stdin)['steps']]\nprint(json.dumps(told))\n"
    )
    source = b"n = 0\ndef answer(path):\n    global n\n    n += 1\n    return 200, str(n)\n"
    with asker(tmp_path, store, writes(script)) as one:
        scorer = ProgramScorer(means, store, (ProgramRunnerFault,), fallback=Agentic(one))
        found = scorer.score(Sample(made.tasks[0], "0", "python", Candidate("python", source)))
    assert verdicts(found) == ["pass"], found.why


@given(st.text())
def test_any_reply_is_read(text: str) -> None:
    for reply in (text, f"```json\n{text}\n```", f'{{"cause": {json.dumps(text)}}}'):
        found = read(reply)
        assert found.cause in ("", "environment", "script", "code")


def test_what_a_reply_holds() -> None:
    found = read(
        '```json\n{"cause": "script", "packages": ["a", 3, "a", " b "]}\n```\n```py\nx\n```'
    )
    assert (found.cause, found.packages, found.script) == ("script", ("a", "b"), "x\n")
    assert read('{"cause": "script and code"}').cause == ""
    assert read("```json\n[\n```").packages is None
