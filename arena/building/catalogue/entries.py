"""Entries of a catalogue, read as data from a stranger: what does not belong into an entry is an error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tasks
from arena.building.cases.loader import CASE_FILE, URL, clone_path
from arena.building.cases.schema import Case
from arena.building.cases.sharing import PLAIN, TableLayer, merge_layers, read_toml
from arena.building.cases.store import RESERVED, natural_key
from tasks.instruction.draft import needs_review
from tasks.loader import MAX_FILE, TaskError
from tasks.whole_file import read_whole

SHIPPED = Path(tasks.__file__).parent / "catalogue"
INSTRUCTION = "instruction.md"
FILES = frozenset((CASE_FILE, INSTRUCTION))
NEAR = 5
UNNAMED = ("", ".", "..")
# An image of ARVO's; any other could be of anybody.
ARVO_IMAGE = re.compile(r"n132/arvo:[0-9]+-(vul|fix)(@sha256:[0-9a-f]{64})?")
# The labels that calibration patches have where a task measures what it should.
CALIBRATED: Mapping[str, frozenset[str]] = {
    "gold": frozenset(("CV",)),
    "fixed": frozenset(("CS", "C&S")),
    "empty": frozenset(("NO", "IC", "CE")),
}


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
    """The folders of all entries, by project and case. Raises TaskError where there is none."""
    if not catalogue.is_dir():
        raise TaskError(f"{catalogue}: no catalogue there")
    folders = {path.parent for name in FILES for path in catalogue.glob(f"*/*/{name}")}
    if not folders:
        raise TaskError(f"{catalogue}: no entries there; one is PROJECT/CASE/{CASE_FILE}")
    return sorted(folders, key=lambda folder: (folder.parent.name, natural_key(folder.name)))


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
            known_names = sorted(
                {known_names for folder in folders for known_names in _names_of(folder)}
            )
            near = (
                difflib.get_close_matches(name[:100], known_names, NEAR, 0.4) or known_names[:NEAR]
            )
            hint = f", such as {', '.join(near)}" if near else ""
            raise TaskError(f"{catalogue}: no entry {name[:100]!r}; there are {len(folders)}{hint}")
        chosen |= dict.fromkeys(fitting)
    return [load_entry(folder) for folder in chosen]


def _names_of(folder: Path) -> tuple[str, str, str]:
    project = folder.parent.name
    return project, folder.name, f"{project}/{folder.name}"


def load_entry(folder: Path) -> CatalogueEntry:
    """An entry from its folder. Raises TaskError naming what is wrong with it."""
    expect_plain(folder)
    missing = sorted(name for name in FILES if not (folder / name).exists())
    if missing:
        raise TaskError(f"{folder}: has no {missing[0]}")
    case = merge_layers([TableLayer(folder / CASE_FILE, read_toml(folder / CASE_FILE))])[0]
    if (case.project, case.id) != (folder.parent.name, folder.name):
        stated = f"is of {case.project}/{case.id}"
        raise TaskError(
            f"{folder / CASE_FILE}: {stated}, not of {folder.parent.name}/{folder.name}"
        )
    text = read_instruction(folder / INSTRUCTION)
    problems = problems_of(case, text)
    if problems:
        raise TaskError(f"{folder / CASE_FILE}: {'; '.join(problems)}")
    return CatalogueEntry(folder, case, text)


def read_instruction(path: Path) -> str:
    """The text of an instruction. Raises TaskError for what is no text, and for a link."""
    if path.is_symlink():
        raise TaskError(f"{path}: is a link; the text itself is needed")
    try:
        return read_whole(path, MAX_FILE, TaskError).decode()
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: no text in UTF-8") from error


def expect_plain(folder: Path) -> None:
    """An entry's folder holds none but its two files and nothing on the way is a link. Raises TaskError.

    It may be a stranger's: whoever reads or writes behind a link leaves the catalogue.
    """
    links = [path for path in (folder.parent, folder) if path.is_symlink()]
    if links:
        raise TaskError(f"{links[0]}: is a link; a folder of the catalogue itself is needed")
    names = {path.name for path in folder.iterdir()}
    strange = sorted(names - FILES)
    if strange:
        raise TaskError(
            f"{folder}: holds {strange[0]!r}; an entry is {' and '.join(sorted(FILES))}"
        )
    if any((folder / name).is_symlink() or not (folder / name).is_file() for name in names):
        raise TaskError(f"{folder}: {CASE_FILE} and {INSTRUCTION} must be plain files")


def problems_of(case: Case, instruction: str) -> list[str]:
    """Why a case is no entry: what anybody needs to make its task again and it does not state."""
    environment, replay, labels = case.environment, case.poc, case.expected.labels
    is_arvo = environment is not None and environment.form == "arvo"
    origin = replay.origin if replay else None
    rules = (
        (
            PLAIN.fullmatch(case.project) is None or case.project in UNNAMED,
            "project: no plain name",
        ),
        (case.id in RESERVED, "id: a name that case stores keep for themselves"),
        (any("\0" in text for text in _texts(case.model_dump())), "a text holds a NUL character"),
        (not _has_address(case.repository), "repository: no address of a repository"),
        (
            environment is None or not (is_arvo or environment.origin),
            "environment: no origin of its recipe",
        ),
        (
            environment is not None
            and bool(environment.image)
            and not (is_arvo and _is_arvos(environment.image)),
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
        (not instruction.strip() or "\0" in instruction, f"{INSTRUCTION}: no text"),
    )
    return [*(problem for wrong, problem in rules if wrong), *_unfit(case)]


def _unfit(case: Case) -> list[str]:
    """Reasons why the task must not be published yet."""
    labels = case.expected.labels.model_dump()
    wrong = [
        f"{name} is {labels[name]}"
        for name, fit in CALIBRATED.items()
        if labels[name] and labels[name] not in fit
    ]
    problems = [f"expected.labels: {', '.join(wrong)}"] if wrong else []
    if case.proof and case.proof.conclusion != "right":
        problems.append("proof: nobody has read the VIC against the fix (--read-by)")
    return problems


def _texts(content: Any) -> Iterator[str]:
    """All texts of a dumped model, to be checked for NUL, which no argument of a program can hold."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for inner in content.values():
            yield from _texts(inner)
    elif isinstance(content, list | tuple):
        for inner in content:
            yield from _texts(inner)


def _is_arvos(image: str) -> bool:
    return ARVO_IMAGE.fullmatch(image) is not None


def _has_address(repository: str) -> bool:
    """Whether a repository is an address whose clone has a plain name."""
    try:
        return bool(URL.match(repository) and clone_path(repository))
    except TaskError:
        return False
