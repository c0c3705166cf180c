"""A build as data: done here, or by the nodes of a real Ray cluster, with the same journeys."""

from __future__ import annotations

import queue
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.building.cases.importing import import_cases
from arena.building.cases.loader import LoadedCase, load_case
from arena.building.funnel import CaseProgress
from arena.building.plan import BuildPlan, _collect_part, _forward_steps, build_here, build_on_ray
from arena.jobs import EngineFault
from tests.arena.building.test_triage import a_case
from tests.mini import Mini


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")


@pytest.fixture
def cases(tmp_path: Path) -> list[LoadedCase]:
    """Three cases of two repositories, none of which can be confirmed: they have no PoC."""
    (tmp_path / "cases").mkdir()
    clones = [tmp_path / name for name in ("one", "two", "one")]
    return [a_case(tmp_path / "cases", str(n), clone, "1" * 40) for n, clone in enumerate(clones)]


def told(journeys: list[CaseProgress]) -> list[dict[str, Any]]:
    return [{**one.to_json(), "seconds": 0} for one in journeys]


@pytest.mark.nightly
@pytest.mark.local
def test_a_cluster_comes_to_what_one_machine_does(cases: list[LoadedCase], tmp_path: Path) -> None:
    heard: list[tuple[str, str]] = []
    plan = BuildPlan(tmp_path / "pack", sandbox="local", workers=1)

    def hear(progress: CaseProgress, step: str) -> None:
        heard.append((progress.case, step))

    here = build_here(plan, cases, lambda *_: None)
    there = build_on_ray(plan, cases, hear)
    assert told(there) == told(here)
    assert [one.case for one in there] == ["0", "1", "2"] and there[0].lost == "incomplete"
    assert {case for case, step in heard if step == "done"} == {"0", "1", "2"}
    assert {step for _, step in heard} == {"confirm", "done"}


@pytest.mark.nightly
@pytest.mark.local
def test_a_task_is_built_on_a_node(mini: Mini, tmp_path: Path) -> None:
    import_cases(mini.folder, tmp_path / "cases")
    case = load_case(tmp_path / "cases/mini-twice")
    plan = BuildPlan(tmp_path / "pack", sandbox="local", workers=1)
    (journey,) = build_on_ray(plan, [case], lambda *_: None)
    assert journey.held and journey.lost == "review", journey.reason
    assert (tmp_path / "pack" / journey.task / "task.toml").is_file()


def test_cases_of_a_lost_node_are_lost_to_the_machine(cases: list[LoadedCase]) -> None:
    class RayError(Exception):
        pass

    def get(_: object) -> Any:
        raise RayError("The node died.\nIts worker was killed")

    ray = SimpleNamespace(get=get, exceptions=SimpleNamespace(RayError=RayError))
    found = _collect_part(ray, object(), cases[:2])
    assert [(one.case, one.lost, one.reason) for one in found] == [
        (name, "infra", "ray: Its worker was killed") for name in ("0", "1")
    ]


@pytest.mark.slow
def test_nobody_at_the_address_is_told(cases: list[LoadedCase], tmp_path: Path) -> None:
    with pytest.raises(EngineFault, match="nobody answers"):
        build_on_ray(BuildPlan(tmp_path), cases, lambda *_: None, "127.0.0.1:1")


@pytest.mark.slow
def test_a_node_s_loss_is_told_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(queue.Queue[object]):
        def __init__(self, **_: object) -> None:
            super().__init__()

        def shutdown(self, force: bool) -> None:
            assert force

    module = SimpleNamespace(Queue=Plain, Empty=queue.Empty)
    monkeypatch.setitem(sys.modules, "ray.util.queue", module)
    heard: list[tuple[str, str]] = []
    ray = SimpleNamespace(exceptions=SimpleNamespace(RayError=OSError))
    both = threading.Semaphore(0)

    def on_step(progress: CaseProgress, step: str) -> None:
        heard.append((progress.case, step))
        both.release()

    with _forward_steps(ray, on_step) as steps:
        for one in (CaseProgress("held"), CaseProgress("lost", lost="check"), CaseProgress("next")):
            steps.put((vars(one), "confirm" if one.case == "next" else "done"))
        assert all(both.acquire(timeout=20) for _ in range(2))
    assert heard == [("lost", "done"), ("next", "confirm")]
