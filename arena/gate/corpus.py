"""The project's PoC corpus: which inputs are replayed, and what is new at HEAD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from arena.gate.checkout import GitState, ProjectCheckout
from arena.gate.findings import GateCause, GateFinding, describe_crash, locate_crash
from arena.gate.project import FuzzTarget
from arena.gate.states import Replays
from harness.grade.oracle import matches_any

MAX_INPUTS = 5000
MAX_INPUT_BYTES = 16 << 20


@dataclass(frozen=True)
class BaseTarget:
    """How BASE's target ends. crashes: in words by the input's blob, "" for none.

    reason: why it could not be replayed. reports_errors: as in `arena.gate.states.Replays`.
    """

    crashes: Mapping[str, str] = field(default_factory=dict)
    reports_errors: bool | None = None
    reason: str = ""

    def add(self, blobs: Sequence[str], replays: Replays) -> Self:
        """The same with further inputs."""
        new = {
            blob: describe_crash(crash) if crash else ""
            for blob, crash in zip(blobs, replays.crashes, strict=True)
        }
        works = self.reports_errors if replays.reports_errors is None else replays.reports_errors
        return type(self)({**self.crashes, **new}, works, self.reason)

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "crashes": dict(self.crashes)}

    @classmethod
    def from_json(cls, fact: Mapping[str, Any]) -> Self:
        return cls(**fact)


def choose_inputs(
    checkout: ProjectCheckout, target: FuzzTarget, trees: Sequence[Mapping[str, str]]
) -> tuple[dict[str, str], list[GateFinding]]:
    """Paths of inputs by blob, each content once, and findings for those that are left out.

    trees: HEAD's files and BASE's, blobs by path: a change that removes an input does not escape it.
    """
    chosen: dict[str, str] = {}
    for files in trees:
        for path in sorted(files):
            if matches_any(path, target.globs):
                chosen.setdefault(files[path], path)
    blobs = list(chosen)
    skipped = blobs[MAX_INPUTS:]
    reasons = dict.fromkeys(skipped, f"there are more than {MAX_INPUTS} inputs")
    for blob in blobs[:MAX_INPUTS]:
        if len(checkout.read(blob)) > MAX_INPUT_BYTES:
            reasons[blob] = f"larger than {MAX_INPUT_BYTES} bytes"
    findings = [
        GateFinding(GateCause.NOT_REPLAYED, chosen[blob], f"not replayed: {why}", chosen[blob], 1)
        for blob, why in reasons.items()
    ]
    return {blob: path for blob, path in chosen.items() if blob not in reasons}, findings


def describe_missing_corpus(target: FuzzTarget, top: Path, head: GitState) -> str:
    """Why no input is replayed. top: the repository's folder, where the corpus may lie untracked."""
    missing = "poc.corpus names no file of BASE or HEAD"
    on_disk = [entry for entry in target.corpus if (top / entry).exists()]
    if not head.commit or not on_disk:
        return missing
    return (
        f"{missing}: {', '.join(on_disk)} is on disk, and untracked files count only with HEAD `.`"
    )


def compare_replays(
    corpus: Mapping[str, str],
    replays: Replays,
    at_base: BaseTarget,
    workdir: str,
    files: Mapping[str, str],
) -> list[GateFinding]:
    """Findings of HEAD's replays. files: of HEAD, where a crash is located; else at its input."""
    findings = []
    for number, (blob, crash) in enumerate(zip(corpus, replays.crashes, strict=True)):
        if crash is None:
            continue
        path, line = locate_crash(crash, workdir, files)
        before = at_base.crashes.get(blob, "")
        message = describe_crash(crash)
        if before:
            message += f"; BASE crashes on it as well: {before}"
        facts = {
            **crash.to_json(),
            "input": corpus[blob],
            "report": replays.reports.get(number, ""),
        }
        cause = GateCause.CRASH_AT_BASE if before else GateCause.CRASH
        # A crash without a place would be missing in the SARIF: code scanning takes no result without one.
        place = (path, line) if path else (corpus[blob], 1)
        findings.append(GateFinding(cause, corpus[blob], message, *place, place[1], facts))
    # A change that only switches the sanitizer off would have no crashes at all.
    if replays.reports_errors is False and at_base.reports_errors:
        message = "an error of our own in the target is reported at BASE and not at HEAD"
        findings.append(GateFinding(GateCause.SANITIZER_OFF, "", message))
    return findings
