"""Load packs of the track `dual` from disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from arena.models.languages import NAMES, Language
from arena.tracks.dual.tasks.schema import SUFFIXES, DualTaskSpec, SuitesSpec, TestSpec, VariantSpec
from tasks.derived_file import DerivedFile
from tasks.loader import TaskError, expect_id, load_model, one_of, open_pack
from tasks.schema import PackSpec
from tasks.whole_file import first_mistake, read_whole

MAX_TESTS = 64 << 20
MAX_SOURCE = 4 << 20
Kind = Literal["functional", "security"]


@dataclass(frozen=True)
class DualTask:
    """A task: its folder, and the checked content of `task.toml` and `tests.json`."""

    folder: Path
    spec: DualTaskSpec
    suites: SuitesSpec

    @property
    def id(self) -> str:
        return self.spec.id

    @cached_property
    def instruction(self) -> str:
        return read_source(self.folder / "instruction.md")

    @property
    def fixtures(self) -> Path | None:
        """The folder whose content is copied into the working folder, or None."""
        folder = self.folder / "fixtures"
        return folder if folder.is_dir() else None

    @cached_property
    def modules(self) -> dict[str, bytes]:
        """Path -> content of the suites that are code, and of their data. Raises TaskError."""
        folder = self.folder / "oracle"
        files = [path for path in sorted(folder.rglob("*")) if _plain(path)]
        if sum(path.stat().st_size for path in files) > MAX_TESTS:
            raise TaskError(f"{folder}: larger than {MAX_TESTS >> 20} MiB")
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    @property
    def tests(self) -> Iterator[tuple[Kind, TestSpec]]:
        """All tests with their kind, the functional ones first."""
        for test in self.suites.functional:
            yield "functional", test
        for test in self.suites.security:
            yield "security", test

    @property
    def references(self) -> dict[Language, Path]:
        """The reference solutions there are."""
        paths = {language: self.folder / "reference" / name for language, name in NAMES.items()}
        return {language: path for language, path in paths.items() if path.is_file()}

    @property
    def is_held(self) -> bool:
        """Whether no program has proven its tests, so that it is not run."""
        return self.spec.proof == "held"

    def derived_file(self, variant: VariantSpec) -> DerivedFile:
        """A variant as a file that may be stored as a diff of the reference in its language."""
        language = language_of(Path(variant.file))
        reference = self.references.get(language) if language else None
        base = f"reference/{reference.name}" if reference else ""
        return DerivedFile(self.folder, variant.file, base, read_program)

    def read_variant(self, variant: VariantSpec) -> bytes:
        """A variant's program. Raises TaskError."""
        return self.derived_file(variant).read()

    @cached_property
    def origin(self) -> dict[str, Any] | None:
        """The file that an imported task came from, as it was, or None."""
        path = self.folder / "origin.json"
        if not path.is_file():
            return None
        content: dict[str, Any] = _json(path)
        return content

    @cached_property
    def digest(self) -> str:
        """Digest of all that can change a verdict: facts, tests, fixtures (no instruction, no variants)."""
        digest = hashlib.sha256(
            self.spec.model_dump_json(
                # A corrected title, or a further variant, must not make stored verdicts worthless.
                by_alias=True,
                exclude={"title", "variants", "interface", "origin", "proof", "held"},
            ).encode()
        )
        digest.update(_json_of(self.suites))
        for module, data in self.modules.items() if self.spec.oracle else ():
            digest.update(module.encode() + b"\0" + hashlib.sha256(data).digest())
        for path in sorted(self.fixtures.rglob("*")) if self.fixtures else ():
            name = str(path.relative_to(self.folder)).encode("utf-8", "surrogateescape")
            content = (
                # The link and not its target: it is copied as a link, and resolved in the jail only.
                str(path.readlink()).encode() if path.is_symlink()
                else path.read_bytes() if path.is_file()
                else b""
            )  # fmt: skip
            # A NUL ends the name, and each content is hashed to one length, so that no two trees give the
            # same bytes.
            digest.update(name + b"\0" + hashlib.sha256(content).digest())
        return digest.hexdigest()


@dataclass(frozen=True)
class DualPack:
    """A versioned folder of tasks of the track `dual`."""

    folder: Path
    spec: PackSpec
    tasks: tuple[DualTask, ...]

    def task(self, id_: str) -> DualTask:
        """The task of that id. Raises TaskError listing all ids."""
        return one_of(self.folder, {task.id: task for task in self.tasks}, id_)


def load_dual(name: str | Path) -> DualPack:
    """Load a pack of the track `dual` and its tasks. Raises TaskError (single line) for the first mistake."""
    folder, spec, task_folders = open_pack(name, "dual")
    return DualPack(folder, spec, tuple(load_dual_task(path) for path in task_folders))


def load_dual_task(folder: Path) -> DualTask:
    """Load a task folder. Raises TaskError naming the file and the field."""
    path = folder / "task.toml"
    spec = load_model(path, DualTaskSpec)
    expect_id(path, spec.id)
    tests = folder / "tests.json"
    try:
        suites = SuitesSpec.model_validate(_json(tests))
    except ValidationError as error:
        raise TaskError(f"{tests}: {first_mistake(error)}") from error
    task = DualTask(folder, spec, suites)
    _check_variants(task)
    _check_code(task)
    return task


def _check_code(task: DualTask) -> None:
    where, oracle = task.folder / "tests.json", task.spec.oracle
    for _, test in task.tests:
        if any("test" in step for step in test.steps) != (oracle is not None):
            steps = 'steps {"test": name} and `oracle` in task.toml belong together'
            raise TaskError(f"{where}: {test.id}: {steps}")
    if oracle is not None:
        file = f"{oracle.module.replace('.', '/')}.py"
        if file not in task.modules:
            raise TaskError(f"{task.folder / 'oracle' / file}: missing")


def _plain(path: Path) -> bool:
    # Byte code differs by Python's version, and would change the digest.
    return path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts


def _check_variants(task: DualTask) -> None:
    of_kind = {
        "insecure": {test.id for test in task.suites.security},
        "broken": {test.id for test in task.suites.functional},
    }
    for variant in task.spec.variants:
        unknown = [name for name in variant.fails if name not in of_kind[variant.kind]]
        if unknown:
            where = f"{task.folder / 'task.toml'}: variants: {variant.file}"
            raise TaskError(f"{where}: no such test for the kind {variant.kind}: {unknown[0]!r}")
        derived = task.derived_file(variant)
        if derived.is_diff:
            derived.read()  # a reference that was edited without its variants shows at once
        elif not derived.path.is_file():
            raise TaskError(f"{derived.path}: missing")


def language_of(path: Path) -> Language | None:
    """The language for a file's suffix, or None."""
    return SUFFIXES.get(path.suffix.lower())


def read_program(path: Path) -> bytes:
    """A program of a pack. Raises TaskError."""
    return read_whole(path, MAX_SOURCE, TaskError)


def read_source(path: Path) -> str:
    """A text file of a pack; bytes that are not UTF-8 are replaced. Raises TaskError."""
    return read_program(path).decode("utf-8", "replace")


def _json_of(suites: SuitesSpec) -> bytes:
    """All tests as JSON. Halves of surrogate pairs, and what is nested deeply, pydantic writes not."""
    try:
        return suites.model_dump_json().encode()
    except ValueError:
        return repr(suites).encode("ascii", "backslashreplace")


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MAX_TESTS:
            raise TaskError(f"{path}: larger than {MAX_TESTS >> 20} MiB")
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise TaskError(f"{path}: missing") from error
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise TaskError(f"{path}: an object is expected")
    return content
