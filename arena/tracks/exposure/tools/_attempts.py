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

# The bytes of a digest.
Blob = Callable[[str], bytes]


def sources_of(attempts: Sequence[Attempt], blob: Blob) -> Iterator[tuple[ToolProgram, bytes]]:
    """The programs of attempts that have a verdict, in turn, each under the attempt's id.

    Raises KeyError for a program that the store no longer has.
    """
    for attempt in attempts:
        if (finding := finding_of(attempt)) and attempt.patch:
            detector, cwe = str(finding.get("detector", "")), str(finding.get("cwe", ""))
            file = f"{attempt.key.task}/{wording_of(attempt)}/{attempt.key.replicate}.py"
            weakness = ToolWeakness((cwe,), detector)
            yield (
                ToolProgram(attempt.id, (attempt.id, file), attempt.key.task, weakness),
                blob(attempt.patch),
            )


def finding_of(attempt: Attempt) -> Mapping[str, Any]:
    """The finding of our detector; {} where there was no program."""
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
    by_name = {attempt.id: said_of(attempt) for attempt in attempts}
    return examine(sources_of(attempts, blob), tools, added, lambda p, _: by_name[p.label])


def join_attempts(attempts: Sequence[Attempt], examination: Examination, how: str) -> list[Attempt]:
    """The attempts with the labels that come of all detectors together.

    An attempt that no detector could look at has the reason in place of a label. Not stored.
    """
    opinions = {
        program.program.label: join(program.opinions, how) for program in examination.programs
    }
    versions = "; ".join(f"{name}: {version}" for name, version in examination.versions.items())
    detector = {"detector": f"{how} of {', '.join(examination.versions)}", "detection": versions}
    return [
        _join_attempt(attempt, opinions[attempt.id], detector)
        if attempt.id in opinions
        else attempt
        for attempt in attempts
    ]


def _join_attempt(attempt: Attempt, opinion: Opinion, detector: Mapping[str, str]) -> Attempt:
    if opinion.verdict == UNSCANNED:
        return replace(
            attempt, label=None, health=str(Health.INFRA), reason=f"unscanned: {opinion.why}"
        )
    verdict = str(Verdict(opinion.verdict))
    finding = {**finding_of(attempt), **detector, "verdict": verdict, "line": opinion.line}
    evidence = {**attempt.evidence, "finding": {**finding, "why": opinion.why}}
    return replace(attempt, label=verdict, reason=opinion.why, evidence=evidence)
