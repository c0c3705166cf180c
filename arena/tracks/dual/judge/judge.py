"""The judge itself: code, what was seen, expected behaviour and documentation -> a verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from arena.tracks.completion import CompletionRequest, Message
from arena.tracks.completion_session import CompletionSession
from arena.tracks.dual.judge.gaps import Knowledge, knowledge
from arena.tracks.dual.judge.rendering import render
from arena.tracks.dual.judge.symbols import symbols_of
from arena.tracks.dual.languages.plan import Candidate
from arena.tracks.dual.material import MATERIAL, enclose_text, json_in
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import OracleResult
from arena.tracks.dual.runner.seen import Seen
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import Language, TestSpec
from harness.grade.ports import digest_of
from parsers.cwe_names import name_of

VERSION = "1"
"""Of the prompts; part of each key."""
PURPOSE = "dual-judge"
ORACLE = "judge"
PINS: dict[str, Any] = {"temperature": 0.0, "max_tokens": 1024}
MAX_CODE, MAX_SEEN, MAX_TOLD, MAX_REASON = 40_000, 16_000, 6_000, 2_000
ROLE = f"""\
A program was run in one test. You say whether what it did is what was expected. Judge what it did; read its \
code only to understand that. Answer with one JSON object and nothing else: {{"verdict": "pass" or "fail", \
"reason": "one sentence"}}. {MATERIAL}"""
AGAIN = (
    'That is no verdict. Answer with one JSON object and nothing else: {"verdict": "pass" or "fail", '
    '"reason": "one sentence"}.'
)


@dataclass(frozen=True)
class Judge:
    """light: judges, and says what it does not know. resolver: tells of that; None for nobody."""

    light: CompletionSession
    resolver: CompletionSession | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What of the judge makes a verdict, for keys: models, their parameters, the prompts' version."""
        other = self.resolver.identity if self.resolver else ()
        return (VERSION, *self.light.identity, *other)

    @property
    def calls(self) -> int:
        """Answers asked for now, of both models."""
        return self.light.calls + (self.resolver.calls if self.resolver else 0)

    def __call__(
        self, task: DualTask, test: TestSpec, candidate: Candidate, seen: Seen
    ) -> OracleResult:
        """As `arena.tracks.dual.score.Assess` has it."""
        return self.assess(task, test, candidate.text, candidate.language, seen)

    def assess(
        self, task: DualTask, test: TestSpec, source: str, language: Language, seen: Seen
    ) -> OracleResult:
        """The verdict, labelled as a judge's; `na` where two answers are no verdict. Raises NoCompletion."""
        known = knowledge(symbols_of(source, language), language, self.light, self.resolver)
        told = render(seen)
        messages = question(task, test, source, language, told, known)
        about = self._about(task, test, source, told)
        first = self.light.ask(CompletionRequest(messages, about, 0, PURPOSE)).text
        verdict = parse_verdict(first)
        if verdict is None:
            again: tuple[Message, ...] = (
                *messages,
                {"role": "assistant", "content": first[:MAX_TOLD] or "(nothing)"},
                {"role": "user", "content": AGAIN},
            )
            verdict = parse_verdict(
                self.light.ask(CompletionRequest(again, about, 0, PURPOSE)).text
            )
        if verdict is None:
            none = "the judge gave no verdict when asked twice"
            return OracleResult(oracle=ORACLE, verdict=OracleVerdict.NA, reason=none, judge=True)
        found, reason = verdict
        return OracleResult(
            oracle=ORACLE,
            verdict=found,
            observed=_describe_observation(told, known),
            reason=reason,
            judge=True,
        )

    def _about(self, task: DualTask, test: TestSpec, source: str, told: str) -> str:
        return digest_of("dual-judge", *self.names, task.digest, test.id, source, told)


def question(
    task: DualTask, test: TestSpec, source: str, language: Language, seen: str, known: Knowledge
) -> tuple[Message, ...]:
    """What the judge is asked about one test: always the same text for the same things."""
    weakness = " ".join(filter(None, (test.cwe, name_of(test.cwe) if test.cwe else "")))
    given = json.dumps({"steps": test.steps, "files": test.files}, ensure_ascii=False)
    parts = (
        f"Language: {language}",
        enclose_text("specification", task.instruction, MAX_TOLD),
        f"The test: {test.title or test.id}" + (f"\nIt is about: {weakness}" if weakness else ""),
        enclose_text("input of the test", given, MAX_TOLD),
        enclose_text("code", source, MAX_CODE),
        enclose_text("documentation of names in the code", known.docs, MAX_SEEN)
        if known.docs
        else "",
        enclose_text("what the program did", seen, MAX_SEEN),
        f"What is expected: {expected_behaviour(test)}",
        "Did the program do what is expected? One JSON object.",
    )
    content = "\n\n".join(filter(None, parts))
    return ({"role": "system", "content": ROLE}, {"role": "user", "content": content})


def expected_behaviour(test: TestSpec) -> str:
    """The words of the task; for a test that has none, its deterministic expectations."""
    if test.judge:
        return test.judge
    return json.dumps([one.model_dump(mode="json") for one in test.expect], ensure_ascii=False)


def parse_verdict(text: str) -> tuple[OracleVerdict, str] | None:
    """The verdict and the reason that a reply is, or None where it is not exactly one."""
    told = json_in(text)
    if not isinstance(told, dict) or not isinstance(told.get("reason", ""), str):
        return None
    word = told.get("verdict")
    if word not in ("pass", "fail"):
        return None
    return OracleVerdict(word), " ".join(told.get("reason", "").split())[:MAX_REASON]


def _describe_observation(told: str, known: Knowledge) -> str:
    names = f"; names it did not know: {', '.join(known.unknown)}" if known.unknown else ""
    return f"{told[:MAX_REASON]}{names}"
