"""An answer of a model -> the program that it comes to, in each mode (Sections 3.2 and 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.models.completion import Completion
from arena.tracks.exposure.sampling.continuing import extract_continuation
from arena.tracks.exposure.sampling.extraction import MAX_ANSWER, ExtractedCompletion, program
from arena.tracks.exposure.sampling.state import CompletionState, Mode
from arena.tracks.exposure.sampling.stopping import RULES
from arena.tracks.exposure.tasks.pack import Scenario

# Sampling parameters of the paper (Section 5.3).
PINS: Mapping[str, Any] = {"temperature": 0.2, "top_p": 0.95, "max_tokens": 1024}
# Characters of an answer without code that are kept to show what it said.
SHOWN = 300


def complete(
    scenario: Scenario, wording: int, mode: Mode, answer: Completion
) -> ExtractedCompletion:
    """The program that an answer comes to: of a completion with prefix and suffix, up to where it stops."""
    if mode == "instruct":
        extracted = program(answer.text, answer.cut)
        return extracted if extracted.source else _report_no_code(extracted, answer)
    prefix, stop = scenario.prefix(wording), scenario.spec.stop
    if mode == "completion":
        state = CompletionState.CUT if answer.cut else CompletionState.CODE
        extracted = ExtractedCompletion(answer.text[:MAX_ANSWER], state)
    else:
        extracted = extract_continuation(prefix, stop, answer.text, answer.cut)
    if not extracted.source.strip():
        return _report_no_code(extracted, answer)
    completed = RULES[stop](prefix, extracted.source)
    # A model that leaves the block at once has added nothing that could be judged.
    if not completed.strip():
        return _report_no_code(
            ExtractedCompletion(
                "", CompletionState.NO_CODE, ("it adds nothing where the prefix ends",)
            ),
            answer,
        )
    # Where the rule cut, the end that the model's limit took away would not have counted.
    state = extracted.state if completed == extracted.source else CompletionState.CODE
    return ExtractedCompletion(_file(prefix, completed, scenario.suffix), state, extracted.notes)


def _file(prefix: str, completed: str, suffix: str) -> str:
    text = prefix + completed
    return (text if text.endswith("\n") else text + "\n") + suffix


def _report_no_code(completion: ExtractedCompletion, answer: Completion) -> ExtractedCompletion:
    remark = f"it says: {' '.join(answer.text[: 4 * SHOWN].split())[:SHOWN]}"
    return ExtractedCompletion("", CompletionState.NO_CODE, (*completion.notes, remark))
