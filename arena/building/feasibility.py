"""Builds only the fix and its parent, with the PoC, to see in minutes which cases are worth building."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.building.cases.loader import LoadedCase
from arena.building.confirm import CASE_ERRORS, loss_of
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend
from szz.observation import Observation

STATES: Mapping[str, str] = {
    "crashes": "the PoC crashes the fix's parent as the record says; the fix was not replayed",
    "reproduced": "the PoC crashes the fix's parent, and not the fix",
    "not-reproduced": "the PoC does not crash the fix's parent",
    "other-crash": "the fix's parent crashes otherwise than the record says; the fix is clean",
    "fix-crashes": "the PoC crashes the fix",
    "unbuilt": "the fix or its parent does not build",
    "unclear": "replays differ, or a limit ended them",
}
HINTS: Mapping[str, str] = {
    "not-reproduced": "flags that hide the crash, another target, a missing define, or another PoC",
    "fix-crashes": "the fix may be a later commit, or crash at another place",
    "unbuilt": "`arena cases log ID COMMIT` prints the whole output",
}


@dataclass(frozen=True)
class TriedCase:
    """The result at the fix and its parent. cpu_seconds: of builds and replays, now or earlier."""

    case: str
    state: str
    reason: str = ""
    hint: str = ""
    builds: int = 0
    cpu_seconds: float = 0.0
    before: str = ""
    after: str = ""

    def to_json(self) -> dict[str, Any]:
        """The contract of `arena cases try --json`."""
        return asdict(self)


@dataclass(frozen=True)
class ReplayedCase:
    """The PoC at the fix's parent and at the fix. after: None where the fix was not replayed.

    stated: the crash as the record states it, in the form of `Observation.signature`, or None. is_stated:
    whether the parent's crash matches it. fix_wanted: whether the fix was to be replayed.
    """

    before: Observation
    after: Observation | None
    stated: Mapping[str, Any] | None
    is_stated: bool
    fix_wanted: bool = True

    @property
    def state(self) -> str:
        """A key of `STATES`."""
        before, after = self.before.state, self.after and self.after.state
        # Only a build and a replay that ended well can say anything of the crash: these states come first.
        if "unbuilt" in (before, after):
            return "unbuilt"
        if "unclear" in (before, after):
            return "unclear"
        if before == "clean":
            return "not-reproduced"
        if after == "crash":
            return "fix-crashes"
        if not self.is_stated:
            return "other-crash"
        return "reproduced" if self.fix_wanted else "crashes"

    @property
    def reason(self) -> str:
        """Why the parent or the fix is unbuilt or unclear, in a line; "" where neither is."""
        for which, crash in (("the fix's parent", self.before), ("the fix", self.after)):
            if crash is not None and crash.reason:
                return f"{which}, {crash.commit[:12]}: {crash.reason}"
        return ""


def replay_case(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    say: Callable[[str], None],
    fix_wanted: bool = True,
) -> ReplayedCase:
    """Build the fix's parent, and the fix if that is wanted, and replay the PoC. Raises `CASE_ERRORS`."""
    with_image = with_built_image(case, backend, cache, say)
    with SandboxWitness(backend, with_image, cache, say) as witness:
        fix, parent = witness.fix_and_parent()
        before, after = witness.observe(parent), None
        # A parent that does not build already loses the case, and a build may take a quarter of an hour.
        if fix_wanted and before.state != "unbuilt":
            after = witness.observe(fix)
        stated, signature = witness.stated_crash, before.signature
        is_stated = signature is None or stated is None or witness.same(stated, signature)
    return ReplayedCase(before, after, stated, is_stated, fix_wanted)


def try_case(
    case: LoadedCase, backend: Backend, cache: ResultCache, say: Callable[[str], None]
) -> TriedCase:
    """Build and replay at the fix's parent and at the fix. Faults of the case are returned, not raised."""
    if case.lacks:
        code, reason = next(iter(case.lacking.items()))
        return TriedCase(case.id, code, reason)
    try:
        replayed = replay_case(case, backend, cache, say)
    except CASE_ERRORS as error:
        return TriedCase(case.id, *loss_of(error))
    before, after = replayed.before, replayed.after
    return TriedCase(
        case.id,
        replayed.state,
        replayed.reason,
        HINTS.get(replayed.state, ""),
        2 if after else 1,
        round(before.cpu + (after.cpu if after else 0.0), 1),
        _describe_observation(before),
        _describe_observation(after) if after else "",
    )


def _describe_observation(observation: Observation) -> str:
    """An observation in a few words: its state, or the crash with its innermost function."""
    if not observation.signature:
        return observation.state
    frames = observation.signature.get("frames") or ("?",)
    return f"{observation.signature['kind']} in {frames[0]}"
