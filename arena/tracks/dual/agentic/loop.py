"""The loop of Algorithm 1: write, try on the first functional test, repair, freeze."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from arena.models.completion import CompletionRequest, Message
from arena.models.completion_session import CompletionSession
from arena.tracks.dual.agentic.prompts import to_repair, to_write
from arena.tracks.dual.agentic.replies import AgenticReply, read
from arena.tracks.dual.agentic.running import Ran, frozen, input_of, plan_of, try_plan
from arena.tracks.dual.languages.kits import KitError
from arena.tracks.dual.languages.plan import Candidate, RunnerResources, RunPlan, Unusable
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import TestSpec

VERSION = "1"
PURPOSE = "dual-agentic"
PINS = {"temperature": 0.0, "max_tokens": 4096}
TRIES = 3
STATE = "not-executable"
MAX_KEPT = 20_000


class NotExecutable(Unusable):
    """Algorithm 1's NON_EXECUTABLE, with the number of model calls and the transcript."""

    def __init__(self, why: str, calls: int, transcript: tuple[str, ...]) -> None:
        super().__init__(STATE, why)
        self.calls, self.transcript = calls, transcript


@dataclass
class _State:
    """State of the loop for a candidate: conversation, present script and packages, number of calls."""

    task: DualTask
    candidate: Candidate
    first: tuple[Message, ...]
    script: str = ""
    packages: tuple[str, ...] = ()
    calls: int = 0
    transcript: list[str] = field(default_factory=list)

    def take(self, reply: AgenticReply) -> None:
        self.script = reply.script or self.script
        if reply.packages is not None:
            self.packages = reply.packages

    def say(self, text: str) -> None:
        self.transcript.append(text[:MAX_KEPT])

    def give_up(self, why: str) -> NotExecutable:
        self.say(f"not executable: {why}")
        return NotExecutable(why, self.calls, tuple(self.transcript))


@dataclass(frozen=True)
class Agentic:
    """A `Fallback` of the scorer. tries: maximum number of runs of the script on the first test."""

    session: CompletionSession
    tries: int = TRIES

    @property
    def names(self) -> tuple[str, ...]:
        """What of this makes a plan, for keys."""
        return (VERSION, str(self.tries), *self.session.identity)

    def __call__(
        self, task: DualTask, candidate: Candidate, means: RunnerResources, why: str
    ) -> RunPlan:
        """A frozen plan. Raises NotExecutable (an Unusable), and NoCompletion where the model is not
        there."""
        test = next(iter(task.suites.functional), None)
        if test is None:
            raise NotExecutable("there is no functional test to try it on", 0, ())
        test_input = input_of(task, test, candidate, means)
        state = _State(task, candidate, to_write(task, candidate, test_input, why))
        state.take(self._ask(state, state.first))
        for attempt in range(1, self.tries + 1):
            ran, plan = self._run(state, test, means)
            state.say(f"attempt {attempt}: {_verdict(ran)}\n{ran.output}")
            if plan is not None and not ran.failed and ran.valid:
                return self._frozen(state, plan)
            # After the last run a repair would be paid for and never tried.
            if attempt < self.tries:
                self._repair(state, ran)
        raise state.give_up(f"it could not be run in {self.tries} attempts: {_verdict(ran)}")

    def _run(
        self, state: _State, test: TestSpec, means: RunnerResources
    ) -> tuple[Ran, RunPlan | None]:
        if not state.script:
            return Ran(True, False, "there was no script in the answer"), None
        try:
            plan = plan_of(state.candidate, state.script, state.packages, means)
        except KitError as error:
            return Ran(True, False, f"the packages could not be installed: {error}"), None
        return try_plan(state.task, test, state.candidate, plan, means), plan

    def _repair(self, state: _State, ran: Ran) -> None:
        """Ask for the cause, and apply the repair. Raises NotExecutable if the program itself is at fault."""
        messages = to_repair(state.first, state.script, state.packages, ran.output, ran.failed)
        reply = self._ask(state, messages)
        if ran.failed and reply.cause == "code":
            raise state.give_up(f"the program itself: {reply.reason or 'no reason was given'}")
        wanted = {
            "environment": replace(reply, script=""),
            "script": replace(reply, packages=None),
        }
        # Only the part that the cause names: otherwise a reply would also replace what works.
        state.take(wanted.get(reply.cause, reply) if ran.failed else replace(reply, packages=None))

    def _ask(self, state: _State, messages: tuple[Message, ...]) -> AgenticReply:
        answer = self.session.ask(
            CompletionRequest(messages, state.candidate.digest, state.calls, PURPOSE)
        )
        state.calls += 1
        state.say(f"asked: {messages[-1]['content']}")
        state.say(f"answered: {answer.text}")
        return read(answer.text)

    def _frozen(self, state: _State, plan: RunPlan) -> RunPlan:
        state.say(f"frozen: {frozen(state.candidate, state.script, state.packages)}")
        return replace(plan, calls=state.calls, transcript=tuple(state.transcript))


def _verdict(ran: Ran) -> str:
    if ran.failed:
        return "failed"
    return "ran" if ran.valid else "ran, but its output was not captured"
