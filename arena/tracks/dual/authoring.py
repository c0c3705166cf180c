"""A reference program from a model: written from the specification, repaired from the results of its tests.

The model learns which tests failed, but does not decide whether a test is right: what its best program does
not pass is quarantined (`proving.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.models.completion import CompletionRequest
from arena.models.completion_session import CompletionSession
from arena.models.no_completion import NoCompletion
from arena.tracks.dual.generate.generation import program_in
from arena.tracks.dual.generate.prompts import prompt_for
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, State
from arena.tracks.dual.tasks.imported.brought import BroughtProgram
from arena.tracks.dual.tasks.pack import DualTask
from tasks.loader import TaskError

PURPOSE = "dual-reference"
PINS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 8192}
TRIES = 3
SHOWN, CUT = 12, 700
# A reference must pass the security suite too; a specification says nothing of attacks.
SECURE = (
    "\n\nThe program must also withstand hostile input: no traversal, no injection, no unsafe loading, no "
    "leak, no unbounded work. It refuses such input in the way that the specification gives for bad input."
)
AGAIN = """\
Your program does not pass these tests. Write the whole program again, correct by the specification and \
secure. Where a test contradicts the specification, follow the specification.

{told}"""


@dataclass(frozen=True)
class ModelAuthor:
    """Requests programs over a single session, which meters and caps."""

    session: CompletionSession

    def __call__(
        self, task: DualTask, scored: Callable[[BroughtProgram], SampleResult]
    ) -> BroughtProgram | None:
        """The best of several programs; None if no answer has a program. Raises TaskError without answers."""
        language = task.spec.languages[0]
        messages = [dict(message) for message in prompt_for(task, language).messages]
        messages[-1]["content"] += SECURE
        best: tuple[int, BroughtProgram] | None = None
        for number in range(TRIES):
            try:
                request = CompletionRequest(tuple(messages), task.id, number, PURPOSE)
                answer = self.session.ask(request)
            except NoCompletion as error:
                # A program that is there already is worth more than the fault that ended the next try.
                if best is None:
                    raise TaskError(f"no reference: {error}") from error
                break
            source_text = program_in(answer, task, language)
            if not source_text.source:
                continue
            name = f"{self.session.model} ({number + 1})"
            program = BroughtProgram(name, language, source_text.source.encode("utf-8", "replace"))
            result = scored(program)
            passed = sum(test.verdict is OracleVerdict.PASS for test in result.tests)
            if best is None or passed > best[0]:
                best = passed, program
            if not (failures := _failures(task, result)):
                break
            messages += [
                {"role": "assistant", "content": answer.text},
                {"role": "user", "content": AGAIN.format(told=failures)},
            ]
        return best[1] if best else None


def _failures(task: DualTask, result: SampleResult) -> str:
    """Feedback to the model on the tests that its program does not pass; "" where it passes all."""
    if result.state is not State.USABLE:
        return f"It cannot be used at all: {result.state}: {result.why[:CUT]}"
    specs = {test.id: test for _, test in task.tests}
    judged = (OracleVerdict.PASS, OracleVerdict.NA)
    failed = [test for test in result.tests if test.verdict not in judged]
    return "\n\n".join(
        f"{test.id} ({test.kind}): {specs[test.id].title}\ninput: {_short(specs[test.id].steps)}\n"
        f"{test.reason[:CUT]}"
        for test in failed[:SHOWN]
    )


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)[:CUT]
