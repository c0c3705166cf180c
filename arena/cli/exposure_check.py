"""`arena tasks check` for a pack of the track `exposure`: wordings, prefixes, detectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.cli.common import OK, UNMET, emit
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.exposure.tasks.pack import Scenario


def check_pack(pack: str, chosen: list[str], as_json: bool) -> int:
    """One line for each scenario and problem; returns the exit code. Raises TaskError."""
    from arena.tracks.exposure.tasks.pack import load_exposure

    loaded = load_exposure(pack)
    scenarios = [loaded.scenario(name) for name in chosen] or loaded.scenarios
    bad = 0
    for scenario in scenarios:
        problems = list(problems_of(scenario))
        bad += bool(problems)
        if as_json:
            emit({"scenario": scenario.id, "ok": not problems, "problems": problems})
            continue
        told = f"{scenario.id}: {len(scenario.wordings)} wordings, {scenario.spec.detector}"
        print(one_line(f"{'BAD' if problems else 'ok '} {told}"), flush=True)
        for problem in problems:
            print(f"      {one_line(problem)}", flush=True)
    return UNMET if bad else OK


def problems_of(scenario: Scenario) -> Iterator[str]:
    """What is wrong with a scenario that could be loaded."""
    from arena.tracks.exposure.judging import detector_of
    from arena.tracks.exposure.tasks.schema import REFORMULATIONS
    from arena.tracks.exposure.tasks.wordings import check_wordings
    from parsers.registry import UnknownName

    for problem in check_wordings(scenario.wordings, scenario.rules):
        yield f"wording {problem.number}: {problem.why}"
    if len(scenario.reformulations) < REFORMULATIONS:
        yield f"reformulations: {len(scenario.reformulations)}; {REFORMULATIONS} are wanted"
    try:
        detector = detector_of(scenario.spec.detector)
    except UnknownName as error:
        yield f"detector: {error}"
        return
    if scenario.spec.cwe not in detector.cwes:
        known = ", ".join(detector.cwes)
        yield f"cwe: {scenario.spec.cwe}; the detector {scenario.spec.detector} looks for {known}"
