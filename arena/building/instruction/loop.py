"""Calls a model for an instruction until it passes the checks, each time with the last faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.building.instruction.prompt import Message, again, opening
from arena.models.thoughts import drop_thoughts
from tasks.instruction.checker import Context, InstructionFault, check
from tasks.instruction.gold import read_gold


@dataclass(frozen=True)
class InstructionUsage:
    """The provider's usage for all questions; `calls` counts the answers."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, addend: InstructionUsage) -> InstructionUsage:
        return InstructionUsage(
            self.calls + addend.calls,
            self.prompt_tokens + addend.prompt_tokens,
            self.completion_tokens + addend.completion_tokens,
        )


@dataclass(frozen=True)
class InstructionReply:
    """A model's answer. `cut`: it ended because of a limit of tokens."""

    text: str
    cut: bool = False
    usage: InstructionUsage = InstructionUsage(calls=1)


Ask = Callable[[Sequence[Message]], InstructionReply]


@dataclass(frozen=True)
class Described:
    """The result of the calls. `text` is an instruction without faults, or None after the last attempt.

    attempts: the faults of each answer in order; the last is empty when there is a `text`.
    """

    text: str | None
    model: str
    attempts: tuple[tuple[InstructionFault, ...], ...]
    usage: InstructionUsage


def describe(
    gold: bytes,
    message: str,
    discussion: str,
    model: str,
    ask: Ask,
    attempts: int = 4,
    context: Context | None = None,
) -> Described:
    """Let `model`, through `ask`, write the instruction for a gold patch; only a faultless text is returned.

    Raises GoldError for a patch that cannot be read, ValueError for fewer attempts than 1, and what `ask`
    raises (`model_call.ModelFault`) when no answer comes.
    """
    if attempts < 1:
        raise ValueError(f"attempts: {attempts} is less than 1")
    task_context = context or Context()
    talk = opening(read_gold(gold), message, discussion, task_context)
    tried: list[tuple[InstructionFault, ...]] = []
    usage = InstructionUsage()
    for _ in range(attempts):
        reply = ask(talk)
        usage += reply.usage
        text = clean(reply.text)
        faults = check(text, gold, task_context)
        # A text without its end can pass all rules and still leave out what hidden tests check.
        if reply.cut:
            faults.append(
                InstructionFault("whole", "the answer was cut off at the limit of tokens")
            )
        tried.append(tuple(faults))
        if not faults:
            return Described(text, model, tuple(tried), usage)
        talk = again(talk, reply.text, faults)
    return Described(None, model, tuple(tried), usage)


def clean(answer: str) -> str:
    """An answer without what the model thinks, and with plain line ends."""
    text = drop_thoughts(answer.replace("\r\n", "\n"))
    return "\n".join(line.rstrip() for line in text.strip().split("\n")) + "\n"
