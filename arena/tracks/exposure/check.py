"""Whether the scenarios of a pack hold: wordings by their rules, and a detector that looks for the CWE."""

from __future__ import annotations

from collections.abc import Iterator

from arena.protocols import Checked
from arena.tracks.exposure.judging import detector_of
from arena.tracks.exposure.tasks.pack import Scenario
from arena.tracks.exposure.tasks.schema import REFORMULATIONS
from arena.tracks.exposure.tasks.wordings import check_wordings
from parsers.registry import UnknownName


def check(scenario: Scenario) -> Checked:
    """A scenario that could be loaded."""
    facts = {"wordings": len(scenario.wordings), "detector": scenario.spec.detector}
    return Checked(scenario.id, tuple(problems_of(scenario)), facts=facts)


def problems_of(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """(where, what is wrong)."""
    for problem in check_wordings(scenario.wordings, scenario.rules):
        yield f"wording {problem.number}", problem.why
    if len(scenario.reformulations) < REFORMULATIONS:
        yield "reformulations", f"{len(scenario.reformulations)}; {REFORMULATIONS} are wanted"
    try:
        detector = detector_of(scenario.spec.detector)
    except UnknownName as error:
        yield "detector", str(error)
        return
    if scenario.spec.cwe not in detector.cwes:
        looked_for = f"the detector {scenario.spec.detector} looks for {', '.join(detector.cwes)}"
        yield "cwe", f"{scenario.spec.cwe}; {looked_for}"
