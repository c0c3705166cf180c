"""On what an attempt and its label rest: versions, digests, prices. Labels compare where these agree.

The fields of `Provenance` are the only list of these facts: columns of the store's exports, tables, pages and
`run.zip` derive from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from harness.user_names import display_name

# The name of the pin.
EFFORT = "reasoning_effort"
# Where the settings of a run hold its pins.
PINS = (("pinned",), ("sweep", "file", "models", "pin"))
# Of a model that names its effort itself.
EFFORT_SUFFIX = re.compile(r"@[a-z]+$")
MODELS_IN_FILES = ("script", "replay")
# Characters of a fact: a file that is imported may hold anything.
MAX_TEXT = 300


class Scope(StrEnum):
    """The attempts among which a fact must be the same for their labels to compare."""

    TRACK = "track"
    TASK = "task"
    NONE = "none"


def _fact_of_verdict(label: str, scope: Scope = Scope.NONE) -> str:
    """A fact of how an attempt is graded, with its name for people."""
    result: str = field(default="", metadata={"label": label, "scope": scope, "of_verdict": True})
    return result


def _fact_of_model(label: str) -> str:
    """A field for a fact of how a model and its agent were called."""
    metadata = {"label": label, "scope": Scope.NONE, "of_verdict": False}
    result: str = field(default="", metadata=metadata)
    return result


@dataclass(frozen=True)
class Provenance:
    """Facts as texts; "" where a fact is not recorded (attempts of an earlier version), or does not apply.

    Of grading: grader_version is the track's ("grader 6", "scorer 3", "detection 2"); task_digest is over all
    of a task that can change a label; rules names the scanner's rules with their digest. Of the agent's work:
    prices is the table that its model was billed by; effort is the pinned `reasoning_effort`.
    """

    grader_version: str = _fact_of_verdict("grader version", Scope.TRACK)
    pack_version: str = _fact_of_verdict("pack version")
    task_digest: str = _fact_of_verdict("task digest", Scope.TASK)
    image_digest: str = _fact_of_verdict("image digest")
    scanner: str = _fact_of_verdict("scanner", Scope.TASK)
    rules: str = _fact_of_verdict("rules", Scope.TASK)
    agent_version: str = _fact_of_model("agent version")
    effort: str = _fact_of_model("effort")
    prices: str = _fact_of_model("price table")

    @classmethod
    def from_json(cls, value: Any) -> Provenance:
        """The facts of `recorded` or `to_json`; what is neither a fact nor a text is left out."""
        facts = value if isinstance(value, Mapping) else {}
        texts = (facts.get(fact.name) for fact in FACTS)
        return _share_provenance(tuple(t[:MAX_TEXT] if isinstance(t, str) else "" for t in texts))

    def recorded_facts(self) -> dict[str, str]:
        """The facts that are not empty, by name."""
        return {name: text for name, text in self.to_json().items() if text}

    def to_json(self) -> dict[str, str]:
        """All facts by name."""
        return {fact.name: getattr(self, fact.name) for fact in FACTS}

    def describe_facts(self) -> list[tuple[str, str]]:
        """The facts that are not empty, by their names for people."""
        facts = self.recorded_facts()
        return [(fact.label, facts[fact.name]) for fact in FACTS if fact.name in facts]

    def with_facts(self, facts: Provenance) -> Provenance:
        """A copy in which every fact recorded in the argument replaces the fact here."""
        return replace(self, **facts.recorded_facts())


class Fact(NamedTuple):
    """A field of `Provenance`. label: its name for people; of_verdict: of grading, else of the agent."""

    name: str
    label: str
    scope: Scope
    of_verdict: bool


FACTS = tuple(Fact(fact.name, **fact.metadata) for fact in fields(Provenance))
NOTHING_RECORDED = Provenance()


@lru_cache(maxsize=4096)
def _share_provenance(texts: tuple[str, ...]) -> Provenance:
    """A shared object for equal facts: a run of 100,000 attempts has few distinct sets of them."""
    return Provenance(*texts)


@lru_cache(maxsize=4096)
def from_text(text: str) -> Provenance:
    """As `Provenance.from_json`, from JSON text of the database, cached since attempts of a run share it."""
    return Provenance.from_json(json.loads(text))


def distinct(provenances: Iterable[Provenance]) -> dict[str, list[str]]:
    """The distinct values of each fact, sorted, for the head of a file; facts without any are left out.

    Task digests are left out too: there is a digest for each task, and the rows have it.
    """
    distinct_facts, names = (
        set(provenances),
        (fact.name for fact in FACTS if fact.name != "task_digest"),
    )
    values = {name: {getattr(each, name) for each in distinct_facts} - {""} for name in names}
    return {name: sorted(texts) for name, texts in values.items() if texts}


def planned_effort(settings: Mapping[str, Any]) -> str:
    """The effort that the settings of a run, or of a sweep's file in it, pin for all models; "" for none."""
    for path in PINS:
        pins: Any = settings
        for name in path:
            pins = pins.get(name) if isinstance(pins, Mapping) else None
        if isinstance(pins, Mapping) and pins.get(EFFORT):
            return str(pins[EFFORT])
    return ""


def display_model(model: str) -> str:
    """The name of a model for people: the user's, or its file's for a script or record, or itself.

    A folder would name the same script twice, by a sweep and by `arena run`, and a path of the machine on a
    page that is published. `choice.choose` refuses a sweep of two that would look the same.
    """
    name, effort = display_name(model), EFFORT_SUFFIX.search(model)
    if name != model:
        return f"{name}{effort[0]}" if effort else name
    kind, colon, path = model.partition(":")
    return f"{kind}:{path.rpartition('/')[2]}" if colon and kind in MODELS_IN_FILES else model


def expect_distinct_models(models: Iterable[str]) -> None:
    """Raise ValueError for two models of the same name in tables."""
    names: dict[str, str] = {}
    for model in models:
        first = names.setdefault(display_model(model), model)
        if first != model:
            raise ValueError(
                f"{first!r} and {model!r} have the same name in tables; give one of them another: NAME=MODEL"
            )


def with_effort(model: str, effort: str) -> str:
    """A model as tables name it: with the reasoning effort of its calls, `openai/gpt-5 (high)`.

    A sweep's model may name its effort itself: `openai/gpt-5@high`.
    """
    name = display_model(model)
    return f"{name.removesuffix('@' + effort)} ({effort})" if model and effort else name
