"""What people settle by hand: a small file (TOML or JSON) by task and test.

[tasks.52]                                     # all may be left out
drop = false                                   # true: the task is not imported
io = { shape = "function", functions = [{ name = "remove_user", parameters = ["name"] }] }
place = { databases = [{ file = "test_dir/users.db", script = "test_dir/schema.sql" }] }
languages = ["python"]                         # and domain, level, cwe, limits

[tasks.52.tests.sec-0]
drop = false
steps = [{ call = "remove_user", args = ["x'; --"], kwargs = {} }]
expect = [{ oracle = "returns", value = "no such user" }]
judge = "the question to a model"              # and cwe, title, files, links, canaries, secrets, limits,
                                               # survives, untyped, as in `tests.json`
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from arena.models.languages import Language
from arena.tracks.dual.tasks.dualgauge.reading import Original, strict
from arena.tracks.dual.tasks.schema import (
    Domain,
    Expectation,
    Io,
    Line,
    PlaceSpec,
    ProgramLimits,
    TestSpec,
)
from tasks.loader import TaskError
from tasks.schema import Cwe, Model, Name
from tasks.whole_file import first_mistake, read_whole

MAX_FILE = 16 << 20
# Fields that say how a test is judged: where one is set, what was proposed is left.
DECIDES = ("expect", "judge", "untyped")


class TestNote(Model):
    """Annotations of a test; a field that is not set leaves the proposal unchanged."""

    __test__ = False

    drop: bool = False
    title: Line | None = None
    cwe: str | None = None
    steps: tuple[dict[str, Any], ...] | None = Field(default=None, max_length=100)
    expect: tuple[Expectation, ...] | None = None
    files: dict[str, Any] | None = None
    links: dict[str, str] | None = None
    canaries: tuple[Name, ...] | None = None
    secrets: dict[str, str] | None = None
    limits: ProgramLimits | None = None
    judge: str | None = None
    survives: bool | None = None
    untyped: str | None = None

    def apply_to_test(self, test: dict[str, Any]) -> dict[str, Any]:
        """The record of a test, with what is set here. What decides replaces all that decided."""
        changes = self.model_dump(mode="json", exclude_none=True, exclude={"drop"})
        for expectation in changes.get("expect", []):
            # In `tests.json` the parameters stand beside the oracle's name, and not in an object of their
            # own.
            expectation.update(expectation.pop("parameters"))
            if expectation["step"] is None:
                del expectation["step"]
        unchanged = {
            key: item
            for key, item in test.items()
            if key not in DECIDES or not any(name in changes for name in DECIDES)
        }
        return {**unchanged, **changes}


class TaskNote(Model):
    """Annotations of a task."""

    drop: bool = False
    io: Io | None = None
    place: PlaceSpec | None = None
    limits: ProgramLimits | None = None
    domain: Domain | None = None
    level: str | None = Field(default=None, pattern=r"^(function|program)$")
    languages: tuple[Language, ...] | None = None
    cwe: tuple[Cwe, ...] | None = None
    tests: dict[str, TestNote] = Field(default_factory=dict)

    def apply_to_task(self, task: dict[str, Any]) -> dict[str, Any]:
        """What goes into `task.toml`, with what is set here."""
        changes = self.model_dump(mode="json", exclude_none=True, exclude={"drop", "tests"})
        return {**task, **changes}


class Annotations(Model):
    tasks: dict[str, TaskNote] = Field(default_factory=dict)

    def note_for(self, task: str) -> TaskNote:
        return self.tasks.get(task, TaskNote())


def read_annotations(path: Path | None, originals: list[Original]) -> Annotations:
    """Read the annotations at `path`; empty without a path.

    Raises TaskError, on a single line, for a task, test or field that does not exist, and for a wrong value.
    """
    if path is None:
        return Annotations()
    content = _content(path)
    try:
        annotations = Annotations.model_validate(content)
    except ValidationError as error:
        raise TaskError(f"{path}: {first_mistake(error)}") from error
    test_names = {original.id: {test.name for test in original.tests} for original in originals}
    for task, note in annotations.tasks.items():
        # A misspelt id would otherwise leave the proposal in force without a word.
        if task not in test_names:
            raise TaskError(f"{path}: tasks.{task[:80]}: there is no such task")
        for test in note.tests:
            if test not in test_names[task]:
                raise TaskError(f"{path}: tasks.{task}.tests.{test[:80]}: there is no such test")
    _check_tests(path, annotations)
    return annotations


def _check_tests(path: Path, annotations: Annotations) -> None:
    """Each note must be good in itself, as far as it goes: as a whole test with nothing else."""
    for task, note in annotations.tasks.items():
        for name, test in note.tests.items():
            try:
                TestSpec.model_validate({"id": name, **test.apply_to_test({})})
            except ValidationError as error:
                place = f"tasks.{task}.tests.{name}"
                raise TaskError(f"{path}: {place}.{first_mistake(error)}") from error


def _content(path: Path) -> Any:
    raw = read_whole(path, MAX_FILE, TaskError)
    if path.suffix.lower() == ".json":
        return strict(raw, path)
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8 at byte {error.start}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TaskError(f"{path}: not TOML: {error}") from error
