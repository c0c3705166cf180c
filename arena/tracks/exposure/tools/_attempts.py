"""Stored attempts before tools: their programs, and their labels with the tools' verdicts joined in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.store.model import Attempt
from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.outcomes import wording_of
from arena.tracks.exposure.tools._joining import join
from arena.tracks.exposure.tools._panel import UNSCANNED, Examination, Opinion, examine
from arena.tracks.exposure.tools._tool import Rules, Tool, ToolProgram, ToolWeakness
from harness.grade.verdict import Health

Blob = Callable[[str], bytes]
"""The bytes of a digest."""


def sources_of(attempts: Sequence[Attempt], blob: Blob) -> Iterator[tuple[ToolProgram, bytes]]:
    """The programs of attempts that have a verdict, one at a time, each under the attempt's id.

    Raises KeyError for one that the store has no more.
    """
    for one in attempts:
        if (finding := finding_of(one)) and one.patch:
            detector, cwe = str(finding.get("detector", "")), str(finding.get("cwe", ""))
            file = f"{one.key.task}/{wording_of(one)}/{one.key.replicate}.py"
            weakness = ToolWeakness((cwe,), detector)
            yield ToolProgram(one.id, (one.id, file), one.key.task, weakness), blob(one.patch)


def finding_of(attempt: Attempt) -> Mapping[str, Any]:
    """What our detector said; {} where there was no program."""
    finding = attempt.evidence.get("finding")
    judged = attempt.label is not None and isinstance(finding, dict)
    return finding if judged and isinstance(finding, dict) else {}


def said_of(attempt: Attempt) -> Opinion:
    finding = finding_of(attempt)
    line, why = finding.get("line", 0), str(finding.get("why", ""))
    return Opinion(attempt.label or UNSCANNED, line if isinstance(line, int) else 0, why)


def examine_attempts(
    attempts: Sequence[Attempt], blob: Blob, tools: Mapping[str, Tool], added: Rules
) -> Examination:
    """Our verdicts as they are stored, and what the tools say. Raises what `examine` raises."""
    known = {one.id: said_of(one) for one in attempts}
    return examine(sources_of(attempts, blob), tools, added, lambda p, _: known[p.label])


def join_attempts(attempts: Sequence[Attempt], found: Examination, how: str) -> list[Attempt]:
    """The attempts with the labels that come of all detectors together.

    One that nobody could look at has no label; the reason is told. Not stored.
    """
    told = {one.program.label: join(one.opinions, how) for one in found.programs}
    versions = "; ".join(f"{name}: {version}" for name, version in found.versions.items())
    detector = {"detector": f"{how} of {', '.join(found.versions)}", "detection": versions}
    return [
        _join_attempt(one, told[one.id], detector) if one.id in told else one for one in attempts
    ]


def _join_attempt(one: Attempt, said: Opinion, detector: Mapping[str, str]) -> Attempt:
    if said.verdict == UNSCANNED:
        return replace(one, label=None, health=str(Health.INFRA), reason=f"unscanned: {said.why}")
    verdict = str(Verdict(said.verdict))
    finding = {**finding_of(one), **detector, "verdict": verdict, "line": said.line}
    evidence = {**one.evidence, "finding": {**finding, "why": said.why}}
    return replace(one, label=verdict, reason=said.why, evidence=evidence)
