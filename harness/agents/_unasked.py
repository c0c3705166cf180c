"""An attempt that says nothing of the agent: it did not call its model, or no call was answered."""

from __future__ import annotations

import re

from harness.agents import ModelEnded, ModelUnavailable, NeverAsked
from harness.protocols import Ended, Solution

# How much of what was printed is reported: lines, characters of each, and of all (the last ones count).
MAX_LINES, MAX_LINE_CHARACTERS, MAX_CHARACTERS = 20, 200, 1500
# Sequences that colour or move (ECMA-48, 5.4), and titles.
CONTROL = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-_])")
HOW = {
    Ended.CRASHED: "crashed (status {status})",
    Ended.FINISHED: "ended (status {status})",
    Ended.KILLED: "was stopped ({stopped})",
    Ended.CAPPED_TIME: "had used up its time",
}


def expect_answered(model: str, solution: Solution) -> None:
    """Raise ModelUnavailable where no call was answered, ModelEnded where the provider ended it."""
    if solution.ended is Ended.MODEL_UNAVAILABLE:
        # First: the provider's word ends the model's part of the run, an unanswered call only the attempt.
        if ended := solution.note.get("model_ended"):
            raise ModelEnded(f"{model}: {ended}")
        refused = solution.note.get("refused")
        raise ModelUnavailable(
            f"{model}: no call was answered" + (f": {refused}" if refused else "")
        )


def expect_asked(agent: str, solution: Solution) -> None:
    """Raise NeverAsked for an agent that ended before its first call: it says nothing of the agent.

    An agent that left a patch all the same, and did not crash, may do without its model.
    """
    how, calls = HOW.get(solution.ended), solution.usage.get("calls")
    if how is None or calls or solution.usage.get("refused"):
        return
    if solution.ended is not Ended.CRASHED and (solution.patch or calls is None):
        return
    facts = {name: solution.note.get(name) or "?" for name in ("status", "stopped")}
    message = f"{agent} {how.format(**facts)} before it asked its model anything"
    printed = last_lines(solution.artefacts.get("output", b""))
    if not printed:
        raise NeverAsked(f"{message}; it printed nothing")
    raise NeverAsked("\n".join((f"{message}: {printed[-1]}", *printed)))


def last_lines(output: bytes) -> list[str]:
    """The last lines that a program printed, as plain text; blank ones are left out."""
    text = CONTROL.sub("", output[-64 * MAX_CHARACTERS :].decode("utf-8", "replace"))
    lines = [
        line[:MAX_LINE_CHARACTERS].rstrip() for line in re.split(r"[\r\n]+", text) if line.strip()
    ][-MAX_LINES:]
    while sum(map(len, lines)) > MAX_CHARACTERS:
        lines.pop(0)
    return lines
