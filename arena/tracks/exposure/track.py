"""Attempts of the track `exposure`: a program for a wording of a scenario. Nothing of it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.jobs import Needs, Stage
from arena.models.completion import Completion
from arena.models.direct import DIRECT, DirectSolver, instruction_of
from arena.models.endings import MEANING, verdict_without_answer
from arena.models.provenance import planned_provenance
from arena.protocols import Answers, Checked, Facts, Matrix, Say, Setup
from arena.report.grid import Figure, Table
from arena.report.metrics import rates
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.provenance import Provenance
from arena.tracks.choices import (
    Column,
    Option,
    agents_of,
    expect_no_scanner,
    keys_of,
    models_of,
    options_of,
    unknown_agent,
)
from arena.tracks.evidence import cut
from arena.tracks.exposure.answers import answers_of
from arena.tracks.exposure.assessment import assess_all
from arena.tracks.exposure.check import check
from arena.tracks.exposure.comparing import comparison
from arena.tracks.exposure.cvss.representative import NoSeverity, Severities
from arena.tracks.exposure.detect._detector import Finding
from arena.tracks.exposure.detect._detector import Verdict as Judged
from arena.tracks.exposure.figures import all_figures
from arena.tracks.exposure.judging import DETECTION, detector_of, judge
from arena.tracks.exposure.labels import NO
from arena.tracks.exposure.outcomes import outcomes_of
from arena.tracks.exposure.sampling.completing import PINS, complete
from arena.tracks.exposure.sampling.listing import WITH_CODE
from arena.tracks.exposure.sampling.prompts import request_for
from arena.tracks.exposure.sampling.state import MODES, Mode
from arena.tracks.exposure.tasks.pack import ExposurePack, Scenario, load_exposure
from arena.tracks.exposure.views import all_tables
from harness.gateway.endings import Ending
from harness.grade.ports import ResultCache
from harness.grade.verdict import Health, Verdict
from harness.protocols import Charge, Solution
from tasks.loader import TaskError

ALL = -1
# mode: how a model is asked; reformulations: how many of each scenario beside the original, -1: all;
# scenarios: "paper" for those of the paper alone.
OPTIONS: Mapping[str, Option] = {
    "mode": Option("instruct", MODES),
    "reformulations": Option(ALL),
    "scenarios": Option("all", ("all", "paper")),
}
# Calibration: agents that give the first example with that verdict of the scenario's own detector.
EXAMPLES: Mapping[str, Judged] = {"vulnerable": Judged.VULNERABLE, "safe": Judged.SAFE}
MAX_LINE = 300


def open_track(setup: Setup, cache: ResultCache, say: Say) -> ExposureTrack:
    """The track; the gateway is started when it is needed. Raises TaskError, ValueError or UnknownName."""
    options = options_of(setup, OPTIONS)
    expect_no_scanner(setup)
    pack = load_exposure(setup.pack)
    if options["scenarios"] == "paper":
        pack = replace(
            pack, scenarios=tuple(scenario for scenario in pack.scenarios if scenario.spec.paper)
        )
    if not pack.scenarios:
        raise ValueError("options.scenarios: none of the pack's is one of the paper's")
    if options["reformulations"] < ALL:
        raise ValueError(f"options.reformulations: {options['reformulations']} is less than {ALL}")
    return ExposureTrack(pack, setup, options["mode"], options["reformulations"], cache)


class ExposureTrack:
    """A pack in a mode. The prompts are the wordings: `w0`, the scenario's original, to `wN`."""

    pins = PINS

    def __init__(
        self, pack: ExposurePack, setup: Setup, mode: Mode, reformulations: int, cache: ResultCache
    ) -> None:
        self.pack_name = pack.spec.name
        self._pack, self._mode, self._reformulations = pack, mode, reformulations
        self._setup = setup
        self._scenarios = {scenario.id: scenario for scenario in pack.scenarios}
        self._direct = DirectSolver(setup, cache, PINS)
        self._parameters = {**PINS, **setup.pinned}

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every (task, agent, model, prompt, replicate).

        Agents: `direct` (the model itself), and `vulnerable` and `safe`, which return an example. Without
        prompts, all wordings that the options allow. Raises TaskError, ValueError or UnknownName.
        """
        tasks = [self._scenario(name).id for name in matrix.tasks] or list(self._scenarios)
        self._expect_detectors(tasks)
        wordings = {task: self._wordings(task, matrix.prompts) for task in tasks}
        columns = [self._column(name, matrix, wordings.__getitem__) for name in agents_of(matrix)]
        return keys_of(tasks, columns, matrix.replicates)

    def _column(
        self, agent: str, matrix: Matrix, wordings: Callable[[str], Sequence[str]]
    ) -> Column:
        if agent in EXAMPLES:
            return Column(agent)
        if agent != DIRECT:
            raise unknown_agent(agent, (DIRECT, *EXAMPLES))
        models = models_of(matrix, agent)
        self._direct.expect(models)
        return Column(agent, models, wordings)

    def _wordings(self, task: str, named: Sequence[str]) -> Sequence[str]:
        """Raises ValueError for a wording that the scenario has not, or too many reformulations."""
        there = [f"w{number}" for number in range(len(self._scenarios[task].wordings))]
        # Said before anything is paid: a wording that is not there has no attempts.
        wanted = self._reformulations
        if wanted >= len(there):
            message = f"{wanted} are wanted, and {task} has {len(there) - 1}"
            raise ValueError(f"options.reformulations: {message}")
        if unknown := [name for name in named if name not in there]:
            raise ValueError(f"prompt {unknown[0][:200]!r}: {task} has w0 to {there[-1]}")
        return tuple(named) or (there if wanted == ALL else there[: wanted + 1])

    def _expect_detectors(self, tasks: Iterable[str]) -> None:
        """Raises UnknownName."""
        for task in tasks:
            detector_of(self._scenarios[task].spec.detector)

    def _scenario(self, name: str) -> Scenario:
        return self._scenarios.get(name) or self._pack.scenario(
            name
        )  # which names those that there are

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Raises TaskError."""
        return [self._facts(self._scenario(name)) for name in tasks or self._scenarios]

    def _facts(self, scenario: Scenario) -> TaskFacts:
        request = request_for(scenario, 0, 0, self._mode)
        spec = scenario.spec
        return TaskFacts(
            scenario.id,
            spec.title,
            language=spec.language,
            cwes=(spec.cwe,),
            instruction=request.prompt or instruction_of(request.messages),
        )

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        """A processor to grade with; no container."""
        return Needs(sandboxes=int(stage is Stage.GRADE))

    def provenance(self, key: AttemptKey, stage: Stage) -> Provenance:
        """Raises TaskError."""
        if stage is Stage.SOLVE:
            return planned_provenance(key, self._setup.prices, self._direct.pins)
        return Provenance(
            grader_version=f"detection {DETECTION}",
            pack_version=self._pack.spec.version,
            task_digest=self._scenario(key.task).digest,
        )

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        """The program. Raises ModelUnavailable where there is no answer."""
        say("agent")
        scenario = self._scenario(key.task)
        if key.agent in EXAMPLES:
            return Solution(_example(scenario, EXAMPLES[key.agent]).encode())
        wording = int(key.prompt.removeprefix("w"))
        request = request_for(scenario, wording, key.replicate, self._mode)

        def program(answer: Completion) -> tuple[bytes, Mapping[str, Any]]:
            completion = complete(scenario, wording, self._mode, answer)
            facts = {
                "state": str(completion.state),
                "notes": list(completion.notes),
                "mode": self._mode,
                "parameters": self._parameters,
            }
            # A model may write halves of surrogate pairs, which UTF-8 cannot hold.
            return completion.source.encode("utf-8", "replace"), facts

        return self._direct.solve(key.model, request, program, charge)

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        """The detector's verdict; there is no score."""
        if lacking := verdict_without_answer(solution.note):
            return lacking
        say("sast")
        scenario, note = self._scenario(key.task), solution.note
        notes = cut("; ".join(map(str, note.get("notes", ()))))
        evidence: dict[str, Any] = {"asked": self._evidence(scenario, key.prompt, note)}
        # A program of blanks that a model wrote is judged as any other.
        if not solution.patch.strip() and note.get("state") not in WITH_CODE:
            meaning = MEANING[Ending(note.get("state", Ending.NO_CODE))]
            return Verdict(NO, Health.OK, f"{meaning}: {notes}" if notes else meaning, evidence)
        finding = judge(solution.patch, scenario.spec.detector)
        evidence["finding"] = _finding_json(finding, scenario, solution.patch)
        return Verdict(str(finding.verdict), Health.OK, cut(finding.why), evidence)

    def _evidence(self, scenario: Scenario, prompt: str, note: Mapping[str, Any]) -> dict[str, Any]:
        """What reports need of the question: they have no pack at hand."""
        number = int(prompt.removeprefix("w")) if prompt.startswith("w") else 0
        try:
            severity: Any = Severities().severity_of(scenario.spec.cwe).to_json()
        except NoSeverity:
            severity = None
        return {
            "place": list(self._scenarios).index(scenario.id),
            "wording": number,
            "text": scenario.wordings[number],
            "severity": severity,
            "mode": note.get("mode", ""),
            "parameters": dict(note.get("parameters", {})),
            "scenario": scenario.digest,
            "pack": {"version": self._pack.spec.version, "digest": self._pack.digest},
        }

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """Rates of the labels, and under "columns" PE and ME of each model (`Assessment.to_json`).

        Severities are the paper's and R is 1; `arena study exposure` takes others.
        """
        result, without = assess_all(outcomes_of(attempts, facts))
        columns: dict[str, Any] = {item.name: item.to_json() for item in result}
        columns |= {item.name: {"me": None, "unscored": item.unscored} for item in without}
        return {**rates(attempts, "exposure"), "columns": columns}

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        """Tables 1 to 4 and D5, and more; none where nothing can be scored."""
        return all_tables(assess_all(outcomes_of(attempts, facts))[0])

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
        """Figure 2 and more, of all models and of each."""
        return all_figures(assess_all(outcomes_of(attempts, facts))[0])

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        return comparison(first, second, facts)

    def answers(self, path: Path) -> Answers:
        """Samples as DIR/<scenario>/<wording>/<sample>.py, with or without samples.json. Raises ValueError,
        or UnknownName for a detector."""
        self._expect_detectors(self._scenarios)
        return answers_of(path, self._scenarios)

    def check(self, tasks: Sequence[str], workers: int, say: Say) -> Iterator[Checked]:
        """Wordings must keep to their rules, and the detector must look for the CWE."""
        chosen = [self._scenario(name) for name in tasks] or list(self._scenarios.values())
        return map(check, chosen)

    def missing(self) -> str:
        return ""

    def close(self) -> None:
        """End the gateway."""
        self._direct.close()


def _example(scenario: Scenario, verdict: Judged) -> str:
    """Raises TaskError where the detector has no example of it."""
    for example in detector_of(scenario.spec.detector).examples:
        if example.verdict is verdict:
            return example.source
    raise TaskError(f"{scenario.id}: its detector has no example that is {verdict}")


def _finding_json(finding: Finding, scenario: Scenario, source: bytes) -> dict[str, Any]:
    lines = source.decode("utf-8", "replace").splitlines()
    code = lines[finding.line - 1][:MAX_LINE] if 0 < finding.line <= len(lines) else ""
    return {
        "verdict": str(finding.verdict),
        "cwe": scenario.spec.cwe,
        "line": finding.line,
        "code": code,
        "why": cut(finding.why),
        "detector": scenario.spec.detector,
        "detection": DETECTION,
    }


TRACK = ExposureTrack
