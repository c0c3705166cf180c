"""The evidence of a grading by step, as it is stored with a verdict; docs/labels.md explains each field.

A step writes its part while it works, so that the part is there when a later check decides the label.
Artefacts (logs, reports) are named by their SHA-256.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class CommandEvidence(TypedDict):
    """A command that ended. status: of a shell; stopped: the limit that ended it, or ""; times in seconds."""

    status: int
    stopped: str
    seconds: float
    cpu: float
    log: str
    tail: NotRequired[str]


class SuiteEvidence(CommandEvidence):
    """The run of a suite. reports: artefacts by name; complete: whether the report proves a whole run."""

    problems: list[str]
    complete: bool
    filter: NotRequired[CommandEvidence]
    reports: NotRequired[dict[str, str]]


class PlusCounts(TypedDict):
    """Of the tests that came with a fix: how many, and the names of those that do not pass."""

    wanted: int
    not_passed: list[str]


class TestCounts(TypedDict):
    """A run beside gold's. not_passed: names by outcome; unstable: those that gold's runs disagree on."""

    wanted: int
    passed: int
    unstable: list[str]
    not_passed: dict[str, list[str]]
    plus: NotRequired[PlusCounts]


class TestsEvidence(SuiteEvidence, TestCounts):
    """The run of a suite and its comparison with gold.

    words, files: replaced words and their files; wrong_passes: tests that pass and have to fail.
    """

    words: NotRequired[int]
    files: NotRequired[int]
    wrong_passes: NotRequired[list[str]]


class ApplyEvidence(TypedDict, total=False):
    """How the patch was read and applied; `reason` alone where it was not."""

    bytes: int
    line_endings: str
    files: list[str]
    problems: list[str]
    left_out: list[str]
    reason: str


class OracleEvidence(TypedDict):
    """touched: the oracle's files that the patch names, which were restored."""

    touched: list[str]


class ReplayEvidence(CommandEvidence):
    """The replay of an input. report: artefact; via: where the crash is shown ("report", "output", "")."""

    via: str
    report: NotRequired[str]
    crash: NotRequired[dict[str, Any] | None]
    historical: NotRequired[bool]


class ControlEvidence(TypedDict):
    """available: whether the positive control works with the fix; reported: whether it did, each time."""

    available: bool
    reported: list[bool]


class NeighbourEvidence(TypedDict):
    """Numbers of inputs. over_rejected: None where the target prints the same for all."""

    crashing: int
    tried: int
    over_rejected: int | None
    garbled: int
    kinds: NotRequired[list[str]]
    note: NotRequired[str]


class VariantEvidence(TypedDict):
    """A variant of the build: numbers of replays; kinds: of the crashes."""

    name: str
    crashing: int
    tried: int
    kinds: list[str]
    refused: int
    garbled: int


class SpoiltEvidence(TypedDict):
    """The step in which each try ended or broke its sandbox, and how the last try did."""

    step: str
    reason: str


class LabelEvidence(TypedDict):
    """The label of the patch of an end-to-end task."""

    label: str | None
    reason: str


class ReproduceEvidence(TypedDict, total=False):
    """An input. input: artefact; ignored: the rest of the patch's paths, which play no part."""

    ignored: list[str]
    bytes: int
    input: str
    before: ReplayEvidence
    after: ReplayEvidence
    label: str
    reason: str


class Evidence(TypedDict, total=False):
    """All of it by step; what grading did not reach is absent."""

    lacks: list[str]
    reproduce: ReproduceEvidence
    repair: LabelEvidence
    apply: ApplyEvidence
    oracle: OracleEvidence
    build: CommandEvidence
    tampering: list[str]
    symbols: list[str]
    unbounded: list[str]
    imports: list[str]
    tests: TestsEvidence | CommandEvidence
    other_values: TestsEvidence
    rewritten: list[str]
    poc: ReplayEvidence | CommandEvidence
    control: ControlEvidence
    neighbours: NeighbourEvidence
    tests_of_target: TestsEvidence
    variants: list[VariantEvidence]
    differing: list[str]
    sast: dict[str, Any]
    spoilt: SpoiltEvidence


class SuiteOutcomes(TypedDict):
    """Gold's runs of a suite. outcomes: by test name, where all runs agree; level: of the report's names."""

    outcomes: dict[str, str]
    unstable: list[str]
    status: int
    complete: bool
    level: str
