"""The judge itself: code, observation, expected behaviour and documentation -> a verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from arena.models.completion import CompletionRequest, Message
from arena.models.completion_session import CompletionSession
from arena.models.languages import Language
from arena.tracks.dual.judge.gaps import Knowledge, knowledge
from arena.tracks.dual.judge.rendering import render
from arena.tracks.dual.judge.symbols import symbols_of
from arena.tracks.dual.languages.plan import Candidate
from arena.tracks.dual.material import MATERIAL, enclose_text, json_in
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import OracleResult
from arena.tracks.dual.runner.observation import RunObservation
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import TestSpec
from harness.grade.ports import digest_of
from parsers.cwe_names import name_of

# Of the prompts; part of each key.
VERSION = "1"
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
    """light: judges, and lists names that it does not recognise. resolver: explains these; or None."""

    light: CompletionSession
    resolver: CompletionSession | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What of the judge makes a verdict, for keys: models, their parameters, the prompts' version."""
        resolver_identity = self.resolver.identity if self.resolver else ()
        return (VERSION, *self.light.identity, *resolver_identity)

    @property
    def calls(self) -> int:
        """Number of answers requested so far, of both models."""
        return self.light.calls + (self.resolver.calls if self.resolver else 0)

    def __call__(
        self, task: DualTask, test: TestSpec, candidate: Candidate, observation: RunObservation
    ) -> OracleResult:
        """As `arena.tracks.dual.score.Assess` has it."""
        return self.assess(task, test, candidate.text, candidate.language, observation)

    def assess(
        self,
        task: DualTask,
        test: TestSpec,
        source: str,
        language: Language,
        observation: RunObservation,
    ) -> OracleResult:
        """The verdict, labelled as a judge's; `na` where two answers are no verdict. Raises NoCompletion."""
        knowledge_of_names = knowledge(
            symbols_of(source, language), language, self.light, self.resolver
        )
        rendering = render(observation)
        messages = question(task, test, source, language, rendering, knowledge_of_names)
        about = self._about(task, test, source, rendering)
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
        word, reason = verdict
        return OracleResult(
            oracle=ORACLE,
            verdict=word,
            observed=_describe_observation(rendering, knowledge_of_names),
            reason=reason,
            judge=True,
        )

    def _about(self, task: DualTask, test: TestSpec, source: str, rendering: str) -> str:
        return digest_of("dual-judge", *self.names, task.digest, test.id, source, rendering)


def question(
    task: DualTask,
    test: TestSpec,
    source: str,
    language: Language,
    rendering: str,
    knowledge_of_names: Knowledge,
) -> tuple[Message, ...]:
    """The prompt on a test: the same text for the same arguments."""
    weakness = " ".join(filter(None, (test.cwe, name_of(test.cwe) if test.cwe else "")))
    test_input = json.dumps({"steps": test.steps, "files": test.files}, ensure_ascii=False)
    parts = (
        f"Language: {language}",
        enclose_text("specification", task.instruction, MAX_TOLD),
        f"The test: {test.title or test.id}" + (f"\nIt is about: {weakness}" if weakness else ""),
        enclose_text("input of the test", test_input, MAX_TOLD),
        enclose_text("code", source, MAX_CODE),
        enclose_text("documentation of names in the code", knowledge_of_names.docs, MAX_SEEN)
        if knowledge_of_names.docs
        else "",
        enclose_text("what the program did", rendering, MAX_SEEN),
        f"What is expected: {expected_behaviour(test)}",
        "Did the program do what is expected? One JSON object.",
    )
    content = "\n\n".join(filter(None, parts))
    return ({"role": "system", "content": ROLE}, {"role": "user", "content": content})


def expected_behaviour(test: TestSpec) -> str:
    """The words of the task; for a test that has none, its deterministic expectations."""
    if test.judge:
        return test.judge
    return json.dumps([item.model_dump(mode="json") for item in test.expect], ensure_ascii=False)


def parse_verdict(text: str) -> tuple[OracleVerdict, str] | None:
    """The verdict and the reason in a reply, or None unless the reply is exactly a verdict."""
    reply = json_in(text)
    if not isinstance(reply, dict) or not isinstance(reply.get("reason", ""), str):
        return None
    word = reply.get("verdict")
    # Nothing close to it: a verdict that is read from prose could be one that the candidate wrote.
    if word not in ("pass", "fail"):
        return None
    return OracleVerdict(word), " ".join(reply.get("reason", "").split())[:MAX_REASON]


def _describe_observation(observed: str, knowledge_of_names: Knowledge) -> str:
    names = (
        f"; names it did not know: {', '.join(knowledge_of_names.unknown)}"
        if knowledge_of_names.unknown
        else ""
    )
    return f"{observed[:MAX_REASON]}{names}"
