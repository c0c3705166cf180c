"""The store's content as plain data: attempts by key, solutions of agents, facts of tasks, light rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.store.provenance import NOTHING_RECORDED, Provenance, display_model, with_effort
from harness.grade.ports import digest_of
from harness.grade.verdict import Verdict
from harness.protocols import Ended
from harness.user_names import display_name


@dataclass(frozen=True)
class AttemptKey:
    """The key of an attempt: (task, agent, model, prompt, replicate)."""

    task: str
    agent: str
    model: str = ""
    prompt: str = "neutral"
    replicate: int = 0

    @property
    def column(self) -> str:
        """The configuration to compare: agent, model, and the prompt unless it is neutral."""
        worded = "" if self.prompt == "neutral" else f"({self.prompt})"
        model = display_model(self.model)
        return " ".join(filter(None, (display_name(self.agent), model, worded)))


@dataclass(frozen=True)
class StoredSolution:
    """The solution of an agent, with its bytes in the store: `harness.protocols.Solution` by digests."""

    patch: str
    ended: str
    usage: Mapping[str, Any] = field(default_factory=dict)
    trajectory: str | None = None
    note: Mapping[str, Any] = field(default_factory=dict)
    artefacts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spent:
    """The cost of an attempt over all its tries: USD, tokens (in and out), seconds, tries."""

    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    tries: int = 0

    def __add__(self, addend: Spent) -> Spent:
        return Spent(
            self.usd + addend.usd,
            self.tokens + addend.tokens,
            self.seconds + addend.seconds,
            self.tries + addend.tries,
        )


@dataclass(frozen=True)
class AttemptUpdate:
    """An update of an attempt, written at once.

    spent is added to what the attempt has used so far. solution: the agent has ended, and only grading is
    still to be done. verdict: the attempt has ended. flags: names of audit flags; new_cwes: of new findings.
    provenance: on what the solution or the verdict rests.
    """

    attempt: str
    spent: Spent
    solution: StoredSolution | None = None
    verdict: Verdict | None = None
    node: str = ""
    flags: tuple[str, ...] = ()
    new_cwes: tuple[str, ...] = ()
    provenance: Provenance = NOTHING_RECORDED


@dataclass(frozen=True)
class OpenAttempt:
    """An attempt that is still to run, or only to be graded when it has a `solution`.

    order: its position among the attempts of the run; the next page starts after it.
    """

    id: str
    key: AttemptKey
    order: str
    solution: StoredSolution | None


@dataclass(frozen=True)
class Counts:
    """The progress of a run. open: attempts that a resumed run takes up.

    labels: label -> number of attempts with it; healths: health -> number ("": not ended); spent: the total,
    and by_model ("" for none), both with withdrawn attempts. flagged: attempts with flags of the audit.
    withdrawn: attempts that the sweep's file does not name any more; only `spent`, `by_model` include them.
    """

    attempts: int
    open: int
    labels: dict[str, int]
    healths: dict[str, int]
    spent: Spent
    by_model: dict[str, Spent]
    flagged: int = 0
    withdrawn: int = 0

    def state(self, driven: bool) -> str:
        """ "running" (a driver is at work), "done" (nothing is open), "open" (not begun), or "stopped"."""
        if driven:
            return "running"
        begun = self.attempts > self.healths.get("", 0)
        return "done" if not self.open else "stopped" if begun else "open"


@dataclass(frozen=True)
class TaskFacts:
    """The facts of a task that reports need when its pack is not at hand.

    instruction: the agent's instruction, "" where there is none; domain: of the track dual; image: that its
    environment starts from; details: of the track (JSON), of `repo` kind, level and case of the task, and how
    many files and lines gold changes.
    """

    task: str
    title: str = ""
    language: str = ""
    project: str = ""
    domain: str = ""
    cwes: tuple[str, ...] = ()
    instruction: str = ""
    image: str = ""
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Attempt:
    """An attempt as stored; `health` is "" until it has ended.

    usage is of the last try; usd and tokens are of all tries. score: the track's, from 0 to 1.
    flags: signs of cheating; new_cwes: of new findings; finished: s since the epoch.
    """

    id: str
    run: str
    key: AttemptKey
    health: str = ""
    label: str | None = None
    reason: str = ""
    patch: str | None = None
    trajectory: str | None = None
    ended: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    score: float | None = None
    usd: float = 0.0
    tokens: int = 0
    tries: int = 0
    node: str = ""
    flags: Sequence[str] = ()
    new_cwes: Sequence[str] = ()
    finished: float | None = None
    provenance: Provenance = NOTHING_RECORDED

    @property
    def model(self) -> str:
        """The model as tables name it, with its effort; `key.model` is the name without effort."""
        return with_effort(self.key.model, self.provenance.effort)

    @property
    def column(self) -> str:
        """The compared configuration: `AttemptKey.column`, with the model's effort."""
        return replace(self.key, model=self.model).column

    def artefacts(self) -> dict[str, str]:
        """The attempt's artefacts, name -> digest: the patch, the trajectory, and the log of each step."""
        named = {"patch": self.patch, "trajectory": self.trajectory}
        stored = self.evidence.get("artefacts")
        named |= stored if isinstance(stored, dict) else {}  # an imported run may hold anything
        for step, entry in self.evidence.items():
            if isinstance(entry, dict):
                named |= {step: entry.get("log"), f"{step}.report": entry.get("report")}
        return {name: text for name, text in named.items() if isinstance(text, str) and text}

    def to_json(self) -> dict[str, Any]:
        """All facts in a flat object, as `arena show --json` prints it."""
        return {
            "attempt": self.id,
            "run": self.run,
            **vars(self.key),
            **{name: getattr(self, field_) for name, field_ in RESULT_FIELDS.items()},
            "provenance": self.provenance.to_json(),
        }


# Names in files and of columns of the database -> fields of `Attempt`, in the order of files.
RESULT_FIELDS: Mapping[str, str] = {
    **{
        name: name
        for name in ("label", "health", "reason", "ended", "usage", "patch", "trajectory")
    },
    **{name: name for name in ("seconds", "score", "usd", "tokens", "tries", "node", "flags")},
    "found": "new_cwes",
    **{name: name for name in ("finished", "evidence", "provenance")},
}

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)
# Where the settings of a sweep's run keep the ids of attempts that its file does not name any more.
WITHDRAWN = "withdrawn"
# What names a run without its id.
LATEST = "latest"
_DIGITS = 8

# Ends after which an attempt that has no label is repeated, and not just graded.
ENDS_TO_REPEAT = frozenset({"", Ended.MODEL_UNAVAILABLE, Ended.DIVERGED})


def gradable(ended: str, usage: Mapping[str, Any], model: str) -> bool:
    """Whether an attempt that ended so only has to be graded.

    A crash counts as the agent's result if its model was called, or if it uses no model.

    """
    if ended == Ended.CRASHED:
        return not model or bool(usage.get("calls"))
    return ended not in ENDS_TO_REPEAT


# Healths of attempts that a run that goes on takes up.
OPEN = ("", "infra", "cancelled")


# Slots, because a report holds a run's 100,000 rows in memory.
@dataclass(frozen=True, slots=True)
class Row:
    """An attempt with the facts of its task and nothing large, as input of statistics.

    model: with its effort if that was pinned, `openai/gpt-5 (high)`. calls: of the last try, as the gateway
    counted them.
    """

    id: str
    run: str
    track: str
    pack: str
    task: str
    agent: str
    model: str
    prompt: str
    replicate: int
    health: str
    label: str | None
    score: float | None
    usd: float
    tokens: int
    seconds: float
    flags: tuple[str, ...] = ()
    new_cwes: tuple[str, ...] = ()
    language: str = ""
    project: str = ""
    domain: str = ""
    cwes: tuple[str, ...] = ()
    calls: int = 0
    provenance: Provenance = NOTHING_RECORDED


def expect_run_id(run: str) -> None:
    """Raises ValueError for an id that is no plain name: reports and locks are files of that name."""
    if not RUN_ID.fullmatch(run) or run == LATEST:
        raise ValueError(f"run {run[:60]!r}: an id is up to 40 letters, digits and . _ -")


def withdrawn_attempts(settings: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the attempts of a run that are in no rate. settings: the run's."""
    sweep = settings.get("sweep")
    ids = sweep.get(WITHDRAWN) if isinstance(sweep, dict) else None
    return frozenset(map(str, ids)) if isinstance(ids, list) else frozenset()


def describe_withdrawn(number: int) -> str:
    """What a report says of attempts that are in none of its numbers; empty where there are none."""
    if not number:
        return ""
    attempts = "1 attempt is" if number == 1 else f"{number} attempts are"
    return (
        f"{attempts} withdrawn, and in no number here: the sweep's file does not name them any more"
    )


def run_of_sweep(name: str, made_by: str) -> str:
    """The id of a sweep's run, from the sweep's name and the digest of all inputs of its attempts."""
    return f"sweep-{name}-{made_by[:_DIGITS]}"


def is_of_sweep(run: str, name: str) -> bool:
    """Whether a run belongs to the sweep of that name."""
    # The whole prefix is compared: a sweep `a` must not own the runs of a sweep `a-b`.
    return run[:-_DIGITS] == run_of_sweep(name, "") and len(run) > _DIGITS


def attempt_id(run: str, key: AttemptKey) -> str:
    """A short id that is the same each time the same attempt of a run is opened."""
    return digest_of(run, *(str(part) for part in vars(key).values()))[:16]
