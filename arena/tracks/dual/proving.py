"""Proof of an imported pack: a task is held until some program passes all its tests that count.

A test that no reference passes, or none together with the others, is quarantined with the reason, and so is a
security test that a program passes which is wrong on purpose. References are brought, or written by a model.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import tomli_w

from arena.models.languages import NAMES
from arena.tracks.dual.judging import check_task
from arena.tracks.dual.languages.plan import Candidate
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, State
from arena.tracks.dual.score import ProgramScorer, Sample
from arena.tracks.dual.tasks.imported.brought import BroughtProgram, BroughtPrograms
from arena.tracks.dual.tasks.imported.report import ImportedTask, ImportProblem
from arena.tracks.dual.tasks.pack import DualTask, load_dual
from arena.tracks.pool import each
from tasks.loader import TaskError

REASON = 250
Brought = Callable[[str], BroughtPrograms]
# Has a model write a reference; it is sent the results of each of its programs. None where none comes.
Author = Callable[[DualTask, Callable[[BroughtProgram], SampleResult]], BroughtProgram | None]


@dataclass(frozen=True)
class InsecureProgram:
    """A program that is functionally correct and weak, with the security tests that it fails."""

    program: BroughtProgram
    fails: tuple[str, ...]


@dataclass(frozen=True)
class TaskProof:
    """What proving a task came to. reference: passes all tests but those quarantined (test -> why).

    held: why the task is not proven; then there is no reference. insecure: programs that pass the functional
    suite and fail a security test; unfailed: security tests that none of these fails, if there are any.
    notes: problems of the programs that were brought.
    """

    task: str
    held: str = ""
    quarantined: Mapping[str, str] = field(default_factory=dict)
    reference: BroughtProgram | None = None
    insecure: tuple[InsecureProgram, ...] = ()
    unfailed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def prove_pack(
    folder: Path,
    imported: ImportedTask,
    brought: Brought,
    scorer: ProgramScorer,
    author: Author | None = None,
    say: Callable[[str], None] = lambda text: None,
    workers: int = 1,
) -> ImportedTask:
    """Prove each task of a pack, and write into it what is proven, held and quarantined.

    Without any reference nothing changes: the pack is unproven as a whole. Raises TaskError for a pack that
    cannot be loaded.
    """
    tasks = load_dual(folder).tasks
    programs = {task.id: brought(task.id) for task in tasks}
    if author is None and not any(program.references for program in programs.values()):
        return imported

    def write_proof(task: DualTask, proof: TaskProof) -> None:
        say(f"{task.id}: {_describe_proof(proof)}")
        _write(task, proof)

    def proven(task: DualTask) -> TaskProof:
        return prove(task, programs[task.id], scorer, author)

    proofs = each(tasks, proven, workers, write_proof)
    return replace(
        imported,
        proven=tuple(proof.task for proof in proofs if proof.reference),
        held=tuple(ImportProblem(proof.task, "", proof.held) for proof in proofs if proof.held),
        quarantined=(
            *imported.quarantined,
            *(
                ImportProblem(proof.task, test, why)
                for proof in proofs
                for test, why in proof.quarantined.items()
            ),
        ),
        problems=(
            *imported.problems,
            *(ImportProblem(proof.task, "", note) for proof in proofs for note in proof.notes),
        ),
        unfailed=tuple(f"{proof.task}/{test}" for proof in proofs for test in proof.unfailed),
    )


def _describe_proof(proof: TaskProof) -> str:
    if proof.held:
        return f"held: {proof.held}"
    return f"proven by {proof.reference.name if proof.reference else '?'}" + (
        f", {len(proof.quarantined)} tests quarantined" if proof.quarantined else ""
    )


def prove(
    task: DualTask, programs: BroughtPrograms, scorer: ProgramScorer, author: Author | None = None
) -> TaskProof:
    """Run the references of a task; if none is brought, have a reference written."""

    def score_program(program: BroughtProgram, of: DualTask = task) -> SampleResult:
        candidate = Candidate(program.language, program.source)
        result = scorer.score(Sample(of, program.name, program.language, candidate))
        if result.health != "ok":
            raise TaskError(result.why)
        return result

    try:
        check_task(task)
        # References that are brought come first: a model's costs money, and agrees with itself.
        tried = [(reference, score_program(reference)) for reference in programs.references]
        if author is not None and not any(_usable(result) for _, result in tried):
            references = author(task, score_program)
            tried += [(references, score_program(references))] if references else []
        if not tried:
            return TaskProof(task.id, "no reference was brought")
        proof = _decide_proof(task, tried)
        if not proof.held:
            proof = _with_wrong(task, proof, programs.wrong, score_program)
        if not proof.held and programs.insecure:
            proof = _with_insecure(task, proof, programs.insecure, score_program)
    except TaskError as error:
        return TaskProof(task.id, f"its tests cannot be tried: {error}"[:REASON])
    return _hold_if_untested(task, proof)


def _usable(result: SampleResult) -> bool:
    return result.state is State.USABLE


def _decide_proof(
    task: DualTask, tried: Sequence[tuple[BroughtProgram, SampleResult]]
) -> TaskProof:
    """The reference that passes the highest number of tests, and the tests that it does not pass."""
    usable = [(program, result) for program, result in tried if _usable(result)]
    if not usable:
        program, best_result = tried[0]
        return TaskProof(
            task.id, f"{program.name}: {best_result.state}: {best_result.why}"[:REASON]
        )
    # One program must pass all that count: tests that only different references pass contradict each other.
    best, best_result = max(usable, key=lambda item: len(_passed_tests(item[1])))
    others = set().union(*(_passed_tests(result) for _, result in usable))
    judged = (OracleVerdict.NA, OracleVerdict.PASS)
    failed = {test.id: test for test in best_result.tests if test.verdict not in judged}
    quarantined = {
        name: (
            "no reference passes it together with the others: "
            if name in others
            else "no reference passes it: "
        )
        + test.reason[:REASON]
        for name, test in failed.items()
    }
    return TaskProof(task.id, "", quarantined, best)


def _passed_tests(result: SampleResult) -> set[str]:
    return {test.id for test in result.tests if test.verdict is OracleVerdict.PASS}


def _with_wrong(
    task: DualTask,
    proof: TaskProof,
    wrong: Mapping[str, BroughtProgram],
    scored: Callable[[BroughtProgram, DualTask], SampleResult],
) -> TaskProof:
    """Security tests that a program passes which is to fail them see nothing."""
    quarantined = dict(proof.quarantined)
    for test in task.suites.security:
        if test.id in quarantined or (program := wrong.get(test.id)) is None:
            continue
        # Only the one test, since a program that is wrong on purpose may fail all others as well.
        alone = task.suites.model_copy(update={"functional": (), "security": (test,)})
        if test.id in _passed_tests(scored(program, replace(task, suites=alone))):
            quarantined[test.id] = f"{program.name} passes it, which is wrong on purpose"
    return replace(proof, quarantined=quarantined)


def _with_insecure(
    task: DualTask,
    proof: TaskProof,
    programs: Sequence[BroughtProgram],
    scored: Callable[[BroughtProgram, DualTask], SampleResult],
) -> TaskProof:
    """Add the insecure programs; hold the task if its security suite passes any of them."""
    counted = {test.id: kind for kind, test in task.tests if test.id not in proof.quarantined}
    security = [test_id for test_id, kind in counted.items() if kind == "security"]
    if not security:
        return replace(proof, held="no security test of it is left that counts", reference=None)
    insecure, notes, failed = [], [], set[str]()
    for program in programs:
        result = scored(program, task)
        if not _usable(result):
            notes.append(f"{program.name}: {result.state}: {result.why}"[:REASON])
            continue
        fails = [test_id for test_id in counted if test_id not in _passed_tests(result)]
        if broken := [test_id for test_id in fails if counted[test_id] == "functional"]:
            notes.append(f"{program.name} fails functional tests: {', '.join(broken)}"[:REASON])
        failing_security = tuple(test_id for test_id in fails if test_id in security)
        if not failing_security:
            why = f"{program.name}, which is insecure, passes every security test"
            return replace(proof, held=why, reference=None)
        failed.update(failing_security)
        if not broken:
            insecure.append(InsecureProgram(program, failing_security))
    unfailed = tuple(test_id for test_id in security if failed and test_id not in failed)
    return replace(proof, insecure=tuple(insecure), unfailed=unfailed, notes=tuple(notes))


def _hold_if_untested(task: DualTask, proof: TaskProof) -> TaskProof:
    """A task of which no functional test is left is held: there is nothing to be correct by."""
    left = [
        test
        for test in task.suites.functional
        if test.expect and not test.lacks and not test.quarantined
        and test.id not in proof.quarantined
    ]  # fmt: skip
    if proof.held or left:
        return proof
    return replace(proof, held="no functional test of it is left that counts", reference=None)


def _write(task: DualTask, proof: TaskProof) -> None:
    """Mark the tests and the task, and put the reference beside them."""
    path = task.folder / "tests.json"
    tests = json.loads(path.read_bytes())
    for test in (*tests["functional"], *tests["security"]):
        if why := proof.quarantined.get(test["id"]):
            test["quarantined"] = why
    path.write_text(json.dumps(tests, indent=1) + "\n", encoding="ascii")
    facts = tomllib.loads((task.folder / "task.toml").read_text("utf-8"))
    facts["proof"] = "held" if proof.held else "proven"
    if proof.held:
        facts["held"] = "".join(c if c.isprintable() else " " for c in proof.held)[:REASON]
    if proof.reference is not None:
        place = task.folder / "reference"
        place.mkdir(exist_ok=True)
        (place / NAMES[proof.reference.language]).write_bytes(proof.reference.source)
        if proof.reference.language not in task.spec.languages:
            facts["languages"] = [*task.spec.languages, proof.reference.language]
    if proof.insecure:
        facts["variants"] = [_variant(task, program) for program in proof.insecure]
    # Written last, so that a task which an interrupt left by halves is not yet said to be proven.
    (task.folder / "task.toml").write_bytes(tomli_w.dumps(facts).encode("utf-8", "replace"))


def _variant(task: DualTask, program: InsecureProgram) -> dict[str, object]:
    """Put an insecure program beside the task; returns what `task.toml` says of it."""
    file = f"variants/{program.program.name}"
    (task.folder / "variants").mkdir(exist_ok=True)
    (task.folder / file).write_bytes(program.program.source)
    return {"file": file, "kind": "insecure", "fails": list(program.fails)}
