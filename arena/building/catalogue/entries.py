"""Entries of a catalogue, read as data from a stranger: what does not belong into one is an error."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tasks
from arena.building.cases.loader import CASE_FILE, URL, clone_path
from arena.building.cases.schema import Case
from arena.building.cases.sharing import PLAIN, TableLayer, checked, read_toml
from arena.building.cases.store import by_number
from tasks.instruction.draft import needs_review
from tasks.loader import MAX_FILE, TaskError
from tasks.reading import read_whole

SHIPPED = Path(tasks.__file__).parent / "catalogue"
INSTRUCTION = "instruction.md"
FILES = frozenset((CASE_FILE, INSTRUCTION))
NEAR = 5
UNNAMED = ("", ".", "..")


@dataclass(frozen=True)
class CatalogueEntry:
    """A checked entry: its folder, its case and its instruction."""

    folder: Path
    case: Case
    instruction: str

    @property
    def name(self) -> str:
        """PROJECT/CASE."""
        return f"{self.case.project}/{self.case.id}"


def entry_folders(catalogue: Path) -> list[Path]:
    """The folders of all entries, by project and case. Raises TaskError where there is no catalogue."""
    if not catalogue.is_dir():
        raise TaskError(f"{catalogue}: no catalogue there")
    found = [path.parent for path in catalogue.glob(f"*/*/{CASE_FILE}")]
    return sorted(found, key=lambda folder: (folder.parent.name, by_number(folder.name)))


def entries(catalogue: Path) -> Iterator[CatalogueEntry]:
    """All entries in order. Raises TaskError at the first that is wrong."""
    return map(load_entry, entry_folders(catalogue))


def find_entries(catalogue: Path, names: Sequence[str]) -> list[CatalogueEntry]:
    """The entries that names stand for, each once: PROJECT/CASE, CASE, or PROJECT for all of its cases.

    Raises TaskError for a name that stands for none, with similar ones.
    """
    folders = entry_folders(catalogue)
    chosen: dict[Path, None] = {}
    for name in names:
        fitting = [folder for folder in folders if name in _names_of(folder)]
        if not fitting:
            known = sorted({known for folder in folders for known in _names_of(folder)})
            near = difflib.get_close_matches(name[:100], known, NEAR, 0.4) or known[:NEAR]
            hint = f", such as {', '.join(near)}" if near else ""
            raise TaskError(f"{catalogue}: no entry {name[:100]!r}; there are {len(folders)}{hint}")
        chosen |= dict.fromkeys(fitting)
    return [load_entry(folder) for folder in chosen]


def _names_of(folder: Path) -> tuple[str, str, str]:
    project = folder.parent.name
    return project, folder.name, f"{project}/{folder.name}"


def load_entry(folder: Path) -> CatalogueEntry:
    """An entry from its folder. Raises TaskError naming what is wrong with it."""
    _expect_plain(folder)
    case = checked([TableLayer(folder / CASE_FILE, read_toml(folder / CASE_FILE))])[0]
    if (case.project, case.id) != (folder.parent.name, folder.name):
        told = f"is of {case.project}/{case.id}"
        raise TaskError(f"{folder / CASE_FILE}: {told}, not of {folder.parent.name}/{folder.name}")
    text = read_whole(folder / INSTRUCTION, MAX_FILE, TaskError).decode("utf-8", "replace")
    problems = problems_of(case, text)
    if problems:
        raise TaskError(f"{folder / CASE_FILE}: {'; '.join(problems)}")
    return CatalogueEntry(folder, case, text)


def _expect_plain(folder: Path) -> None:
    """An entry's folder holds its two files and nothing else, none of them a link. Raises TaskError."""
    names = {path.name for path in folder.iterdir()}
    odd = sorted(names - FILES)
    if odd:
        raise TaskError(f"{folder}: holds {odd[0]!r}; an entry is {' and '.join(sorted(FILES))}")
    missing = sorted(FILES - names)
    if missing:
        raise TaskError(f"{folder}: has no {missing[0]}")
    if any((folder / name).is_symlink() or not (folder / name).is_file() for name in FILES):
        raise TaskError(f"{folder}: {CASE_FILE} and {INSTRUCTION} must be plain files")


def problems_of(case: Case, instruction: str) -> list[str]:
    """Why a case is no entry: what anybody needs to make its task again and it does not state."""
    where, replay, labels = case.environment, case.poc, case.expected.labels
    is_arvo = where is not None and where.form == "arvo"
    origin = replay.origin if replay else None
    rules = (
        (
            PLAIN.fullmatch(case.project) is None or case.project in UNNAMED,
            "project: no plain name",
        ),
        (not _has_address(case.repository), "repository: no address of a repository"),
        (where is None or not (is_arvo or where.origin), "environment: no origin of its recipe"),
        (
            where is not None and bool(where.image) and not is_arvo,
            "environment: an image of nobody's",
        ),
        (replay is None or replay.file is not None, "poc: a file of its own, or none stated"),
        (
            not is_arvo and not (origin and (origin.commit or origin.fuzzing)),
            "poc.origin: neither a commit and path nor a campaign",
        ),
        (bool(origin and origin.commit and not origin.sha256), "poc.origin: no sha256"),
        (case.proof is None, "proof: no VIC"),
        (case.tests is None, "tests: no suite"),
        (not (labels.gold and labels.fixed and labels.empty), "expected.labels: not all stated"),
        (case.expected.fixed in ("", "given"), "expected.fixed: no way that anybody can follow"),
        (needs_review(instruction), f"{INSTRUCTION}: a draft that waits for a review"),
    )
    return [told for wrong, told in rules if wrong]


def _has_address(repository: str) -> bool:
    """Whether a repository is an address whose clone has a plain name."""
    try:
        return bool(URL.match(repository) and clone_path(repository))
    except TaskError:
        return False
