"""The tasks that need no VIC, from any case that reproduces: repair, reproduce, end to end.

A task for each fix: cases with the same fixing commit are a repair, with their PoCs around it. Both
further kinds share the repair's files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import tomli_w

from arena.building.cases.loader import LoadedCase
from arena.building.draft import CannotDraft, spec_of, suites, write_spec
from arena.building.merging import CaseInWork, explain_unusable_poc, repository_path
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.patches import gold as gold_of
from arena.building.revisions.witness import SandboxWitness
from arena.building.suite_selection import SUITES_TRIED
from arena.building.task_completion import (
    BuildContext,
    take_checks,
    take_neighbours,
    take_other_values,
    take_supplied_neighbours,
)
from harness.grade import inputs
from harness.grade.attack import attack_of, replay
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.verdict import TaskBroken
from szz.repository import Repository
from tasks.instruction.asking import LONG, find_disclosures, shorten_report, write_question
from tasks.kinds import TaskKind
from tasks.loader import Task, load_task
from tasks.neighbours import MAX_PER_KIND
from tasks.seal import opaque_id
from tasks.writing import write_whole

# The levels of the tasks that are made: who repairs has the PoC, who reproduces a description.
LEVELS: Mapping[TaskKind, int] = {
    TaskKind.REPAIR: 1,
    TaskKind.REPRODUCE: 1,
    TaskKind.END_TO_END: 0,
}


def choose_case_per_fix(work: Sequence[CaseInWork]) -> Iterator[CaseInWork]:
    """The cases to make a repair of; the others of the same fix give it their PoCs."""
    groups: defaultdict[tuple[str, str], list[CaseInWork]] = defaultdict(list)
    for work_item in work:
        groups[repository_path(work_item.case), work_item.case.spec.fix[-1]].append(work_item)
    for head, *others in groups.values():
        namesakes = [
            other_work.case
            for other_work in others
            if not explain_unusable_poc(head.case, other_work.case)
        ]
        pocs = dict.fromkeys(
            case.poc for case in namesakes if case.poc and case.poc != head.case.poc
        )
        head.repair_pocs = tuple(pocs)[:MAX_PER_KIND]
        for other_work in others:
            other_work.progress.kinds["repair"] = f"same fix as case {head.case.id}"
        yield head


def draft_repair(case: LoadedCase, pack: Path, means: BuildContext) -> Path:
    """Write the repair's folder but for its suite, its instruction and its neighbours.

    An existing folder stays. Raises CannotDraft, SandboxFault, TaskError or SzzError.
    """
    case = with_built_image(case, means.grader.backend, means.cache)
    assert case.repository  # noqa: S101 - a case that is complete
    with SandboxWitness(means.grader.backend, case, means.cache, lambda text: None) as witness:
        fix, _ = witness.fix_and_parent()
        with Repository(case.repository) as repository:
            base = repository.parent(fix)
            gold = gold_of(repository, fix)
        id_ = f"{opaque_id(case.spec.repository, base, fix)}-{TaskKind.REPAIR}"
        if (pack / id_ / "task.toml").is_file():
            return pack / id_
        # A repair needs no VIC, but the same proof at its ends: the PoC crashes the start and not the fix.
        before, after = witness.observe(base), witness.observe(fix)
    if (before.state, after.state) != ("crash", "clean"):
        states = f"before the fix {before.state}, with it {after.state}"
        raise CannotDraft("not-shown", f"{states}: {before.reason or after.reason}")
    source = {"base": base, "vfc": fix}
    level = LEVELS[TaskKind.REPAIR]
    spec = spec_of(case, id_, source, before.signature, gold, TaskKind.REPAIR, level)
    folder = pack / id_
    files = {"solution/gold.patch": gold, "oracle/poc": case.poc or b"", "instruction.md": b""}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, content)
    write_spec(folder, spec)
    return folder


def finish_repair(
    work_item: CaseInWork, folder: Path, kinds: Collection[TaskKind], means: BuildContext
) -> Iterator[tuple[str, str]]:
    """Find its suite, neighbours and report, check it, and make the kinds that share its files.

    Yields each kind with its task's id when its checks hold. Raises as `draft_repair`, and TaskBroken.
    """
    if not (folder / "oracle/neighbours.json").is_file():
        _take_suite(work_item.case, folder, means)
        take_supplied_neighbours(folder, work_item.repair_pocs)
        take_neighbours(folder, means)
        take_other_values(folder, means)
    report = _report(load_task(folder), means)
    with Repository(work_item.case.repository or folder) as repository:
        message = repository.read(load_task(folder).spec.source.vfc)[1].partition(b"\n\n")[2]
    subject = message.decode("utf-8", "replace").strip().partition("\n")[0]
    for kind in LEVELS:
        if kind is not TaskKind.REPAIR and kind not in kinds:
            continue
        kind_folder = folder if kind is TaskKind.REPAIR else _derive_kind(folder, kind)
        write_whole(
            kind_folder / "instruction.md", write_question(load_task(kind_folder), report).encode()
        )
        # A short subject ("Fix crash") shares its words with any report and would refuse every instruction.
        if leak := find_disclosures(
            load_task(kind_folder), [subject] if len(subject) >= LONG else []
        ):
            raise CannotDraft("instruction", f"{kind}: it tells {leak[0]}")
        take_checks(kind_folder, means)
        yield str(kind), kind_folder.name


def _take_suite(case: LoadedCase, folder: Path, means: BuildContext) -> None:
    """The first suite that runs with the fix and says something of its parent. Raises CannotDraft."""
    spec = load_task(folder).spec
    tried = []
    for tests in suites(case, spec.source.vfc)[:SUITES_TRIED]:
        write_spec(folder, spec.model_copy(update={"tests": tests}))
        try:
            means.grader.ready(load_task(folder))
        except TaskBroken as broken:
            tried.append(str(broken))
        else:
            return
    raise CannotDraft("no-suite", "; ".join(tried))


def _derive_kind(repair: Path, kind: TaskKind) -> Path:
    """The folder of another kind, which shares the repair's files."""
    folder = repair.with_name(repair.name.removesuffix(TaskKind.REPAIR) + kind)
    facts = {"schema": 1, "id": folder.name, "of": repair.name, "kind": str(kind)}
    folder.mkdir(exist_ok=True)
    write_whole(folder / "instruction.md", b"")
    write_whole(folder / "task.toml", tomli_w.dumps({**facts, "level": LEVELS[kind]}).encode())
    return folder


def _report(task: Task, means: BuildContext) -> list[str]:
    """The sanitizer's report on the PoC at the start. Raises TaskBroken or a SandboxFault."""
    backend, cache = means.grader.backend, means.cache
    pair = inputs.targets(backend, task, prepare(backend, task), cache)
    with sandbox(backend, pair.before, limits_of(task)) as box:
        _, shown = replay(box, attack_of(task), cache, trust_output=True)
    report = cache.blob(shown.get("report", shown["log"])).decode("utf-8", "replace")
    return shorten_report(report, task.spec.environment.workdir)
