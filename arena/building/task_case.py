"""The case beside the task that was built from it: `arena cases import PACK` gives it back."""

from __future__ import annotations

import hashlib
from pathlib import Path

from arena.building.cases.importers.pack import CASE_PATH
from arena.building.cases.loader import URL, LoadedCase
from arena.building.cases.proof import ExpectedSpec, ProofSpec
from arena.building.cases.recipes import keep_recipe, recipe_files
from arena.building.cases.schema import Case
from arena.building.cases.sharing import TableLayer, merge_layers, read_toml
from arena.building.cases.store import to_toml
from tasks.schema import Tests
from tasks.writing import write_whole


def write_task_case(
    folder: Path,
    case: LoadedCase,
    proof: ProofSpec | None,
    expected: ExpectedSpec | None = None,
    tests: Tests | None = None,
) -> None:
    """Write the case, and what its task came to, into a task's folder; its recipe into the pack.

    expected, tests: of the finished task; before that the case's. A path of this
    machine does not go along: the pack has the history. Raises TaskError.
    """
    spec, environment = case.spec, case.spec.environment
    changed: dict[str, object] = {"proof": proof}
    # A local clone's path says where this machine keeps its files, and leads nowhere on another.
    if not URL.match(spec.repository):
        changed["repository"] = f"../repositories/{spec.project}"
    if spec.poc is not None and case.poc is not None:
        digest = hashlib.sha256(case.poc).hexdigest()
        origin = spec.poc.origin.model_copy(update={"sha256": digest})
        changed["poc"] = spec.poc.model_copy(update={"file": "poc", "origin": origin})
    changed |= {"expected": expected} if expected else {}
    changed |= {"tests": tests} if tests else {}
    path = folder / CASE_PATH
    # In the oracle's folder, which no agent sees: the case names the fix and the PoC.
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, to_toml(spec.model_copy(update=changed)).encode())
    if environment is not None and environment.recipe:
        files = recipe_files(case.folder.parent, environment.recipe)
        if files:
            keep_recipe(folder.parent, environment.recipe, files)


def has_task_case(folder: Path) -> bool:
    """Whether a case is beside a task."""
    return (folder / CASE_PATH).is_file()


def read_task_case(folder: Path) -> Case | None:
    """The case beside a task; None where there is none. Raises TaskError."""
    path = folder / CASE_PATH
    return merge_layers([TableLayer(path, read_toml(path))])[0] if has_task_case(folder) else None
