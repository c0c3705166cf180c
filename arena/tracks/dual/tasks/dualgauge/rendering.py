"""A task with every field of the file that it came from, as `arena tasks show` gives it."""

from __future__ import annotations

from typing import Any

from arena.tracks.dual.tasks.dualgauge.reading import PREFIX, SUITES
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import TestSpec


def to_dict(task: DualTask) -> dict[str, Any]:
    """All keys of the original file with exactly their values; then those of the task itself.

    The latter are id, domain, io, languages, tests (kind, steps, expectations) and untyped; where the
    original has a key of such a name, `_` is added to the latter. A task that was not imported gets the
    original's keys from its facts. Raises TaskError when `origin.json` cannot be read.
    """
    shown = dict(task.origin) if task.origin is not None else _render_task(task)
    facts = {
        "id": task.id,
        "domain": task.spec.domain,
        "io": task.spec.io.model_dump(mode="json", exclude_none=True),
        "languages": list(task.spec.languages),
        "tests": [{"kind": kind, **_test(test)} for kind, test in task.tests],
        "untyped": [
            {"task": task.id, "test": test.id, "why": test.untyped or "judged by a model"}
            for _, test in task.tests
            if not test.expect
        ],
    }
    for key, value in facts.items():
        while key in shown:
            key += "_"
        shown[key] = value
    return shown


def _test(test: TestSpec) -> dict[str, Any]:
    """A test as `tests.json` has it: an expectation's parameters stand beside its oracle."""
    shown = test.model_dump(mode="json", exclude={"expect"}, exclude_defaults=True)
    shown["steps"] = list(test.steps)
    shown["expect"] = [
        _expectation(item.oracle, item.step, item.parameters) for item in test.expect
    ]
    return shown


def _expectation(oracle: str, step: int | None, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"oracle": oracle, **({} if step is None else {"step": step}), **parameters}


def _render_task(task: DualTask) -> dict[str, Any]:
    """The keys of DualGauge-Bench for a task of this project."""
    suites = {"functional": task.suites.functional, "security": task.suites.security}
    record: dict[str, Any] = {
        "benchmark_id": task.id,
        "prompt": task.instruction,
        "implementation_details": "\n".join(task.spec.interface.values()),
    }
    for key, kind in SUITES.items():
        record[key] = [_record(kind, test) for test in suites[kind]]
    return {**record, "source_repo": task.spec.origin}


def _record(kind: str, test: TestSpec) -> dict[str, Any]:
    wanted = [_expectation(item.oracle, item.step, item.parameters) for item in test.expect]
    record: dict[str, Any] = {
        "test_id": test.id.removeprefix(f"{PREFIX[kind]}-"),
        "input": list(test.steps),
    }
    if kind == "functional":
        return {**record, "expected_output": wanted}
    return {
        **record,
        "expected_behavior/output": test.title,
        "CWE": test.cwe or "N/A",
        "oracles": wanted,
    }
