"""The result of building a revision and replaying the PoC: the facts that a proof rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["clean", "crash", "unbuilt", "unclear"]


@dataclass(frozen=True)
class Observation:
    """The observation of a revision.

    `state`: `clean` (built, every replay ended without a crash), `crash` (built, every replay crashed),
    `unbuilt` (did not build, or not what the PoC runs), or `unclear` (built, but flaky, out of time or
    of memory, or the PoC could not be started). `signature` describes the crash as plain data. `seconds`
    are wall time, `cpu` seconds of processors; `reason` is a line on why it is unbuilt or unclear, or
    what it was built by where the fix is not. `carried` lists files taken from the fix; `lacks` names that
    a revision which does not build has not, though its fuzz target uses them.
    """

    commit: str
    state: State
    signature: Mapping[str, Any] | None = None
    seconds: float = 0.0
    cpu: float = 0.0
    reason: str = ""
    carried: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The facts as `arena tasks confirm --json` prints them."""
        return {
            "commit": self.commit,
            "built": self.state != "unbuilt",
            "crashed": self.state == "crash",
            "signature": dict(self.signature) if self.signature else None,
            "seconds": round(self.seconds, 3),
            "cpu": round(self.cpu, 3),
            "state": self.state,
            "reason": self.reason,
            "carried": list(self.carried),
            "lacks": list(self.lacks),
        }


# Build the revision of that commit id and replay the PoC. Faults of the machine are raised.
Replay = Callable[[str], Observation]

# Whether two signatures (of `Observation.signature`'s form) are of one crash.
Same = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
