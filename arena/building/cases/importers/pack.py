"""A pack of this project: each task becomes the case that it was made from.

PVIC and VIC stay behind: they are what confirming must find.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from arena.building.cases.importers import Imported, ImporterExample, Rejected
from arena.building.cases.loader import POC_FILE
from arena.building.cases.schema import Case, CrashSpec, ReplaySpec, Shipped, Surroundings
from tasks.loader import PACKS, Task, TaskError, find_pack, load_pack

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
        for task in load_pack(find_pack(path)).tasks:
            try:
                yield _imported(task)
            except TaskError as error:
                yield Rejected(task.id, str(error))


def _imported(task: Task) -> Imported | Rejected:
    spec, poc = task.spec, task.poc
    if task.history is None or spec.source.repository is None:
        return Rejected(
            task.id, "the task's image holds its repository: there is no history to search"
        )
    signature, environment = spec.poc.signature, spec.environment
    builds = [text for text in (environment.build, spec.poc.build) if text]
    case = Case(
        id=task.id,
        project=spec.source.repository,
        source="pack",
        title=spec.title,
        repository=f"../repositories/{spec.source.repository}",
        fix=(spec.source.vfc,),
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
        poc=ReplaySpec(
            command=spec.poc.command,
            file=None if poc is None else POC_FILE,
            timeout=spec.poc.timeout,
        ),
        task=Shipped(build=environment.build, poc_build=spec.poc.build),
        tests=spec.tests,
        limits=spec.limits,
    )
    return Imported(case, {} if poc is None else {POC_FILE: poc}, task.history)


PLUGIN = PackImporter()
