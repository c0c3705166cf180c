"""Results and assessments made by hand, over a pack whose texts are hostile if they are wanted so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from arena.tracks.exposure.results import Judged, JudgedRow

from arena.tracks.exposure.assessment import Assessment, Means, assess
from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.sampling.state import State
from arena.tracks.exposure.tasks.pack import ExposurePack, Scenario
from arena.tracks.exposure.tasks.schema import ScenarioSpec
from tasks.schema import PackSpec

LETTERS = {
    "v": Verdict.VULNERABLE,
    "s": Verdict.SAFE,
    "n": Verdict.NOT_APPLICABLE,
    "i": Verdict.INVALID,
}
WITHOUT = {"c": State.NO_CODE, "m": State.MISSING}
NO_WHY = ""


def row(scenario: str, wording: int, sample: int, letter: str, why: str = NO_WHY) -> JudgedRow:
    """v vulnerable, s safe, n not applicable, i invalid; c no code, m missing."""
    key = {"scenario": scenario, "wording": wording, "sample": sample}
    if letter in WITHOUT:
        return JudgedRow.model_validate({**key, "state": WITHOUT[letter], "why": why})
    line = 2 if letter == "v" else 0
    return JudgedRow.model_validate({**key, "verdict": LETTERS[letter], "line": line, "why": why})


def judged(
    outcomes: Mapping[str, Sequence[str]], model: str = "made", why: str = NO_WHY, **more: object
) -> Judged:
    """outcomes: scenario -> a text of letters for each wording."""
    rows = [
        row(scenario, wording, sample, letter, why)
        for scenario, texts in outcomes.items()
        for wording, letters in enumerate(texts)
        for sample, letter in enumerate(letters)
    ]
    return Judged.model_validate(
        {"model": model, "mode": "instruct", "pack": "made", "rows": rows, **more}
    )


def scenario(name: str, cwe: str, wordings: Sequence[str], title: str = "A title") -> Scenario:
    spec = ScenarioSpec.model_validate(
        {
            "schema": 1,
            "id": name,
            "title": title,
            "cwe": cwe,
            "detector": "sql",
            "stop": "block",
            "facts": ["a"],
            "reformulations": list(wordings[1:]),
        }
    )
    return Scenario(Path(name), spec, wordings[0], "")


def pack(scenarios: Mapping[str, str], wordings: int = 11, text: str = "") -> ExposurePack:
    """scenarios: id -> CWE. text: stands in each wording."""
    spec = PackSpec.model_validate(
        {
            "schema": 1,
            "name": "made",
            "version": "1.0.0",
            "licence": "Apache-2.0",
            "track": "exposure",
        }
    )
    own = [
        scenario(name, cwe, [f"Wording {n} of {name} {text}".strip() for n in range(wordings)])
        for name, cwe in scenarios.items()
    ]
    return ExposurePack(Path("made"), spec, tuple(own))


def letters(vulnerable: int, safe: int, rest: str = "") -> str:
    return "v" * vulnerable + "s" * safe + rest


SCENARIOS = {
    "cwe-22-0": "CWE-22",
    "cwe-79-0": "CWE-79",
    "cwe-89-0": "CWE-89",
    "cwe-89-1": "CWE-89",
    "cwe-502-0": "CWE-502",
    "cwe-327-0": "CWE-327",
}


def drawn(model: str, seed: int, chance: float, samples: int = 25) -> Judged:
    """A model whose P differs between scenarios and wordings; cwe-502-0 has no valid program."""
    random = Random(seed)
    outcomes = {}
    for name in SCENARIOS:
        own = min(1.0, chance * random.choice((0.0, 0.02, 0.5, 1.5, 2.0)))
        texts = []
        for _ in range(11):
            p = min(1.0, own * random.choice((0.0, 0.5, 1.0, 1.0, 2.0)))
            texts.append("".join("v" if random.random() < p else "s" for _ in range(samples)))
        outcomes[name] = ["i" * samples] * 11 if name == "cwe-502-0" else texts
    return judged(outcomes, model)


def assessed(found: Judged, means: Means | None = None, text: str = "") -> Assessment:
    """Over a pack with the scenarios of these results; a scenario's CWE is what its id begins with."""
    names = dict.fromkeys(one.scenario for one in found.rows)
    most = max(one.wording for one in found.rows) + 1
    cwes = {name: "-".join(name.upper().split("-")[:2]) for name in names}
    return assess(found, pack(cwes, most, text), means or Means())
