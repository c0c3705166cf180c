"""Load packs and tasks from disk.

<pack>/pack.toml                          name, version, licence, track
<pack>/repositories/<name>/NNNN-*.patch   histories that several tasks share, or
<pack>/repositories/<name>/history.bundle the same as a git bundle
<pack>/<task-id>/task.toml                all facts, see `schema.py`
<pack>/<task-id>/instruction.md           all that an agent reads
<pack>/<task-id>/solution/                gold.patch, fixed.patch
<pack>/<task-id>/oracle/                  the PoC, its neighbours, alternative values; carried/, evidence.json
<pack>/outcomes/<task-id>.json            gold's outcomes, see `harness/grade/outcomes.py`

A `task.toml` with `of = "<task-id>"` states only what differs from that task of the pack, and has its files
where it has none itself: the kinds of task from the same case share PoC, neighbours, build and tests.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from parsers import registry, reports, suggestions
from tasks import neighbours, other_values
from tasks.kinds import AGENT_FOLDER, INPUT, KINDS, KindFacts, TaskKind, new_file
from tasks.schema import NAME, TRACK, Model, PackSpec, TaskSpec
from tasks.whole_file import plain_message, read_whole

PACKS = Path(__file__).parent / "packs"
PACKAGE = "tasks.packs"
CARRIED = "oracle/carried"
MAX_FILE = 64 << 20
MAX_CHAIN = 3  # tasks in a row, each of which has its files from the next

Item = TypeVar("Item")
Spec = TypeVar("Spec", bound=Model)


class TaskError(Exception):
    """A pack or task is wrong; the message names the file and the field."""


class UnknownPack(TaskError):
    """There is no pack of that name or in that folder; the message lists the valid names."""


@dataclass(frozen=True)
class Task:
    """A task of a pack: its folder, and the checked content of its `task.toml`.

    of: the task whose files it shares.
    """

    folder: Path
    spec: TaskSpec
    of: Task | None = None

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def history(self) -> Path | None:
        """The folder of ordered patches or of a bundle, or None when the image holds the repository."""
        name = self.spec.source.repository
        return self.folder.parent / "repositories" / name if name else None

    @property
    def kind(self) -> TaskKind:
        return self.spec.kind

    @property
    def asks(self) -> KindFacts:
        """The facts of the task's kind."""
        return KINDS[self.kind]

    @cached_property
    def instruction(self) -> str:
        return self._read("instruction.md").decode("utf-8", "replace")

    def solution(self, name: str) -> bytes:
        """Bytes of `solution/<name>.patch` (`gold` or `fixed`). Raises TaskError.

        From the fix's parent on, gold is the fix: a task of that kind has a single patch, never a shared
        patch that begins at PVIC.
        """
        if self.kind is TaskKind.WRITE:
            return self._read(f"solution/{name}.patch")
        if self.of is not None and self.of.kind is not TaskKind.WRITE:
            return self.of.solution("gold")
        return self._read_file("solution/gold.patch")

    def answer(self, name: str) -> bytes:
        """What a calibration agent leaves: the patch `name`, and the PoC where an input is required."""
        patch = self.solution(name) if self.asks.patch else b""
        return patch + (new_file(INPUT, self.poc or b"") if self.asks.input else b"")

    @property
    def agent_files(self) -> dict[str, bytes]:
        """What an agent has beside the repository: path in its sandbox -> content. Raises TaskError."""
        files: dict[str, bytes] = {}
        if self.kind is TaskKind.REPAIR and self.spec.level >= 1 and self.poc is not None:
            files[f"{AGENT_FOLDER}/poc"] = self.poc
        if self.kind is TaskKind.REPAIR and self.spec.level >= 2:
            files[f"{AGENT_FOLDER}/replay"] = self._replay().encode()
        if self.kind is TaskKind.REPRODUCE and self.spec.level >= 3:
            files[f"{AGENT_FOLDER}/fix.patch"] = self.solution("gold")
        return files

    def _replay(self) -> str:
        """A script that builds the fuzz target and replays the PoC."""
        poc, workdir = self.spec.poc, self.spec.environment.workdir
        command = poc.command.replace("{poc}", f"{AGENT_FOLDER}/poc")
        return f"#!/bin/sh\ncd {workdir} || exit\n{{\n{poc.build}\n}} || exit\n{command}\n"

    @cached_property
    def poc(self) -> bytes | None:
        """The PoC's content, or None when the image holds it."""
        return None if self.spec.poc.file is None else self._read(self.spec.poc.file)

    @cached_property
    def carried_files(self) -> dict[str, bytes]:
        """Files of the fuzz target that the history lacks at VIC: path -> content."""
        folder = self.folder / CARRIED
        if self.of is not None and not folder.exists():
            return self.of.carried_files
        paths = sorted(
            path.relative_to(self.folder) for path in folder.rglob("*") if path.is_file()
        )
        return {str(path.relative_to(CARRIED)): self._read_file(str(path)) for path in paths}

    @property
    def owned_globs(self) -> tuple[str, ...]:
        """Globs of the oracle's files: those stated, and the fuzz target's files that are added.

        No patch may add a different fuzz target where the history has none.
        """
        return (*self.spec.tests.files, *self.carried_files)

    @cached_property
    def neighbours(self) -> neighbours.Neighbours | None:
        """The inputs near the PoC; None for a task that was built without. Raises TaskError."""
        if (poc := self.poc) is None:
            return None
        return self._parse_own(neighbours.FILE, lambda data: neighbours.read(data, poc))

    @cached_property
    def other_values(self) -> other_values.OtherValues | None:
        """Replacement values for its tests; None for a task that was built without. Raises TaskError."""
        return self._parse_own(other_values.FILE, other_values.read)

    def _parse_own(self, name: str, parse: Callable[[bytes], Item]) -> Item | None:
        """The result of `parse` for a file; None where there is no file. Raises TaskError."""
        if not self._has(name):
            return None
        try:
            return parse(self._read(name))
        except ValueError as error:
            raise TaskError(f"{self.folder / name}: {error}") from error

    @cached_property
    def evidence(self) -> dict[str, Any]:
        """The evidence for the oracle (`oracle/evidence.json`); empty for a task without it."""
        try:
            content = json.loads(self._read("oracle/evidence.json"))
        except (TaskError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    @cached_property
    def gold_digest(self) -> str:
        """Digest of all that gold's outcomes depend on: facts, gold, PoC, what is carried."""
        poc = self.spec.poc.model_copy(update={"variants": ()})  # they are observed with the fix
        spec = self.spec.model_copy(update={"poc": poc})
        facts = spec.model_dump_json(by_alias=True, exclude={"title"}).encode()
        files = self.carried_files.items()
        carried = (part for path, data in files for part in (path.encode(), data))
        return _digest([facts, self.solution("gold"), self.poc or b"", *carried])

    @cached_property
    def fixed_digest(self) -> str:
        """Digest of what the fixed program's outcomes depend on beyond that; both may come later."""
        fixed = self.kind is TaskKind.WRITE and self._has("solution/fixed.patch")
        around = self._read(neighbours.FILE) if self._has(neighbours.FILE) else b""
        values = [self._read(other_values.FILE)] if self._has(other_values.FILE) else []
        variants = [variant.model_dump_json().encode() for variant in self.spec.poc.variants]
        return _digest([self.solution("fixed") if fixed else b"", around, *values, *variants])

    @property
    def digest(self) -> str:
        """Digest of all that can change a verdict; the instruction is not among it."""
        return _digest([self.gold_digest.encode(), self.fixed_digest.encode()])

    def _has(self, name: str) -> bool:
        return (self.folder / name).exists() or (self.of is not None and self.of._has(name))

    def _read(self, name: str) -> bytes:
        """A file of the task, or of the task that it shares files with. Raises TaskError."""
        if self.of is not None and not (self.folder / name).exists():
            return self.of._read(name)
        return self._read_file(name)

    def _read_file(self, name: str) -> bytes:
        path = self.folder / name
        if not path.is_file() or path.resolve() != self.folder.resolve() / name:
            raise TaskError(f"{path}: missing (a plain file is expected)")
        return read_whole(path, MAX_FILE, TaskError)


def _digest(parts: Iterable[bytes]) -> str:
    """SHA-256 in hex over parts, whose boundaries count."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@dataclass(frozen=True)
class Pack:
    """A versioned folder of tasks of a single track."""

    folder: Path
    spec: PackSpec
    tasks: tuple[Task, ...]

    def tasks_of_kinds(self, kinds: Collection[str] = ()) -> tuple[Task, ...]:
        """The tasks of these kinds; of none named those of kind `write`, or all where there is no such task.

        Raises TaskError for a kind of which the pack has none.
        """
        present_kinds = sorted({str(task.kind) for task in self.tasks})
        if strange := sorted({*kinds}.difference(present_kinds)):
            kind, names = strange[0], ", ".join(present_kinds)
            raise TaskError(f"{self.folder}: no task of kind {kind!r}; there are {names}")
        chosen = {*kinds} or {str(TaskKind.WRITE)}.intersection(present_kinds) or {*present_kinds}
        return tuple(task for task in self.tasks if task.kind in chosen)

    def task(self, id_: str) -> Task:
        """The task of that id. Raises TaskError listing the valid ids."""
        return one_of(self.folder, {task.id: task for task in self.tasks}, id_)


def one_of(folder: Path, by_id: Mapping[str, Item], id_: str, kind: str = "task") -> Item:
    """What has that id, of a pack's folder. Raises TaskError with the close ones."""
    if id_ not in by_id:
        raise TaskError(f"{folder}: no {kind} {id_!r}; {suggestions.suggest_names(id_, by_id)}")
    return by_id[id_]


def find_pack(name: str | Path) -> Path:
    """A pack by path, or by the name of a pack that ships with the project. Raises TaskError."""
    path = Path(name)
    try:
        for folder in (path, PACKS / path):
            if (folder / "pack.toml").is_file():
                return folder
        if entry := registry.installed_plugins(PACKAGE).get(str(name)):
            return _installed_pack(entry)
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    raise UnknownPack(f"{path}: no pack.toml there; {known_packs(str(name))}")


def known_packs(name: str = "") -> str:
    """The packs that can be named, in words; those named like `name` come first."""
    shipped, others = shipped_packs(), sorted(registry.installed_plugins(PACKAGE))
    close = suggestions.close_names(name, [*shipped, *others])
    names = ", ".join(shipped) or "none, so this installation is not whole"
    advice = f"{close}{' ' if close else ''}packs that ship with the project: {names}"
    return f"{advice}; of installed packages: {', '.join(others)}" if others else advice


def shipped_packs() -> list[str]:
    """Names of the packs that ship with the project."""
    return sorted(path.parent.name for path in PACKS.glob("*/pack.toml"))


def _installed_pack(entry: EntryPoint) -> Path:
    """The folder of a pack that an entry point names: a package, or a path. Raises TaskError."""
    try:
        path = registry.load(entry)
    except registry.UnknownName as error:
        raise TaskError(str(error)) from error
    folder = Path(path.__path__[0] if hasattr(path, "__path__") else str(path))
    if not (folder / "pack.toml").is_file():
        raise TaskError(f"{entry.name!r} of {entry.value}: {folder}: no pack.toml there")
    return folder


def load_spec(name: str | Path) -> PackSpec:
    """What a pack's `pack.toml` says, whatever its track. Raises TaskError."""
    return load_model(find_pack(name) / "pack.toml", PackSpec)


def load_pack(name: str | Path) -> Pack:
    """Load a pack of the track `repo` with its tasks. Raises TaskError for the first mistake, in a line."""
    folder, spec, paths = open_pack(name, TRACK)
    return Pack(folder, spec, tuple(load_task(path) for path in paths))


def open_pack(
    name: str | Path, track: str, each: str = "task.toml"
) -> tuple[Path, PackSpec, list[Path]]:
    """A track's pack: its folder, what it states, and the folders of its tasks, by name. Raises TaskError."""
    folder = find_pack(name)
    spec = load_model(folder / "pack.toml", PackSpec)
    if spec.track != track:
        raise TaskError(
            f"{folder / 'pack.toml'}: track: is {spec.track!r}; a pack of `{track}` is needed"
        )
    task_folders = sorted(path.parent for path in folder.glob(f"*/{each}"))
    if not task_folders:
        raise TaskError(f"{folder}: the pack has no tasks (no */{each})")
    return folder, spec, task_folders


def expect_id(path: Path, id_: str) -> None:
    """Raises TaskError where a task's file states another id than its folder's name."""
    if id_ != path.parent.name:
        raise TaskError(f"{path}: id: {id_!r} differs from the folder's name {path.parent.name!r}")


def load_task(folder: Path, depth: int = 0) -> Task:
    """Load a task folder. Raises TaskError naming the file and the field.

    before: how many tasks are `of` this task, and being loaded.
    """
    path = folder / "task.toml"
    spec, base_task = _read_spec(path, depth)
    expect_id(path, spec.id)
    try:
        reports.expect(spec.tests.parser)
    except (registry.UnknownName, ValueError) as error:
        raise TaskError(f"{path}: tests.parser: {error}") from error
    if spec.poc.file and "{poc}" not in spec.poc.command:
        raise TaskError(f"{path}: poc.command: has no {{poc}} although poc.file is given")
    task = Task(folder, spec, base_task)
    if task.history is not None and not task.history.is_dir():
        raise TaskError(f"{path}: source.repository: no folder {task.history}")
    return task


def _read_spec(path: Path, depth: int) -> tuple[TaskSpec, Task | None]:
    """What a `task.toml` states, over what the task states that it is `of`. Raises TaskError."""
    content = _toml(path)
    name = content.pop("of", None)
    if name is None:
        return _validate_content(path, content, TaskSpec), None
    folder = path.parent.parent / str(name)
    if not re.fullmatch(NAME, str(name)) or not (folder / "task.toml").is_file():
        raise TaskError(f"{path}: of: no task {name!r} in the pack")
    if depth >= MAX_CHAIN:
        raise TaskError(f"{path}: of: more than {MAX_CHAIN} tasks stand behind one another")
    base_task = load_task(folder, depth + 1)
    base = base_task.spec.model_dump(by_alias=True, mode="json", exclude={"kind", "level"})
    return _validate_content(path, merge_tables(base, content), TaskSpec), base_task


def merge_tables(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`base` with `changes`, table by table."""
    both = {name: (base.get(name), value) for name, value in changes.items()}
    tables = {
        name: merge_tables(old, new)
        for name, (old, new) in both.items()
        if isinstance(old, dict) and isinstance(new, dict)
    }
    return {**base, **changes, **tables}


def load_model(path: Path, model: type[Spec]) -> Spec:
    """A TOML file as a checked model. Raises TaskError naming the file and the field."""
    return _validate_content(path, _toml(path), model)


def _toml(path: Path) -> dict[str, Any]:
    """Raises TaskError."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise TaskError(f"{path}: missing") from error
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # a number of 5000 digits, deep nesting
        raise TaskError(f"{path}: not TOML: {error}") from error


def _validate_content(path: Path, content: dict[str, Any], model: type[Spec]) -> Spec:
    """Raises TaskError."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first, *others = error.errors()
        fields = [".".join(map(str, each["loc"])) for each in (first, *others)]
        also = f"; wrong too: {', '.join(fields[1:])}" if others else ""
        raise TaskError(f"{path}: {fields[0]}: {plain_message(first)}{also}") from error
