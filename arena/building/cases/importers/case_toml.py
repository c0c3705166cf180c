"""Cases written by hand: a `case.toml` (or any `*.toml` of that form), or a folder of them.

What a case refers to by a relative path comes along: its PoC is copied, and a repository becomes absolute.
So do what its task takes from beside it (instruction, fixed patch, neighbours) and the recipe of its store.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.building.cases.importers import (
    Imported,
    ImporterExample,
    Rejected,
    recipe_of,
    travelling_files,
    writes,
)
from arena.building.cases.loader import CASE_FILE, POC_FILE, TRAVELLING, URL, load_case
from arena.building.cases.store import natural_key
from tasks.loader import TaskError

CASE = """\
id = "own-1"
project = "brook"
repository = "../brook"
fix = "0123456789abcdef0123456789abcdef01234567"

[poc]
command = "./fuzz_load {poc}"
file = "crash.bin"
"""


class CaseToml:
    """See `Importer`."""

    what = f"a {CASE_FILE}, or a folder of */{CASE_FILE}"
    examples = (
        ImporterExample(
            writes({"own/case.toml": CASE, "own/crash.bin": "x"}, "own"), imported=("own-1",)
        ),
        ImporterExample(
            writes(
                {
                    "a/case.toml": CASE,
                    "b/case.toml": 'id = "own-2"\n',
                    "c/case.toml": "id = ",
                }
            ),
            rejected={"a": "poc.file", "b": "project", "c": "not TOML"},
        ),
    )

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            is_store = (path / CASE_FILE).is_file()
            return is_store or next(path.glob(f"*/{CASE_FILE}"), None) is not None
        return path.suffix == ".toml" and path.name != "pack.toml" and path.is_file()

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        if not path.is_dir():
            yield _read(path, path.stem)
        elif (path / CASE_FILE).is_file():
            yield _read(path / CASE_FILE, path.name)
        else:
            for file in sorted(
                path.glob(f"*/{CASE_FILE}"), key=lambda f: natural_key(f.parent.name)
            ):
                yield _read(file, file.parent.name)

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        case_folder = path / id_
        return self.read(case_folder if (case_folder / CASE_FILE).is_file() else path)


def _read(path: Path, record_name: str) -> Imported | Rejected:
    try:
        loaded = load_case(path)
        poc = loaded.poc
        files = travelling_files(path.parent, {name: name for name in TRAVELLING})
        recipe = recipe_of(path.parent.parent, loaded.spec)
    except TaskError as error:
        return Rejected(record_name, str(error))
    if loaded.unfilled:
        return Rejected(
            record_name, f"{path}: no value for {{{loaded.unfilled[0]}}} of the project file"
        )
    spec = loaded.spec
    if loaded.repository is not None and not URL.match(spec.repository):
        spec = spec.model_copy(update={"repository": str(loaded.repository.resolve())})
    if spec.poc is not None and poc is not None:
        replay = spec.poc.model_copy(update={"file": POC_FILE})
        spec = spec.model_copy(update={"poc": replay})
        files[POC_FILE] = poc
    return Imported(spec, files, recipe=recipe)


PLUGIN = CaseToml()
