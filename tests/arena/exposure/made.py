"""Attempts and assessments made by hand, whose texts are hostile if they are wanted so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.tracks.exposure.assessment import Assessment, ScoreInputs, assess
from arena.tracks.exposure.labels import INVALID, NO, NOT_APPLICABLE, SAFE, UNKNOWN, VULNERABLE
from arena.tracks.exposure.outcomes import Outcomes
from arena.tracks.exposure.tasks.pack import ExposurePack

# v vulnerable, s safe, u unknown, n not applicable, i invalid; c no code, m missing.
LABELS = {
    "v": VULNERABLE,
    "s": SAFE,
    "u": UNKNOWN,
    "n": NOT_APPLICABLE,
    "i": INVALID,
    "c": NO,
    "m": None,
}


def attempt(key: AttemptKey, letter: str, asked: Mapping[str, Any], why: str = "") -> Attempt:
    label = LABELS[letter]
    if label is None:
        return Attempt(f"{key}", "run", key, "infra", None, why)
    evidence: dict[str, Any] = {"asked": dict(asked)}
    if label != NO:
        finding = {"verdict": label, "line": 2 if letter == "v" else 0, "why": why}
        evidence["finding"] = {**finding, "cwe": "CWE-89", "detector": "sql", "detection": 1}
    return Attempt(f"{key}", "run", key, "ok", label, why, evidence=evidence)


def judged(
    outcomes: Mapping[str, Sequence[str]],
    model: str = "made",
    why: str = "",
    text: str = "",
    pack: ExposurePack | None = None,
    agent: str = "direct",
    **more: Any,
) -> Outcomes:
    """outcomes: scenario -> letters for each wording. pack: of the texts and CWEs; more: in `asked`."""
    found = []
    for scenario, texts in outcomes.items():
        for wording, letters_ in enumerate(texts):
            told = f"Wording {wording} of {scenario} {text}".strip()
            told = pack.scenario(scenario).wordings[wording] if pack else told
            asked = {"wording": wording, "text": told, "mode": "instruct", **more}
            for sample, letter in enumerate(letters_):
                key = AttemptKey(scenario, agent, model, f"w{wording}", sample)
                found.append(attempt(key, letter, asked, why))
    return Outcomes(model, found, {name: facts(name) for name in outcomes})


def facts(name: str) -> TaskFacts:
    """A scenario's CWE is what its id begins with."""
    cwe = "-".join(name.upper().split("-")[:2])
    return TaskFacts(name, "A title", "python", cwes=(cwe,))


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


def drawn(model: str, seed: int, chance: float, samples: int = 25) -> Outcomes:
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


def assessed(found: Outcomes, means: ScoreInputs | None = None) -> Assessment:
    return assess(found, means or ScoreInputs())
