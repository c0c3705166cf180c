"""Tasks whose suites are code -> a pack. The test modules are run in the jail, and say what they have."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from arena.tracks.dual.coded.benchmark import CodedTask
from arena.tracks.dual.languages.orders import limits_of
from arena.tracks.dual.languages.plan import SHAPES, Runs
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.order import CodeSuite, Order
from arena.tracks.dual.runner.testing import MAX_CWES, SUITE
from arena.tracks.dual.tasks.imported.placing import Prove, expect_room, put_pack, write_json
from arena.tracks.dual.tasks.imported.report import ImportedTask, ImportProblem, Proposal
from arena.tracks.dual.tasks.pack import Kind, load_dual_task
from arena.tracks.dual.tasks.schema import ProgramLimits
from tasks.loader import TaskError

TEXT = 300
MAX_TESTS, MAX_NEEDS = 500, 50
KINDS: Mapping[Kind, str] = {"functional": "fc", "security": "sec"}
ORACLE = "tested"


def import_coded(
    named: tuple[str, str],
    tasks: Sequence[CodedTask],
    refused: Mapping[str, str],
    out: Path,
    runner: Runs,
    force: bool = False,
    prove: Prove | None = None,
) -> ImportedTask:
    """Make a pack at `out`; see `put_pack`. A task whose test module cannot be loaded is left out, with the
    reason. Raises TaskError where none is left."""
    expect_room(out, force)

    def write(folder: Path) -> ImportedTask:
        return _write(tasks, refused, folder, runner)

    return put_pack(out, named, write, prove)


def _write(
    tasks: Sequence[CodedTask], refused: Mapping[str, str], folder: Path, runner: Runs
) -> ImportedTask:
    folder.mkdir()
    problems = [ImportProblem(name, "", f"left out: {why}"[:TEXT]) for name, why in refused.items()]
    proposals: list[Proposal] = []
    counts: Counter[str] = Counter()
    for task in tasks:
        if (folder / task.id).exists():
            problems.append(ImportProblem(task.id, "", "left out: another task has the same name"))
            continue
        try:
            description = describe_suite(task, runner)
            records = _write_task(task, description, folder / task.id)
            load_dual_task(folder / task.id)
        except (TaskError, ValueError, TypeError, LookupError) as error:
            shutil.rmtree(folder / task.id, ignore_errors=True)
            problems.append(ImportProblem(task.id, "", f"left out: {error}"[:TEXT]))
            continue
        counts["tasks"] += 1
        counts.update({kind: len(tests) for kind, tests in records.items()})
        problems += [
            ImportProblem(task.id, "", f"its own environment is made by: {need}"[:TEXT])
            for need in description["facts"].get("needs", ())[:MAX_NEEDS]
        ]
        proposals += [
            Proposal(task.id, test["id"], ORACLE, task.oracle.form)
            for tests in records.values()
            for test in tests
        ]
    if not counts["tasks"]:
        raise TaskError(problems[-1].what if problems else "there is no task")
    return ImportedTask(
        *(counts["tasks"], counts["functional"], counts["security"]),
        problems=tuple(problems),
        proposals=tuple(proposals),
    )


def describe_suite(task: CodedTask, runner: Runs) -> dict[str, Any]:
    """What the test module says of itself: {"tests": [...], "facts": {...}}. Raises TaskError."""
    suite = CodeSuite(task.oracle.form, task.oracle.module, task.oracle.program, dict(task.files))
    order = Order(
        *(SHAPES[task.io.shape], ("true",), ({"list": True},)),
        limits=limits_of(ProgramLimits.model_validate(task.limits)),
        suite=suite,
    )
    result = runner.run(order)
    step = result.last
    if result.ended is not ProcessEnded.OK or step is None or not isinstance(step.value, dict):
        raise TaskError(result.why.removeprefix(SUITE) or "its test module tells nothing")
    if "tests" not in step.value:
        raise TaskError(str(step.value.get("why") or "its test module lists no tests"))
    return dict(step.value)


def _write_task(
    task: CodedTask, description: Mapping[str, Any], folder: Path
) -> dict[str, list[dict[str, Any]]]:
    records: dict[str, list[dict[str, Any]]] = {
        kind: _records(task, description, kind) for kind in KINDS
    }
    instruction = task.instruction or str(description["facts"]["prompt"]).strip() + "\n"
    cwes = {item["cwe"] for item in records["security"] if item["cwe"]}
    facts = {
        "schema": 1,
        "id": task.id,
        "title": _line(description["facts"].get("title", "")),
        "domain": task.domain,
        "level": "function" if task.io.shape == "function" else "program",
        "cwe": sorted(cwes, key=lambda cwe: int(cwe[4:])),
        "languages": [task.language],
        "io": task.io.model_dump(mode="json", exclude_none=True, exclude_defaults=True),
        "oracle": task.oracle.model_dump(),
        "place": dict(task.place),
        "limits": dict(task.limits),
        "origin": task.origin,
        "proof": "unproven",
    }
    folder.mkdir()
    (folder / "task.toml").write_bytes(tomli_w.dumps(facts).encode("utf-8", "replace"))
    (folder / "instruction.md").write_bytes(instruction.encode("utf-8", "replace"))
    write_json(folder / "tests.json", records)
    for name, content in task.files.items():
        path = folder / "oracle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return records


def _records(task: CodedTask, description: Mapping[str, Any], kind: Kind) -> list[dict[str, Any]]:
    """The tests of a kind. A test that can detect several CWEs becomes several: verdicts are by CWE."""
    records = []
    tests = [item for item in description["tests"][:MAX_TESTS] if item["kind"] == kind]
    for number, item in enumerate(tests):
        name = f"{KINDS[kind]}-{number}"
        record = {"title": _line(item["title"]), "steps": [{"test": str(item["test"])}]}
        cwes = [str(cwe) for cwe in item["cwes"][:MAX_CWES]] or [
            task.cwe if kind == "security" else ""
        ]
        for cwe in cwes:
            several = {"cwe": cwe} if len(cwes) > 1 else {}
            expect = [{"oracle": ORACLE, **several}]
            id_ = f"{name}-{cwe}" if several else name
            records.append({"id": id_, **record, "cwe": cwe, "expect": expect})
    return records


def _line(text: Any) -> str:
    return "".join(c if c.isprintable() else " " for c in str(text))[:TEXT]
