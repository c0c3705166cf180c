"""Notes on an answer without code, or that never came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.models.thoughts import drop_thoughts
from harness.gateway.endings import Ending, ending
from harness.grade.verdict import Health, Verdict

# The state of an attempt for which no answer came: a fault, a quota, a connection that was cut.
NO_ANSWER = "no-answer"
MAX_WHY = 500
MEANING: Mapping[Ending, str] = {
    Ending.NO_CODE: "the reply contains no code",
    Ending.REFUSED: "the model declines to answer",
    Ending.FILTERED: "a filter of the provider withheld the reply",
    Ending.EMPTY: "the reply is empty",
    Ending.OUT_OF_TOKENS: "the limit of tokens was reached before any code",
}


# For a reply without an answer, since its server may be set up to take the answer for a thought.
ONLY_THOUGHTS = "all of it is thought: no answer follows"


def name_ending(
    note: Mapping[str, Any], text: str, stated_ending: str, cut: bool, reasoning_chars: int = 0
) -> dict[str, Any]:
    """The note of an answer, in which the state "no-code" is replaced by its `Ending`.

    reasoning_chars: length of the thoughts that the provider reported separately.
    """
    if note.get("state") != Ending.NO_CODE:
        return dict(note)
    answer = drop_thoughts(text)
    only_thoughts = not answer.strip() and (text.strip() or reasoning_chars)
    notes = [*note.get("notes", ()), *((ONLY_THOUGHTS,) if only_thoughts else ())]
    return {**note, "state": str(ending(answer, stated_ending, cut)), "notes": notes}


def no_answer(why: str) -> dict[str, Any]:
    """The note of an attempt for which no answer came."""
    reason = " ".join(why.split())[:MAX_WHY].removeprefix("no answer: ")
    return {"state": NO_ANSWER, "notes": [f"no answer: {reason}" if reason else "no answer"]}


def fault_in(row: Mapping[str, Any]) -> str:
    """Why a row of answers that somebody brings says that none came; "" where it does not say so.

    A row says so with an `error`, or with the state "missing" or "no-answer", as this project writes it.
    """
    error = row.get("error")
    if error:
        message = error.get("message", error) if isinstance(error, Mapping) else error
        return f"{str(message)[:MAX_WHY]}"
    if row.get("state") not in ("missing", NO_ANSWER):
        return ""
    notes = row.get("notes")
    listed = notes if isinstance(notes, list) else [notes or ""]
    return "; ".join(map(str, listed))[:MAX_WHY] or "nothing is told of it"


def verdict_without_answer(note: Mapping[str, Any]) -> Verdict | None:
    """The verdict of an attempt for which no answer came: no label. None for all others."""
    if note.get("state") != NO_ANSWER:
        return None
    notes = "; ".join(map(str, note.get("notes", ())))
    return Verdict(None, Health.INFRA, (notes or "no answer")[:MAX_WHY])
