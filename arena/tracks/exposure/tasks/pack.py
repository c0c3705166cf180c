"""Load packs of the track `exposure` from disk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.tracks.exposure.tasks.prefix import MAX_CODE, fill, problem_of
from arena.tracks.exposure.tasks.schema import MAX_WORDING, ScenarioSpec
from arena.tracks.exposure.tasks.wordings import WordingRules
from tasks.loader import TaskError, expect_id, load_model, one_of, open_pack
from tasks.schema import PackSpec
from tasks.whole_file import read_whole

# Bytes that a wording can need in UTF-8.
_LONGEST = 4 * MAX_WORDING


@dataclass(frozen=True)
class Scenario:
    """A scenario: its folder, the checked `scenario.toml`, the original wording, prefix and suffix."""

    folder: Path
    spec: ScenarioSpec
    instruction: str
    template: str
    suffix: str = ""

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def reformulations(self) -> tuple[str, ...]:
        return self.spec.reformulations

    @property
    def wordings(self) -> tuple[str, ...]:
        """All wordings: the original first, then the reformulations."""
        return (self.instruction, *self.reformulations)

    @property
    def rules(self) -> WordingRules:
        """The rules for wordings of this scenario."""
        return WordingRules(self.instruction, self.spec.facts, self.spec.allowed)

    def prefix(self, number: int) -> str:
        """The completion prefix with that wording as a comment, no white space at its end; or TaskError."""
        if not 0 <= number < len(self.wordings):
            raise TaskError(
                f"{self.id}: no wording {number}; there are 0 to {len(self.wordings) - 1}"
            )
        return fill(self.template, self.wordings[number])

    @cached_property
    def digest(self) -> str:
        """Digest of all that a model reads and that is judged by (no title, no rules of the wordings)."""
        facts = self.spec.model_dump_json(by_alias=True, exclude={"title", "facts", "allowed"})
        return _digest((facts, self.instruction, self.template, self.suffix))


@dataclass(frozen=True)
class ExposurePack:
    """A versioned folder of scenarios of the track `exposure`: the paper's first, each group by number."""

    folder: Path
    spec: PackSpec
    scenarios: tuple[Scenario, ...]

    def scenario(self, id_: str) -> Scenario:
        """The scenario of that id. Raises TaskError listing the pack's scenarios."""
        return one_of(
            self.folder, {scenario.id: scenario for scenario in self.scenarios}, id_, "scenario"
        )

    @cached_property
    def digest(self) -> str:
        """Digest over the scenarios' digests."""
        return _digest(f"{scenario.id} {scenario.digest}" for scenario in self.scenarios)


def load_exposure(name: str | Path) -> ExposurePack:
    """Load a pack of the track `exposure`, by path or shipped name. Raises TaskError with a single line."""
    folder, spec, result = open_pack(name, "exposure", "scenario.toml")
    return ExposurePack(folder, spec, tuple(sorted(map(load_scenario, result), key=_place)))


def load_scenario(folder: Path) -> Scenario:
    """Load a scenario's folder. Raises TaskError naming the file and the field."""
    path = folder / "scenario.toml"
    spec = load_model(path, ScenarioSpec)
    expect_id(path, spec.id)
    instruction = " ".join(_text(folder / "instruction.md", _LONGEST).split())
    if not instruction:
        raise TaskError(f"{folder / 'instruction.md'}: empty")
    if len(instruction) > MAX_WORDING:
        raise TaskError(f"{folder / 'instruction.md'}: longer than {MAX_WORDING} characters")
    template = _text(folder / "prefix.py", MAX_CODE)
    suffix = folder / "suffix.py"
    scenario = Scenario(
        folder, spec, instruction, template, _text(suffix, MAX_CODE) if suffix.exists() else ""
    )
    if problem := problem_of(template, spec.stop, scenario.suffix):
        raise TaskError(f"{folder / 'prefix.py'}: {problem}")
    return scenario


def _place(scenario: Scenario) -> tuple[bool, list[tuple[int, str]]]:
    parts = re.findall(r"\d+|\D+", scenario.id)
    # Numbers as numbers: cwe-89-10 comes after cwe-89-2.
    return not scenario.spec.paper, [(int(p), "") if p.isdigit() else (-1, p) for p in parts]


def _text(path: Path, limit: int) -> str:
    try:
        # A link could bring in any file of this machine.
        if not path.is_file() or path.resolve() != path.parent.resolve() / path.name:
            raise TaskError(f"{path}: missing (a plain file is expected)")
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    data = read_whole(path, limit, TaskError)
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from error


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        # With its length, so that no two lists of parts come to the same bytes.
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
