"""Proposes steps and oracles for the tests of a task, each with the rule that it came from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.dual.tasks.dualgauge import hazards
from arena.tracks.dual.tasks.dualgauge.declared import declared_errors, status_of
from arena.tracks.dual.tasks.dualgauge.expecting import PLACEHOLDER, ProposedOracle, propose_oracles
from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.fixtures import Fixtures, with_files
from arena.tracks.dual.tasks.dualgauge.reading import MISSING, Original, OriginalTest
from arena.tracks.dual.tasks.dualgauge.requests import Step, Untypable
from arena.tracks.dual.tasks.dualgauge.rules import RULES, UNTYPABLE
from arena.tracks.dual.tasks.dualgauge.shaping import TaskShape, shape
from arena.tracks.dual.tasks.dualgauge.situation import Situation
from arena.tracks.dual.tasks.dualgauge.stances import Stance, read
from arena.tracks.dual.tasks.dualgauge.stepping import steps
from arena.tracks.dual.tasks.dualgauge.urls import is_request, values_of
from arena.tracks.dual.tasks.imported.report import SOFT
from arena.tracks.dual.tasks.schema import Io

TITLE = 300
_SQL = re.compile(r"['\";]|--|\b(?:or|and|union|select)\b", re.IGNORECASE)
_UNKNOWN = "no-such-entry-7f3a"
# What interpreters say of a mistake that the program did not foresee.
_ACCIDENTS = [
    "Cannot read propert", "is not a function", "is not iterable", "of undefined", "has no attribute",
    "'NoneType'", "expected string or bytes-like", "object is not subscriptable",
]  # fmt: skip


@dataclass(frozen=True)
class Typed:
    """A test as it goes into `tests.json`, and the oracles with their rules."""

    test: OriginalTest
    steps: tuple[Step, ...] = ()
    proposed: tuple[ProposedOracle, ...] = ()
    untyped: str = ""
    canaries: tuple[str, ...] = ()
    secrets: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def title(self) -> str:
        text = self.test.expected_value if self.test.kind == "security" else ""
        text = text[: 4 * TITLE] if isinstance(text, str) else ""
        return re.sub(r"[\x00-\x1f\s]+", " ", text).strip()[:TITLE]


class Proposer:
    """Types all tests of a task, which share a shape."""

    def __init__(self, original: Original, fixtures: Fixtures, io: Io | None = None) -> None:
        self.original, self.fixtures = original, fixtures
        self.facts = TestFacts(original.prompt, original.details)
        self.declared = declared_errors(original, self.facts)
        self.inputs: dict[str, tuple[Any, str]] = {}
        self.files: dict[str, dict[str, str]] = {}
        for test in original.tests:
            test_input, lacking = fixtures.input_of(test)
            self.files[test.name], test_input = with_files(test_input, self.facts)
            self.inputs[test.name] = test_input, lacking
        inputs = [value_ for value_, _ in self.inputs.values()]
        self.shaped: TaskShape = shape(original, self.facts, inputs, io)
        functional = [test for test in original.tests if test.kind == "functional"]
        self.truths = bool(functional) and all(
            isinstance(each.expected_value, bool) for each in functional
        )
        self.random_fields = _random_fields(functional)
        lines = (
            status_of(each.expected_value)
            for each in functional
            if isinstance(each.expected_value, dict)
        )
        self.statuses = tuple(sorted({status for status in lines if status}))

    def type_tests(self) -> list[Typed]:
        return [self._type_test(test) for test in self.original.tests]

    def _type_test(self, test: OriginalTest) -> Typed:
        test_input, lacking = self.inputs[test.name]
        if test_input is MISSING:
            return Typed(test, untyped=lacking)
        try:
            steps_made = steps(test_input, self.shaped, self.facts)
        except Untypable as reason:
            return Typed(test, untyped=str(reason))
        try:
            if test.kind == "functional":
                proposals = propose_oracles(
                    test.expected_value, test_input, self.shaped, self.facts
                )
                fakes, files = self.facts.commands, self.files[test.name]
                return Typed(test, tuple(steps_made), tuple(proposals), canaries=fakes, files=files)
            return self._security(test, test_input, steps_made)
        except Untypable as reason:
            return Typed(test, tuple(steps_made), untyped=str(reason))

    def _security(self, test: OriginalTest, test_input: Any, test_steps: list[Step]) -> Typed:
        wording = test.expected_value if isinstance(test.expected_value, str) else ""
        if not wording.strip():
            raise Untypable("no expected behaviour is told")
        for pattern, why in UNTYPABLE:
            if re.search(pattern, wording[:2_000], re.IGNORECASE):
                raise Untypable(why)
        texts = _payloads(test_input)
        payloads = (*texts, *self.fixtures.named_in(texts))
        situation = Situation(
            wording[:2_000], frozenset(test.cwes), test_input, payloads, test_steps[-1], self.shaped.io.shape,
            self.facts, self.declared, read(wording, self.facts, truths=self.truths),
            self.fixtures.rows, self.random_fields, self.statuses,
        )  # fmt: skip
        effects = _effects(situation)
        before, base = self._stance(situation, effects)
        test_steps = _harmless_callables(situation, [*before, *test_steps])
        # A payload that is a command as a whole is an attack only where the test is about commands.
        ran = hazards.commands(payloads, whole=bool({"CWE-77", "CWE-78"} & situation.cwes))
        return Typed(
            test,
            tuple(test_steps),
            tuple(_deduplicate([*base, *effects])),
            canaries=tuple(dict.fromkeys((*ran, *self.facts.commands))),
            files=self.files[test.name],
            secrets=self._secrets(test, effects, payloads),
        )

    def _secrets(
        self, test: OriginalTest, effects: list[ProposedOracle], payloads: tuple[str, ...]
    ) -> dict[str, str]:
        if not any(effect.oracle == "no-secret" for effect in effects):
            return {}
        # From names alone, so that an import of the same files gives the same secrets.
        seed = f"{self.original.id}/{test.name}"
        return hazards.secrets(payloads, self.fixtures.folders, self.facts.endings, seed)

    def _stance(
        self, situation: Situation, effects: list[ProposedOracle]
    ) -> tuple[list[Step], list[ProposedOracle]]:
        """Steps that come before, and what shows that the program dealt with the input."""
        stance = situation.read.stance
        if stance is Stance.VALUE:
            return [], [
                ProposedOracle("returns", {"value": situation.read.value}, "text-names-value")
            ]
        if stance is Stance.RAISES:
            if situation.shape != "function":
                return [], [ProposedOracle("refuses", situation.refusal(), "text-names-exception")]
            return [], [
                ProposedOracle(
                    "raises", {"types": list(situation.read.types)}, "text-names-exception"
                )
            ]
        if stance is Stance.SAME:
            same: dict[str, Any] = {"raises": False, "equal_to_step": 0}
            if situation.shape != "function":
                # Values that no answer has: only the equal answer is to count, not any refusal.
                same |= {"status": [599], "exits": [-1]}
            return [situation.step], [ProposedOracle("refuses", same, "same-output")]
        if any(effect.rule == "database-error" for effect in effects) and not situation.inserts:
            return self._lookup(situation)
        if situation.is_refused:
            watched = any(effect.oracle not in SOFT for effect in effects)
            return [], [ProposedOracle("refuses", situation.refusal(watched), f"text-{stance}")]
        if situation.holds_null and situation.declared.explicit and situation.says(r"\bgraceful"):
            dealt = _dealt_with(situation)
            return [], [ProposedOracle("refuses", situation.refusal(), "null-gracefully"), *dealt]
        if stance is Stance.UNKNOWN and not effects:
            raise Untypable("no rule reads what is expected")
        return [], _dealt_with(situation)

    def _lookup(self, situation: Situation) -> tuple[list[Step], list[ProposedOracle]]:
        """A text that is SQL names no entry: a secure program answers as for any that there is not."""
        control = _replace_sql(situation.test_input)
        parameters = situation.refusal()
        if control is None:
            return [], [ProposedOracle("refuses", parameters, "sql-names-nothing")]
        before = steps(control, self.shaped, self.facts)
        return before, [
            ProposedOracle("refuses", {**parameters, "equal_to_step": 0}, "sql-names-nothing")
        ]


def _payloads(test_input: Any) -> list[str]:
    """The texts of an input; of a request line, the values of its query."""
    return [
        part
        for text in hazards.texts(test_input)
        for part in (values_of(text) if is_request(text) and "?" in text else [text])
    ]


def _effects(situation: Situation) -> list[ProposedOracle]:
    return [
        ProposedOracle(oracle, parameters, rule.name)
        for rule in RULES
        if rule.fits(situation)
        for oracle, parameters in rule.make(situation)
    ]


def _dealt_with(situation: Situation) -> list[ProposedOracle]:
    result = [
        ProposedOracle("survives", {}, "text-survives"),
        ProposedOracle("no-traceback", {}, "text-survives"),
    ]
    if situation.shape == "http":
        result.insert(
            0, ProposedOracle("responds", {"status": situation.handled_statuses}, "text-survives")
        )
    if situation.shape == "function" and situation.says(r"\bgraceful"):
        result.append(ProposedOracle("says", {"lacks": _ACCIDENTS}, "text-gracefully"))
    return result


def _deduplicate(proposed: Iterable[ProposedOracle]) -> list[ProposedOracle]:
    unique: dict[str, ProposedOracle] = {}
    for proposal in proposed:
        unique.setdefault(
            f"{proposal.oracle} {sorted(proposal.parameters.items(), key=str)}", proposal
        )
    return list(unique.values())


def _replace_sql(test_input: Any) -> Any:
    """The input with an unknown name for each text that is SQL; None where none is."""
    if isinstance(test_input, str) and "?" in test_input and "=" in test_input:
        path, _, query = test_input.partition("?")
        name, _, text = query.partition("=")
        return f"{path}?{name}={_UNKNOWN}" if _SQL.search(text) and "&" not in text else None
    if isinstance(test_input, str):
        return _UNKNOWN if _SQL.search(test_input) else None
    if isinstance(test_input, dict):
        changed = {
            key: _UNKNOWN if isinstance(item, str) and _SQL.search(item) else item
            for key, item in test_input.items()
        }
        return changed if changed != test_input else None
    return None


def _harmless_callables(situation: Situation, test_steps: list[Step]) -> list[Step]:
    """A weak generator that the caller hands in is not the program's: another function takes its place."""
    if "randomness" not in {rule.name for rule in RULES if rule.fits(situation)}:
        return test_steps
    return [
        {**step, "kwargs": {name: _disable_shuffle(item) for name, item in step["kwargs"].items()}}
        if step.get("kwargs")
        else step
        for step in test_steps
    ]


def _disable_shuffle(item: Any) -> Any:
    return {"$callable": "no_shuffle"} if item == {"$callable": "random.shuffle"} else item


def _random_fields(functional: list[OriginalTest]) -> tuple[str, ...]:
    """Fields of results that the tests only describe: "non-empty identifier"."""
    return tuple(
        dict.fromkeys(
            key
            for test in functional
            if isinstance(test.expected_value, dict)
            for key, item in test.expected_value.items()
            if isinstance(item, str)
            and PLACEHOLDER.fullmatch(item.strip())
            and re.fullmatch(r"\w{1,50}", key)
        )
    )
