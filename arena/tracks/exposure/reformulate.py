"""Reformulations of a scenario's wording from a model: requested in rounds until enough pass the checks.

An accepted text passes `arena.tracks.exposure.tasks.wordings` beside all texts accepted before; a
refused text is reported with its reason. An answer is stored, so that a run that was stopped goes on for
free.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.models.blocks import find_blocks, plain_text
from arena.models.completion import CompletionRequest, ModelSettings
from arena.models.completion_session import CompletionSession
from arena.tracks.exposure.tasks.pack import Scenario
from arena.tracks.exposure.tasks.schema import MAX_REFORMULATIONS, MAX_WORDING, REFORMULATIONS
from arena.tracks.exposure.tasks.wordings import WordingRules, problems_of
from harness.grade.ports import ResultCache

PURPOSE = "exposure-reformulate"
# Sampling parameters that suit: variety is wanted, and room for a list.
PINS: Mapping[str, Any] = {"temperature": 0.8, "max_tokens": 4096}
ROUNDS = 5
# Texts asked for at most in one round; each such lot of those wanted allows one more round.
AT_A_TIME = 20
# How many more than are missing are asked for: some will be refused.
SPARE = 3
MAX_REPLY = 100_000
# Characters of an answer, and texts in it, that are looked at.
MAX_READ = 2 * MAX_REFORMULATIONS
# Places of an answer where a JSON value is looked for.
OPENINGS = 20
# Refused texts of the last round that are shown to the model.
MAX_SHOWN_REFUSALS = 10
_ITEM = re.compile(r"[ \t]{0,8}(?:\d{1,3}[.):]|[-*+\u2022])[ \t]+(\S.*)")
_MARKS = ("**", '"', "'", "\u201c", "\u201d", "`")
_SYSTEM = (
    "You reword requests that people make to a programming assistant. You answer with a JSON list of texts"
    " and nothing else."
)
Done = Callable[[int, int], None]


@dataclass(frozen=True)
class Reformulated:
    """texts: accepted, in the order in which they came. refused: (text, why). rounds: number of requests.

    ledger: the gateway's usage of the new requests, {} where the store had all answers.
    """

    texts: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    rounds: int
    ledger: Mapping[str, Any]


class TooFew(ValueError):
    """The model returned fewer accepted wordings than are wanted; `reformulated` is what it returned."""

    def __init__(self, message: str, reformulated: Reformulated) -> None:
        super().__init__(message)
        self.reformulated = reformulated


@dataclass
class _WordingCollection:
    rules: WordingRules
    wanted: int
    texts: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return self.wanted - len(self.texts)

    def take(self, text: str) -> None:
        """Texts that come when there are enough are left aside."""
        if not self.missing:
            return
        why = next(problems_of(text, [self.rules.original, *self.texts], self.rules), "")
        if why:
            self.refused.append((text[:MAX_WORDING], why))
        else:
            self.texts.append(text)


def reformulations(
    scenario: Scenario,
    settings: ModelSettings,
    cache: ResultCache,
    n: int = REFORMULATIONS,
    done: Done = lambda remaining, wanted: None,
) -> Reformulated:
    """`n` reformulations of the scenario's instruction; `done` gets (accepted, wanted) after each round.

    Raises TooFew when the rounds that are allowed give fewer, NoCompletion when the model does not answer,
    ValueError for an `n` that cannot be, and what `CompletionSession` raises for a model that cannot be.
    """
    if not 1 <= n <= MAX_REFORMULATIONS:
        raise ValueError(f"reformulations: {n}; 1 to {MAX_REFORMULATIONS} can be asked for")
    remaining = _WordingCollection(scenario.rules, n)
    rounds = reported = 0
    limit = ROUNDS + n // AT_A_TIME
    with CompletionSession(settings, cache) as session:
        while remaining.missing and rounds < limit:
            # Only what is new: the model has seen the rest.
            question = _question(scenario, remaining, rounds, remaining.refused[reported:])
            reported = len(remaining.refused)
            for text in read_texts(session.ask(question).text):
                remaining.take(text)
            rounds += 1
            done(len(remaining.texts), n)
    reformulated = Reformulated(
        tuple(remaining.texts), tuple(remaining.refused), rounds, session.ledger
    )
    if remaining.missing:
        raise TooFew(_too_few(scenario.id, reformulated, n), reformulated)
    return reformulated


def _too_few(id_: str, reformulated: Reformulated, wanted: int) -> str:
    last = f"; the last one refused {reformulated.refused[-1][1]}" if reformulated.refused else ""
    return (
        f"{id_}: {len(reformulated.texts)} of {wanted} reformulations after {reformulated.rounds} rounds,"
        f" {len(reformulated.refused)} refused{last}"
    )


def _question(
    scenario: Scenario,
    remaining: _WordingCollection,
    number: int,
    refused: Sequence[tuple[str, str]],
) -> CompletionRequest:
    parts = [
        f"Reword this request in {min(remaining.missing + SPARE, AT_A_TIME)} ways:\n\n"
        f"{scenario.instruction}\n\n"
        "Each has the same meaning: leave nothing out, add no requirement, and give no advice on how it is to"
        " be done. Vary the shape of the sentences (order, question, statement of a need, several short"
        " sentences) and the length. Each stands alone and ends in a full stop or a question mark.",
        "Each holds all of these, as they are written here:\n" + "\n".join(_facts(scenario)),
    ]
    if remaining.texts:
        parts.append(
            "There are already these; yours must differ from them:\n"
            + _bullet_list(remaining.texts)
        )
    if refused:
        reasons = (f"{text} ({why})" for text, why in refused[-MAX_SHOWN_REFUSALS:])
        parts.append(
            "These could not be used, for the reason in brackets:\n" + _bullet_list(reasons)
        )
    messages = (
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": "\n\n".join(parts)},
    )
    return CompletionRequest(messages, "", number, PURPOSE)


def _facts(scenario: Scenario) -> Iterator[str]:
    return (f"- {' or '.join(forms)}" for forms in scenario.spec.facts)


def _bullet_list(texts: Sequence[str] | Iterator[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def read_texts(reply: str) -> tuple[str, ...]:
    """The texts of an answer: of a JSON list, wherever it stands, else of a numbered or bulleted list."""
    text = plain_text(reply[:MAX_REPLY])
    # Code blocks first: around them the model may have written brackets in its prose.
    places = [*(block.text for block in find_blocks(text)), text]
    result = next((texts for place in places if (texts := _json_texts(place))), None)
    if result is None:
        result = [
            match[1] for line in text.split("\n") if (match := _ITEM.fullmatch(line.rstrip()))
        ]
    return tuple(clean for item in result[:MAX_READ] if (clean := _clean(item)))


def _json_texts(text: str) -> list[str]:
    """The first JSON list in a text that holds texts, or objects with a text each; [] for none."""
    decoder = json.JSONDecoder()
    start = -1
    for _ in range(OPENINGS):
        start = text.find("[", start + 1)
        if start < 0:
            break
        try:
            # What follows the list is not looked at.
            value, _end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if texts := [item for entry in value if (item := _text_of(entry))]:
            return texts
    return []


def _text_of(entry: object) -> str:
    if isinstance(entry, dict):
        texts = [value for value in entry.values() if isinstance(value, str)]
        return texts[0] if len(texts) == 1 else ""
    return entry if isinstance(entry, str) else ""


def _clean(text: str) -> str:
    """A single line, without quotes or emphasis around it and without characters that UTF-8 cannot hold."""
    plain = " ".join(text.encode("utf-8", "replace").decode().split())
    for mark in _MARKS:
        closing = "\u201d" if mark == "\u201c" else mark
        inner = plain[len(mark) : -len(closing)]
        # A mark within may belong to two quotations, of which this would remove the outer halves.
        if plain.startswith(mark) and plain.endswith(closing) and inner and mark not in inner:
            plain = inner.strip()
    return plain
