"""What is worth building: the fix and its parent only, with the PoC, in minutes for a whole store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.building.cases.loader import LoadedCase
from arena.building.confirm import CASE_ERRORS, loss_of
from arena.building.oss_fuzz.bases import furnished
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend
from szz.observation import Observation

STATES: Mapping[str, str] = {
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
    """How the fix and its parent showed. cpu_seconds: of builds and replays, be they made now or before."""

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


def try_case(
    case: LoadedCase, backend: Backend, cache: ResultCache, say: Callable[[str], None]
) -> TriedCase:
    """Build and replay at the fix's parent and at the fix. What is wrong is told, not raised."""
    if case.lacks:
        code, reason = next(iter(case.lacking.items()))
        return TriedCase(case.id, code, reason)
    try:
        there = furnished(case, backend, cache, say)
        with SandboxWitness(backend, there, cache, say) as witness:
            fix, parent = witness.fix_and_parent()
            before = witness.observe(parent)
            after = None if before.state == "unbuilt" else witness.observe(fix)
            same = before.signature is None or witness.stated is None
            same = same or witness.same(witness.stated or {}, before.signature or {})
    except CASE_ERRORS as error:
        return TriedCase(case.id, *loss_of(error))
    state = _state(before, after, same)
    return TriedCase(
        case.id,
        state,
        _reason(before, after),
        HINTS.get(state, ""),
        2 if after else 1,
        round(before.cpu + (after.cpu if after else 0.0), 1),
        _shown(before),
        _shown(after) if after else "",
    )


def _state(before: Observation, after: Observation | None, same: bool) -> str:
    if after is None or after.state == "unbuilt":
        return "unbuilt"
    if "unclear" in (before.state, after.state):
        return "unclear"
    if before.state == "clean":
        return "not-reproduced"
    if after.state == "crash":
        return "fix-crashes"
    return "reproduced" if same else "other-crash"


def _reason(before: Observation, after: Observation | None) -> str:
    for which, seen in (("the fix's parent", before), ("the fix", after)):
        if seen is not None and seen.reason:
            return f"{which}, {seen.commit[:12]}: {seen.reason}"
    return ""


def _shown(seen: Observation) -> str:
    """An observation in a few words: its state, or the crash with its innermost function."""
    if not seen.signature:
        return seen.state
    frames = seen.signature.get("frames") or ("?",)
    return f"{seen.signature['kind']} in {frames[0]}"
