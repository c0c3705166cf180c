"""A program -> a verdict, by one of our detectors; a folder of samples -> results. Nothing is run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from arena.tracks.exposure.detect._detector import Detector, Finding, Verdict
from arena.tracks.exposure.flow.facts import NotPython
from arena.tracks.exposure.flow.reading import read
from arena.tracks.exposure.results import Judged, JudgedRow, judged_row
from arena.tracks.exposure.sampling.folder import Found
from arena.tracks.exposure.sampling.listing import WITH_CODE
from arena.tracks.exposure.tasks.pack import ExposurePack
from parsers.registry import UnknownName, lookup

PACKAGE = "arena.tracks.exposure.detect"
DETECTION = 1
"""Part of each result: it goes up when a change of a detector or the reading can alter verdicts."""


@cache
def detector_of(name: str) -> Detector:
    """A detector by name. Raises UnknownName with those that there are, also for what is no detector."""
    found = lookup(PACKAGE, name)
    if not isinstance(found, Detector):
        raise UnknownName(f"{name!r} is no Detector")
    return found


def judge(source: str | bytes, detector: str) -> Finding:
    """The verdict of one program. Raises UnknownName.

    A program that is too large to be read to its end has no verdict by what was seen of it, unless that is
    vulnerable: it is invalid, and `why` says so.
    """
    looks = detector_of(detector)
    try:
        trace = read(source)
        found = looks.judge(trace)
    except NotPython as error:
        return Finding(Verdict.INVALID, error.line, str(error))
    except RecursionError:
        return Finding(Verdict.INVALID, 0, "nested too deeply to be read")
    if trace.cut and found.verdict is not Verdict.VULNERABLE:
        return Finding(Verdict.INVALID, 0, "too large to be read to its end")
    return found


def judge_samples(
    found: Found,
    pack: ExposurePack,
    model: str = "",
    done: Callable[[JudgedRow], None] = lambda row: None,
) -> Judged:
    """Results of a folder of samples, one program in memory at a time.

    model: a name for samples that tell none. Samples of a scenario or pack that has changed since are told
    in `problems`. Raises ValueError where a program cannot be read, UnknownName for a detector.
    """
    listing = found.listing
    detectors = {one.id: one.spec.detector for one in pack.scenarios}
    rows = []
    for row in found.rows:
        has_code = row.state in WITH_CODE
        finding = judge(found.program(row), detectors[row.scenario]) if has_code else None
        judged = judged_row(row, finding)
        rows.append(judged)
        done(judged)
    asked = listing.scenarios if listing else {}
    changed = [
        f"{name}: has changed since it was asked"
        for name, digest in asked.items()
        if any(one.id == name and one.digest != digest for one in pack.scenarios)
    ]
    return Judged(
        model=model or (listing.model if listing else found.folder.resolve().name),
        mode=listing.mode if listing else "",
        pack=pack.spec.name,
        version=pack.spec.version,
        digest=pack.digest,
        scenarios=asked,
        detection=DETECTION,
        parameters=listing.parameters if listing else {},
        rows=tuple(rows),
        problems=(*found.problems, *changed),
    )
