"""What other programs write is read: as their releases of today were seen to write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.exchange.foreign import ForeignAttempt, ForeignRun
from arena.exchange.foreign_import import find_reader, read_foreign
from arena.exchange.opening import ImportRefused
from arena.store.store import Store
from tests.arena.exchange.foreign_files import (
    DIFF,
    harbor_job,
    inspect_log,
    inspect_sample,
    mini_folder,
    mini_trajectory,
    put,
    swebench_run,
)
from tests.arena.exchange.making import PATCH, RUN, a_run, exported


def imported(path: Path, reader: str = "") -> ForeignRun:
    found = find_reader(path, reader)
    assert found is not None, path
    return read_foreign(found, path)


def by_task(run: ForeignRun) -> dict[tuple[str, int], ForeignAttempt]:
    return {(attempt.task, attempt.number): attempt for attempt in run.attempts}


def test_a_job_folder_of_harbor(tmp_path: Path) -> None:
    run = imported(harbor_job(tmp_path / "jobs"))
    assert (run.source, run.pack, run.problems) == ("harbor", "set", [])
    found = by_task(run)
    assert found.keys() == {("alpha", 0), ("alpha", 1), ("beta", 0)}
    first, second, failed = found["alpha", 0], found["alpha", 1], found["beta", 0]
    assert (first.verdict, second.verdict) == ("reward 1", "reward 0")
    assert (first.agent, first.model, first.agent_version) == ("a", "openai/m", "1.2")
    assert (first.patch, second.patch) == (DIFF.encode(), None)
    assert (first.seconds, first.usage["usd"], first.usage["input_tokens"]) == (90.0, 0.5, 10)
    assert first.trajectory is not None and first.trajectory["steps"][0]["message"] == "Do it."
    assert (failed.verdict, failed.fault) == ("", "RuntimeError: no engine")
    assert by_task(imported(tmp_path / "jobs" / "job")).keys() == found.keys()


@pytest.mark.parametrize("name", ["a.eval", "a.json"])
def test_a_log_of_inspect(name: str, tmp_path: Path) -> None:
    samples = [
        inspect_sample("alpha"),
        inspect_sample("alpha", 2, "I", limit={"type": "cost", "limit": 1.0}),
        inspect_sample("beta", error={"message": "ran out"}, scores={}),
    ]
    path = inspect_log(tmp_path / "logs" / name, samples)
    run = imported(path.parent)
    assert (run.source, run.pack, run.problems) == ("inspect", "set", [])
    found = by_task(run)
    first, second, failed = found["alpha", 0], found["alpha", 1], found["beta", 0]
    assert (first.verdict, second.verdict, failed.verdict) == ("includes=C", "includes=I", "")
    assert (first.ended, second.ended, failed.fault) == ("finished", "capped:usd", "ran out")
    assert (first.agent, first.model, first.patch) == ("mine", "openai/m", DIFF.encode())
    assert first.usage == {
        "calls": 2,
        "input_tokens": 100,
        "output_tokens": 7,
        "cached_tokens": 40,
        "written_tokens": 30,
        "reasoning_tokens": 0,
        "usd": 0.25,
    }
    assert first.trajectory is not None
    user, agent = first.trajectory["steps"]
    assert user["message"] == "Do it, in long."
    assert agent["observation"]["results"] == [{"source_call_id": "c1", "content": "x.c"}]
    assert by_task(imported(path)).keys() == found.keys()


def test_a_patch_in_the_metadata_of_a_score(tmp_path: Path) -> None:
    """As the scorer of `arena.inspect` leaves it, where the output is the solver's last word."""
    output = {"choices": [{"message": {"role": "assistant", "content": "Done."}}]}
    scores = {"grader_verdict": {"value": "C", "metadata": {"patch": DIFF}}}
    sample = inspect_sample("alpha", output=output, scores=scores)
    (attempt,) = imported(inspect_log(tmp_path / "a.eval", [sample])).attempts
    assert (attempt.patch, attempt.verdict) == (DIFF.encode(), "grader_verdict=C")


def test_a_run_of_swe_bench(tmp_path: Path) -> None:
    run = imported(swebench_run(tmp_path / "run"))
    assert (run.source, run.problems) == ("swebench", [])
    found = {attempt.task: attempt for attempt in run.attempts}
    verdicts = {task: attempt.verdict for task, attempt in found.items()}
    assert verdicts == {
        "alpha": "resolved",
        "beta": "unresolved",
        "gamma": "",
        "delta": "empty_patch",
        "omega": "",
    }
    assert {a.model for a in run.attempts} == {"openai/m"}
    assert found["gamma"].fault == "SWE-bench: a failure of the environment"
    assert [found[task].patch for task in ("alpha", "gamma", "delta")] == [
        *(DIFF.encode(), DIFF.encode(), b""),
    ]
    logs = imported(tmp_path / "run" / "logs" / "run_evaluation" / "run1")
    assert {a.task: a.verdict for a in logs.attempts} == {
        "alpha": "resolved",
        "beta": "unresolved",
        "gamma": "",
    }
    summary = imported(tmp_path / "run" / "openai__m.run1.json")
    assert {a.task for a in summary.attempts} == {"alpha", "beta", "gamma", "delta"}


def test_trajectories_of_mini_swe_agent(tmp_path: Path) -> None:
    run = imported(mini_folder(tmp_path / "out"))
    assert (run.source, run.problems) == ("mini-swe-agent", [])
    found = {attempt.task: attempt for attempt in run.attempts}
    assert {attempt.verdict for attempt in run.attempts} == {""}
    alpha = found["alpha"]
    assert (alpha.patch, alpha.model, alpha.seconds) == (DIFF.encode(), "openai/m", 2.5)
    assert (alpha.usage, alpha.instruction) == ({"calls": 2, "usd": 0.75}, "Do it.")
    assert alpha.trajectory is not None and len(alpha.trajectory["steps"]) == 5
    assert [found[task].fault for task in ("alpha", "beta", "gamma")] == [
        *("", "", "exit status RuntimeError"),
    ]
    one = imported(mini_trajectory(tmp_path / "single", "alpha"))
    assert [attempt.task for attempt in one.attempts] == ["alpha"]


@pytest.mark.parametrize("to", ["inspect", "atif"])
def test_what_this_program_writes_comes_back(to: str, store: Store, tmp_path: Path) -> None:
    """As foreign verdicts: a log is not believed because it looks like one of ours."""
    a_run(store)
    exported(store, to, tmp_path / "out")
    found = {a.key: a for a in imported(tmp_path / "out").attempts}
    ended = [attempt for attempt in store.attempts(RUN) if attempt.health]
    assert len(found) == len(ended) == 7
    words: dict[str, dict[str | None, Any]] = {
        "inspect": {"CV": "label=CV", "C&S": "label=C&S", None: ""},
        "atif": {"CV": "reward 0", "C&S": "reward 1", None: ""},
    }
    columns = sorted((a.key.task, a.key.agent, a.key.model, words[to][a.label]) for a in ended)
    assert columns == sorted((a.task, a.agent, a.model, a.verdict) for a in found.values())
    spent = [a for a in found.values() if a.model]
    assert {a.usage["usd"] for a in spent} == {0.25}
    assert {a.usage["input_tokens"] for a in spent} == {100}
    patches = {a.patch for a in found.values()}
    assert patches == {PATCH if to == "atif" else PATCH.decode("utf-8", "replace").encode()}
    assert all(a.trajectory for a in spent)


def test_a_reader_is_named_where_several_take_a_folder(tmp_path: Path) -> None:
    mini_folder(tmp_path / "all")
    inspect_log(tmp_path / "all" / "a.eval", [inspect_sample("alpha")])
    with pytest.raises(ImportRefused, match="name one in --from: inspect, mini-swe-agent"):
        find_reader(tmp_path / "all")
    assert imported(tmp_path / "all", "inspect").source == "inspect"


def test_nothing_takes_a_folder_of_something_else(tmp_path: Path) -> None:
    put(tmp_path / "a.json", {"some": "thing"})
    put(tmp_path / "b/config.json", {"name": "x"})
    put(tmp_path / "b/report.json", [1])
    assert find_reader(tmp_path) is None
    assert find_reader(tmp_path / "a.json") is None
    assert find_reader(tmp_path / "missing") is None
