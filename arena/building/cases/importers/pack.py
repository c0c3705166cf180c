"""A pack of this project: the case from which each of its tasks was built, with its VIC, unchanged.

A task from `arena tasks build` has its case beside it (`oracle/case.toml`), and the pack has the recipe.
For any different task, the case is what its `task.toml` says. Kinds of task that share a case yield it once.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.building.cases.expected import expected_of
from arena.building.cases.importers import (
    Imported,
    ImporterExample,
    Rejected,
    recipe_of,
    travelling_files,
)
from arena.building.cases.loader import POC_FILE, URL, clone_path
from arena.building.cases.proof import ExpectedSpec, PocOrigin, ProofSpec
from arena.building.cases.schema import Case, CrashSpec, ReplaySpec, Shipped, Surroundings
from arena.building.cases.sharing import TableLayer, merge_layers, read_toml
from tasks import neighbours, other_values
from tasks.kinds import TaskKind
from tasks.loader import PACKS, Task, TaskError, find_pack, load_pack

# The case that a task was built from, in the task's folder.
CASE_PATH = "oracle/case.toml"
# Files of a task of kind `write` -> their names beside its case.
CASE_FILES = {
    "instruction.md": "instruction.md",
    "solution/fixed.patch": "fixed.patch",
    neighbours.FILE: "neighbours.json",
    other_values.FILE: "other-values.json",
}

EXAMPLE = PACKS / "starter"


def _example(folder: Path) -> Path:
    for name in ("brook-include", "repositories/brook"):
        shutil.copytree(EXAMPLE / name, folder / name)
    shutil.copy(EXAMPLE / "pack.toml", folder)
    return folder


class PackImporter:
    """See `Importer`."""

    what = "a pack's folder, or the name of one that ships"
    examples = (ImporterExample(_example, imported=("brook-include",)),)

    def recognises(self, path: Path) -> bool:
        shipped = not path.exists() and (PACKS / path / "pack.toml").is_file()
        return shipped or (path / "pack.toml").is_file()

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        for task in _one_for_each_case(load_pack(find_pack(path)).tasks):
            try:
                yield _import_task(task)
            except TaskError as error:
                yield Rejected(task.id, str(error))

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        return self.read(path)


def _one_for_each_case(tasks: Sequence[Task]) -> list[Task]:
    """The tasks of kind `write`, and of the others the first of each fix that none of these has."""
    written = [task for task in tasks if task.kind is TaskKind.WRITE]
    fixes = {(task.spec.source.repository, task.spec.source.vfc) for task in written}
    others: dict[tuple[str | None, str], Task] = {}
    for task in tasks:
        fix = task.spec.source.repository, task.spec.source.vfc
        if task.kind is not TaskKind.WRITE and fix not in fixes:
            others.setdefault(fix, task)
    return sorted([*written, *others.values()], key=lambda task: task.id)


def _import_task(task: Task) -> Imported | Rejected:
    name, poc = task.spec.source.repository, task.poc
    if task.history is None or name is None:
        return Rejected(
            task.id, "the task's image holds its repository: there is no history to search"
        )
    case_path = task.folder / CASE_PATH
    if case_path.is_symlink():
        raise TaskError(f"{case_path}: must be a plain file")
    case = (
        merge_layers([TableLayer(case_path, read_toml(case_path))])[0]
        if case_path.is_file()
        else _case_of(task)
    )
    is_url = bool(URL.match(case.repository))
    if not is_url:
        case = case.model_copy(update={"repository": f"../repositories/{name}"})
    if case.poc is not None:
        file = None if poc is None else POC_FILE
        case = case.model_copy(update={"poc": case.poc.model_copy(update={"file": file})})
    files = travelling_files(task.folder, CASE_FILES) if task.kind is TaskKind.WRITE else {}
    if poc is not None:
        files[POC_FILE] = poc
    clone = clone_path(case.repository) if is_url else name
    recipe = recipe_of(task.folder.parent, case)
    return Imported(case, files, task.history, clone, recipe)


def _case_of(task: Task) -> Case:
    """The case of a task that has none beside it."""
    spec, poc = task.spec, task.poc
    signature, environment, source = spec.poc.signature, spec.environment, spec.source
    builds = [text for text in (environment.build, spec.poc.build) if text]
    proof, expected = None, ExpectedSpec()
    if task.kind is TaskKind.WRITE:
        proof = ProofSpec(vic=source.vic, pvic=source.pvic, vfc=source.vfc, signature=signature)
        expected = expected_of(task, {})
    origin = PocOrigin(sha256=hashlib.sha256(poc).hexdigest()) if poc is not None else PocOrigin()
    return Case(
        id=task.id,
        project=source.repository or "",
        source="pack",
        title=spec.title,
        repository=f"../repositories/{source.repository}",
        fix=(source.vfc,),
        language=spec.weakness.language,
        cwe=spec.weakness.cwe,
        crash=CrashSpec(
            type=" ".join(filter(None, (signature.kind, signature.access.upper()))),
            sanitizer=spec.poc.sanitizer,
            state=signature.frames,
        ),
        environment=Surroundings(
            image=environment.image,
            workdir=environment.workdir,
            build="\n".join(builds),
            timeout=environment.timeout,
        ),
        poc=ReplaySpec(command=spec.poc.command, origin=origin, timeout=spec.poc.timeout),
        task=Shipped(build=environment.build, poc_build=spec.poc.build),
        tests=spec.tests,
        limits=spec.limits,
        proof=proof,
        expected=expected,
    )


PLUGIN = PackImporter()
