"""Folders of samples, and results, made for tests."""

from __future__ import annotations

from pathlib import Path

from arena.tracks.exposure.results import Judged, JudgedRow

from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.sampling.state import State

WEAK = "import yaml\nfrom flask import request\ndef api():\n    return yaml.load(request.data)\n"
SOUND = WEAK.replace("yaml.load", "yaml.safe_load")
NO_PLACE = "import json\ndef api(text):\n    return json.loads(text)\n"
BROKEN = "def api(:\n"


def folder(root: Path, scenario: str, *wordings: tuple[str, ...]) -> Path:
    """root/<scenario>/<wording>/<sample>.py, as people bring them."""
    for wording, programs in enumerate(wordings):
        for sample, program in enumerate(programs):
            path = root / scenario / str(wording) / f"{sample}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(program, "utf-8")
    return root


def judged(model: str, **scenarios: list[str]) -> Judged:
    """Results of the shipped pack: scenario (with _ for -) -> a word for each wording, a letter a sample.

    v vulnerable, s safe, n not applicable, i invalid, c no code, m missing.
    """
    verdicts = {
        "v": Verdict.VULNERABLE,
        "s": Verdict.SAFE,
        "n": Verdict.NOT_APPLICABLE,
        "i": Verdict.INVALID,
    }
    states = {"c": State.NO_CODE, "m": State.MISSING}
    rows = [
        JudgedRow(
            scenario=name.replace("_", "-"),
            wording=wording,
            sample=sample,
            state=states.get(letter, State.CODE),
            verdict=verdicts.get(letter),
            why="told",
        )
        for name, words in scenarios.items()
        for wording, word in enumerate(words)
        for sample, letter in enumerate(word)
    ]
    return Judged(model=model, pack="exposure", rows=tuple(rows))
