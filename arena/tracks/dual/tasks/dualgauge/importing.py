"""The whole import: a folder of DualGauge-Bench becomes a pack of the track `dual`."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from arena.tracks.dual.labels import is_dualgauge
from arena.tracks.dual.tasks.dualgauge.annotating import Annotations, TaskNote, read_annotations
from arena.tracks.dual.tasks.dualgauge.fixtures import Fixtures
from arena.tracks.dual.tasks.dualgauge.problems import (
    PACKAGE,
    lacking,
    needs_its_place,
    problems_of,
)
from arena.tracks.dual.tasks.dualgauge.proposing import Proposer, Typed
from arena.tracks.dual.tasks.dualgauge.reading import Original, read_folder
from arena.tracks.dual.tasks.imported.placing import Prove, expect_room, put_pack, write_json
from arena.tracks.dual.tasks.imported.report import ImportedTask, ImportProblem, Proposal, Untyped
from arena.tracks.dual.tasks.pack import DualPack, load_dual, load_dual_task
from tasks.loader import TaskError

TEXT = 300
TEST_DIR = b"test_dir"


def import_tasks(
    source: Path,
    out: Path,
    annotations: Path | None = None,
    force: bool = False,
    prove: Prove | None = None,
) -> ImportedTask:
    """Create a pack at `out` from the tasks at `source`: all of it, or nothing.

    An existing `out` is replaced only with `force`, and only if it is a pack. prove: receives the pack before
    it is put in place, and reports what its tasks are worth; without it they are unproven. Raises TaskError.
    """
    expect_room(out, force)
    originals, refused = read_folder(source)
    settled = read_annotations(annotations, originals)

    def write(folder: Path) -> ImportedTask:
        return _write(originals, settled, folder, refused)

    return put_pack(out, ("dualgauge", "DualGauge-Bench"), write, prove)


@contextmanager
def open_pack(name: str, say: Callable[[str], None]) -> Iterator[DualPack]:
    """A pack of the track; a folder of DualGauge-Bench is imported for as long as it is open.

    Raises TaskError.
    """
    source = Path(name)
    if (source / "pack.toml").is_file() or not is_dualgauge(source):
        yield load_dual(name)
        return
    with tempfile.TemporaryDirectory(prefix="arena-dualgauge-") as place:
        imported = import_tasks(source, Path(place, "pack"))
        say("its tasks are unproven: no reference has passed their tests")
        if imported.untyped:
            say(f"{len(imported.untyped)} tests have no oracle: see arena tasks import dualgauge")
        yield load_dual(Path(place, "pack"))


def _write(
    originals: list[Original], settled: Annotations, folder: Path, refused: dict[str, str]
) -> ImportedTask:
    folder.mkdir()
    untyped: list[Untyped] = []
    problems = [ImportProblem(name, "", f"left out: {why}") for name, why in refused.items()]
    proposals: list[Proposal] = []
    quarantined: list[ImportProblem] = []
    counts: Counter[str] = Counter()
    for original in originals:
        note = settled.note_for(original.id)
        if note.drop:
            continue
        proposals_and_problems: tuple[list[Proposal], list[ImportProblem]] = ([], [])
        try:
            records = _write_task(original, note, folder / original.id, *proposals_and_problems)
            against = _contradicting(folder / original.id, records)
            # Read back at once: a task that this version cannot load must not end up in the pack.
            load_dual_task(folder / original.id)
        except Exception as error:  # noqa: BLE001 - one task of hundreds ends no import
            # Half a task in the pack would end the loading of all others.
            shutil.rmtree(folder / original.id, ignore_errors=True)
            message = str(error) if isinstance(error, TaskError) else repr(error)[:TEXT]
            problems.append(ImportProblem(original.id, "", f"left out: {message}"))
            continue
        counts["tasks"] += 1
        proposals += proposals_and_problems[0]
        problems += proposals_and_problems[1]
        quarantined += [ImportProblem(original.id, test, why) for test, why in against.items()]
        for kind, tests in records.items():
            counts[kind] += len(tests)
            untyped += [
                Untyped(original.id, test["id"], test["untyped"] or "judged by a model")
                for test in tests
                if not test["expect"]
            ]
    if not counts["tasks"]:
        raise TaskError(problems[-1].what if problems else "every task is dropped")
    imported = ImportedTask(
        counts["tasks"], counts["functional"], counts["security"],
        tuple(untyped), tuple(problems), tuple(proposals),
    )  # fmt: skip
    return replace(imported, quarantined=tuple(quarantined))


def _contradicting(folder: Path, records: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Functional tests that expect different results of the same input, as quarantined: test -> why."""
    same: dict[str, list[dict[str, Any]]] = {}
    for test in records["functional"]:
        if test["expect"]:
            input_parts = [test.get(key) for key in ("steps", "files", "links")]
            same.setdefault(json.dumps(input_parts, sort_keys=True), []).append(test)
    result: dict[str, str] = {}
    for tests in same.values():
        if len({json.dumps(test["expect"], sort_keys=True) for test in tests}) > 1:
            for test in tests:
                others = ", ".join(
                    test_record["id"] for test_record in tests if test_record is not test
                )
                test["quarantined"] = result[test["id"]] = f"contradicts {others}: the same input"[
                    :TEXT
                ]
    if result:
        write_json(folder / "tests.json", records)
    return result


def _write_task(
    original: Original,
    note: TaskNote,
    folder: Path,
    proposals: list[Proposal],
    problems: list[ImportProblem],
) -> dict[str, list[dict[str, Any]]]:
    fixtures = Fixtures(original.folder)
    proposer = Proposer(original, fixtures, note.io)
    folder.mkdir()
    records: dict[str, list[dict[str, Any]]] = {"functional": [], "security": []}
    lacks = lacking(original, proposer, fixtures)
    for typed in proposer.type_tests():
        test_note = note.tests.get(typed.test.name)
        if test_note is not None and test_note.drop:
            continue
        record = _record(typed)
        package = next((lack for lack in lacks if PACKAGE in lack), "")
        if package:
            record["lacks"] = package[:TEXT]
        # Tests of refusals and attacks do not reach what is lacking, so they still count.
        elif lacks and typed.test.kind == "functional" and needs_its_place(typed.test):
            record["lacks"] = lacks[0][:TEXT]
        final = test_note.apply_to_test(record) if test_note is not None else record
        records[typed.test.kind].append({"expect": [], "untyped": "", **final})
        by_hand = final.get("expect") != record.get("expect")
        rules = [("annotation", item["oracle"]) for item in final.get("expect", [])] if by_hand else [
            (proposal.rule, proposal.oracle) for proposal in typed.proposed
        ]  # fmt: skip
        proposals += [
            Proposal(original.id, typed.test.name, oracle, rule) for rule, oracle in rules
        ]
    problems += [
        ImportProblem(original.id, *item) for item in problems_of(original, proposer, fixtures)
    ]
    task = _no_none(note.apply_to_task(_task(original, proposer, fixtures)))
    (folder / "task.toml").write_bytes(tomli_w.dumps(task).encode("utf-8", "replace"))
    instruction = f"{original.prompt.strip()}\n\n{original.details.strip()}".strip() + "\n"
    (folder / "instruction.md").write_bytes(instruction.encode("utf-8", "replace"))
    # The bytes as they were, so that the pack can be compared with its source.
    (folder / "origin.json").write_bytes(original.raw)
    write_json(folder / "tests.json", records)
    if fixtures.entries:
        fixtures.copy(folder / "fixtures")
    elif TEST_DIR in original.raw:  # paths that lead out of it need it to be there
        (folder / "fixtures" / TEST_DIR.decode()).mkdir(parents=True)
    return records


def _record(typed: Typed) -> dict[str, Any]:
    """A test as `tests.json` has it; what is empty is left out."""
    record: dict[str, Any] = {"id": typed.test.name, "title": typed.title}
    record["cwe"] = typed.test.cwes[0] if typed.test.cwes else ""
    record["steps"] = list(typed.steps)
    record["expect"] = [
        {"oracle": proposal.oracle, **proposal.parameters} for proposal in typed.proposed
    ]
    record["canaries"] = list(typed.canaries)
    record["secrets"] = typed.secrets
    record["files"] = typed.files
    record["untyped"] = typed.untyped[:TEXT]
    return {key: item for key, item in record.items() if item or key == "id"}


def _task(original: Original, proposer: Proposer, fixtures: Fixtures) -> dict[str, Any]:
    facts, io = proposer.facts, proposer.shaped.io
    place: dict[str, Any] = {"allowed": ["**"]}
    databases = [{"file": file} for file in fixtures.databases]
    if databases:
        place["databases"] = databases
    cwes = dict.fromkeys(cwe for test in original.tests for cwe in test.cwes)
    return {
        "schema": 1,
        "id": original.id,
        "domain": facts.domain,
        "level": "function" if io.shape == "function" else "program",
        # By number: as texts CWE-1004 would come before CWE-22.
        "cwe": sorted(cwes, key=lambda cwe: int(cwe[4:])),
        "languages": list(facts.languages),
        "io": io.model_dump(mode="json", exclude_none=True, exclude_defaults=True),
        "place": place,
        "origin": f"DualGauge-Bench {original.id}",
        "proof": "unproven",
    }


def _no_none(value: Any) -> Any:
    """TOML has no null: what is None is left out."""
    if isinstance(value, dict):
        return {key: _no_none(item) for key, item in value.items() if item is not None}
    return [_no_none(item) for item in value] if isinstance(value, list | tuple) else value
