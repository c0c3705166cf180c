"""The information that a rule may use when it proposes oracles for a security test."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.dual.tasks.dualgauge.declared import ERROR_SAID, SAYS_ERROR, STATUS, Declared
from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.requests import Step
from arena.tracks.dual.tasks.dualgauge.stances import Stance, StanceRead

# Answers of a service that handled a request: no unhandled error, and not that there is no such route.
HANDLED = (200, 201, 202, 204, 301, 302, 303, 307, 400, 401, 403, 409, 413, 414, 415, 422, 429)
# How a text that is a refusal begins, or how JSON says that it is one.
ERROR_FIRST = (
    r'\A\s*"?(?:error|invalid|forbidden|access denied|denied|rejected|bad request|illegal|unsafe'
    r"|not allowed)\b"
    r'|"(?:error|errors)"\s*:\s*["\[{t]|"(?:status|type)"\s*:\s*"(?:error|fail\w*)"'
)
_INSERTS = re.compile(
    r"\b(insert\w*|add(?:s|ing)? (?:a |an |the |new )|"
    r"creat\w* (?:a |an )?(?:new )?(?:user|record|account|row|order|entry|post)|"
    r"regist\w+|stor(?:e|es|ing)\b|sav(?:e|es|ing)\b)",
    re.IGNORECASE,
)
_FILES = re.compile(r"\bfile|not found|404|director", re.IGNORECASE)


@dataclass(frozen=True)
class Situation:
    """A security test. `payloads`: the texts of its input, and of the fixture that it names.

    databases: SQLite files among the fixtures, with the rows of their tables. random_fields: fields of
    results whose values the tests only describe.
    """

    wording: str
    cwes: frozenset[str]
    test_input: Any
    payloads: tuple[str, ...]
    step: Step
    shape: str
    facts: TestFacts
    declared: Declared
    read: StanceRead
    databases: Mapping[str, Mapping[str, list[list[Any]]]] = field(default_factory=dict)
    random_fields: tuple[str, ...] = ()
    # Statuses of HTTP that the functional tests expect.
    statuses: tuple[int, ...] = ()

    def says(self, pattern: str) -> bool:
        return bool(re.search(pattern, self.wording, re.IGNORECASE))

    @property
    def is_refused(self) -> bool:
        return self.read.stance in (Stance.REFUSES, Stance.DECLARED)

    @property
    def inserts(self) -> bool:
        return bool(_INSERTS.search(self.facts.prompt[:5_000]))

    def refusal(self, watched: bool = False) -> dict[str, Any]:
        """Parameters of `refuses`, with what the specification and this text declare to be errors.

        watched: further oracles detect an effect of the attack; then any error counts, in any wording.
        """
        watched = watched and self.read.stance is not Stance.DECLARED
        if self.shape == "function":
            return self._refusal_of_function(watched)
        texts = "|".join(re.escape(text) for text in self.read.texts)
        pattern = "|".join(
            part for part in (self.declared.pattern.removeprefix("(?is)"), texts) if part
        )
        if self.shape == "http":
            result: dict[str, Any] = {"status": list(self.read.status)} if self.read.status else {}
            if self.read.status and any(key in self.facts.text for key in STATUS):
                codes = "|".join(map(str, self.read.status))
                return {**result, "pattern": rf'"status_code"\s*:\s*"?(?:{codes})\b'}
            if self.read.status:
                pattern = texts  # the status is what is asked for, and not just any error
            elif watched:
                pattern = f"{pattern}|{ERROR_FIRST}" if pattern else ERROR_FIRST
            return {**result, **({"pattern": f"(?is){pattern}"} if pattern else {})}
        return {"pattern": f"(?is)(?:{pattern})|{ERROR_SAID}" if pattern else SAYS_ERROR}

    def _refusal_of_function(self, watched: bool) -> dict[str, Any]:
        values = [*self.declared.refusals, *self.read.texts]
        if (
            self.read.stance is Stance.DECLARED
            and self.declared.explicit
            and not self.declared.types
        ):
            # The specification says which value is the error, so an exception does not follow it.
            return {**_open(self.declared.refusals), "raises": False}
        return _open([*values, {"$match": f"(?is)(?:{ERROR_FIRST}).*"}] if watched else values)

    @property
    def holds_null(self) -> bool:
        test_input = self.test_input
        return test_input is None or (isinstance(test_input, dict) and None in test_input.values())

    @property
    def handled_statuses(self) -> list[int]:
        """Statuses of a request that was handled; 404 is among them where the service looks for files."""
        files = self.facts.method == "GET" and _FILES.search(self.facts.prompt) is not None
        # A status of 500 and above shows an unhandled error, whatever tests expect of it.
        usual = (status for status in self.statuses if status < 500)
        return sorted({*HANDLED, *usual, *((404,) if files else ())})


def _open(values: list[Any]) -> dict[str, Any]:
    """Parameters that check only the declared keys of an error object; the program words the rest freely."""
    objects = any(isinstance(value, dict) for value in values)
    return {"values": values, **({"subset": True} if objects else {})}
