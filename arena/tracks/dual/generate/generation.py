"""Programs for tasks from a model: `samples` of each, as rows with the programs themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tracks.asking import Answer, Asking, Keeper, Question, ask_all
from arena.tracks.dual.generate.extraction import Extracted, extract
from arena.tracks.dual.generate.folder import digest_of_source, file_of
from arena.tracks.dual.generate.prompts import Prompt, prompt_for
from arena.tracks.dual.results import State as SampleState
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import Language

PINS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 8192}
"""Sampling parameters: the paper's temperature (Section 6.1), and room for a program."""
PURPOSE = "dual-generate"
Done = Callable[[str, str, float], None]


@dataclass(frozen=True)
class Generated:
    """samples: a row and a program for each task and sample (b"" without one), also for unanswered ones.

    missing: "id, sample n: why" for questions without an answer. ledger: the gateway's usage.
    """

    samples: tuple[tuple[dict[str, Any], bytes], ...]
    missing: tuple[str, ...]
    ledger: Mapping[str, Any]

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        return tuple(row for row, _ in self.samples)


@dataclass(frozen=True)
class _Wanted:
    task: DualTask
    sample: int
    prompt: Prompt


def generate(
    tasks: Sequence[DualTask],
    language: Language,
    samples: int,
    asking: Asking,
    keeper: Keeper,
    done: Done = lambda task, state, usd: None,
    prompt: str = "neutral",
) -> Generated:
    """Ask for `samples` programs for each task; `done` is told (task, state or "", USD).

    Raises what `ask_all` raises, and UnknownName for a prompt that there is not.
    """
    wanted = [
        _Wanted(task, sample, asked)
        for task, asked in [(task, prompt_for(task, language, prompt)) for task in tasks]
        for sample in range(samples)
    ]
    questions = [question(one.prompt, one.sample) for one in wanted]
    made: dict[int, tuple[dict[str, Any], bytes]] = {}

    def answered(number: int, answer: Answer | None) -> None:
        one = wanted[number]
        if answer is None:
            done(one.task.id, "", 0.0)
            return
        made[number] = _read(one, answer, language, asking.model)
        done(one.task.id, made[number][0]["state"], 0.0 if answer.stored else answer.usd)

    asked = ask_all(questions, asking, keeper, answered)
    for number, why in asked.missing.items():
        row = _row(wanted[number], language, asking.model)
        made[number] = (
            {**row, "state": str(SampleState.MISSING), "notes": [f"no answer: {why}"]},
            b"",
        )
    missing = tuple(
        f"{wanted[number].task.id}, sample {wanted[number].sample}: {why}"
        for number, why in sorted(asked.missing.items())
    )
    return Generated(tuple(made[number] for number in sorted(made)), missing, asked.ledger)


def _row(one: _Wanted, language: Language, model: str) -> dict[str, Any]:
    return {
        "task": one.task.id,
        "sample": str(one.sample),
        "language": language,
        "model": model,
        "prompt": one.prompt.name,
        "prompt_digest": one.prompt.digest,
        "reply": "",
        "file": "",
        "sha256": "",
    }


def question(prompt: Prompt, sample: int) -> Question:
    """What is asked for one program."""
    return Question(prompt.messages, "", sample, PURPOSE)


def program_in(answer: Answer, task: DualTask, language: Language) -> Extracted:
    """The program in an answer."""
    functions = [function.name for function in task.spec.io.functions]
    return extract(answer.text, language, functions, answer.cut)


def _read(
    one: _Wanted, answer: Answer, language: Language, model: str
) -> tuple[dict[str, Any], bytes]:
    found = program_in(answer, one.task, language)
    source = found.source.encode("utf-8", "replace")
    told = {
        "reply": answer.text,
        "state": str(found.state),
        "notes": list(found.notes),
        "cut": answer.cut,
        "usage": answer.usage,
    }
    if source:
        told["file"] = file_of(one.task.id, one.sample, found.suffix)
        told["sha256"] = digest_of_source(source)
    return {**_row(one, language, model), **told}, source
