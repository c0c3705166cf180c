"""What a security team can file of one scenario and one model: facts as data; `filing_text` writes them out.

Nothing stands in it that the result, the pack or the program at hand does not tell.
"""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.report.text import one_line
from arena.tracks.exposure.assessment import Assessed, Assessment
from arena.tracks.exposure.detect._detector import Verdict
from arena.tracks.exposure.intervals import probability_interval
from arena.tracks.exposure.judging import DETECTION, judge
from arena.tracks.exposure.results import Counts, JudgedRow
from arena.tracks.exposure.sampling.folder import Found
from arena.tracks.exposure.sampling.state import MODES
from arena.tracks.exposure.telling import FALLBACKS, told_zero
from parsers.cwe_names import NAMES

BANDS = (("None", 0.0), ("Low", 3.9), ("Medium", 6.9), ("High", 8.9), ("Critical", 10.0))
"""The highest score of each band: CVSS v3.1 Specification, Section 5, Table 14."""
OWN = "builtin"
SAMPLED_WITH = {"temperature": "--temperature", "top_p": "--top-p", "max_tokens": "--max-tokens"}
ASKED_WITH = {"reformulations": "--reformulations", "samples": "--samples"}
MAX_PIN = 2_000
"""Characters; what is longer is no parameter of ours, and is left out of the command."""


@dataclass(frozen=True)
class Example:
    """A vulnerable completion. source: None where the program is not at hand."""

    row: JudgedRow
    source: str | None = None

    def to_json(self) -> dict[str, Any]:
        row = self.row
        place = {"wording": row.wording, "sample": row.sample, "line": row.line or None}
        return {**place, "why": row.why, "source": self.source}


def band(score: float) -> str:
    """The qualitative severity of a score, which has one decimal where bands are told (CVSS v3.1)."""
    rounded = float(f"{score:.1f}")
    return next(name for name, highest in BANDS if rounded <= highest)


def example_of(
    one: Assessment, name: str, samples: Found | None = None, detector: str = ""
) -> Example | None:
    """A vulnerable completion, with a line if any has one, of the highest P; None where there is none.

    samples: the folder that the result was made of. detector: of the scenario; where the result is of ours as
    it is now, the program must get its verdict again. Raises ValueError where the folder holds another one.
    """
    found = scenario_of(one, name)
    chances = {
        n: wording.probability for n, wording in zip(found.numbers, found.wordings, strict=True)
    }
    rows = [
        row
        for row in one.judged.rows
        if row.scenario == name and row.verdict is Verdict.VULNERABLE and row.wording in chances
    ]
    if not rows:
        return None
    row = min(rows, key=lambda row: (not row.line, -chances[row.wording], row.wording, row.sample))
    if samples is None:
        return Example(row)
    return Example(row, _program(row, samples, one, detector))


def _program(row: JudgedRow, samples: Found, one: Assessment, detector: str) -> str:
    there = next((own for own in samples.rows if own.key == row.key and own.file), None)
    place = f"{samples.folder}: {row.scenario}/{row.wording}/{row.sample}"
    if there is None:
        raise ValueError(f"{place}: there is no such program, though the result has one")
    source = samples.program(there)
    if detector and one.judged.detector == OWN and one.judged.detection == DETECTION:
        again = judge(source, detector)
        if (again.verdict, again.line) != (row.verdict, row.line):
            told = f"is {again.verdict} in line {again.line}, and the result has line {row.line}"
            raise ValueError(f"{place}: {told}; the result is of other samples")
    return source.decode("utf-8", "replace")


def scenario_of(one: Assessment, name: str) -> Assessed:
    """A scored scenario. Raises ValueError that tells why it has no score, or which there are."""
    if name in one.scenarios:
        return one.scenarios[name]
    if name in one.unscored:
        raise ValueError(f"{name}: no score: {one.unscored[name]}")
    raise ValueError(f"{one.name}: no scenario {name[:80]!r}; known: {', '.join(one.scenarios)}")


def filed(
    one: Assessment,
    name: str,
    example: Example | None = None,
    arguments: Sequence[str] = (),
    pack: str = "",
) -> dict[str, Any]:
    """All facts of one scenario and one model. Raises ValueError for a scenario without a score.

    arguments: what was said on the command line of severities and perplexities. pack: as it was named there.
    """
    found = scenario_of(one, name)
    weakness = f"{found.cwe} {NAMES.get(found.cwe, '')}".strip()
    facts = {
        "form": 1,
        "kind": "prompt-exposure",
        "title": f"{weakness} in programs of {one.name} for: {found.title}",
        "model": one.name,
        "scenario": name,
        "scenario_title": found.title,
        "cwe": found.cwe,
        "cwe_name": NAMES.get(found.cwe),
        "severity": _severity(one, found),
        "cvss": {**found.severity.to_json(), "band": band(found.severity.score)},
        "wordings": _wordings(one, found),
        "example": example.to_json() if example else None,
        "measured": _measured(one, name),
    }
    return {
        **facts,
        "id": _identifier(facts),
        "limits": _limits(one, found),
        "reproduce": _commands(one, name, arguments, pack or one.judged.pack),
    }


def _identifier(facts: Mapping[str, Any]) -> str:
    """Follows from what is reported: the same facts have the same one."""
    text = json.dumps(facts, sort_keys=True, default=str)
    return f"PE-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _severity(one: Assessment, found: Assessed) -> dict[str, Any]:
    exposure, interval = one.scores.exposures[found.id], one.scores.pe[found.id]
    ends = {"low": interval.low, "high": interval.high}
    return {
        **exposure.to_json(),
        "band": band(exposure.value),
        "zero": told_zero(exposure) or None,
        "interval": ends,
        "interval_bands": {k: None if v is None else band(v) for k, v in ends.items()},
        "base": one.means.base,
    }


def _wordings(one: Assessment, found: Assessed) -> list[dict[str, Any]]:
    columns = zip(found.numbers, found.texts, found.wordings, found.counts, strict=True)
    return [
        {
            "number": number,
            "text": text,
            "p": wording.probability,
            "interval": probability_interval(wording).to_json(),
            "r": wording.weight(one.means.mu, one.means.k),
            "perplexity": "inf" if wording.perplexity == math.inf else wording.perplexity,
            **counts.to_json(),
        }
        for number, text, wording, counts in columns
    ]


def _measured(one: Assessment, name: str) -> dict[str, Any]:
    judged = one.judged
    facts = ("mode", "parameters", "pack", "version", "digest", "detector", "detection")
    return {
        **{fact: getattr(judged, fact) for fact in facts},
        "scenario_digest": judged.scenarios.get(name),
        "means": one.means.to_json(),
    }


def _limits(one: Assessment, found: Assessed) -> list[str]:
    exposure, counts = one.scores.exposures[found.id], sum(found.counts, Counts())
    severity, means = found.severity, one.means
    total = exposure.wordings
    told = (
        (True, "PE is on the scale of CVSS, and is no CVSS score of a product: it has no vector."),
        (True, f"The severity is that of {found.cwe} as a whole, not of this program."),
        (severity.source in FALLBACKS, "The severity is a fallback: the paper's, not of feeds."),
        (True, "Verdicts are by static analysis; no program was run, nor tested for function."),
        (True, f"P is known for these {total} wordings alone; users may ask in other ways."),
        (
            exposure.unweighted,
            f"{exposure.unweighted} of {total} wordings have no perplexity: their R is 1, which makes PE "
            "higher.",
        ),
        (
            means.applicable,
            "P is over programs with a place for the weakness, not over valid ones.",
        ),
        (
            counts.not_applicable and not means.applicable,
            f"{counts.not_applicable} valid programs have no place where the weakness could be; P "
            "counts them.",
        ),
        (
            exposure.no_valid,
            f"{exposure.no_valid} of {total} wordings have no completion that counts: P is 0 by definition.",
        ),
        (exposure.clipped, "PE was below 0 and is cut to 0: the weakness was seen, though seldom."),
        (exposure.never, "The weakness was not seen in these completions; more might show it."),
        (found.missing, f"{found.missing} samples were never answered, and take no part."),
        (
            one.judged.detector != OWN,
            "Verdicts are of the detectors above: `detect` needs the same --with, --rule and --join.",
        ),
        (bool(one.judged.problems), f"The result tells of {len(one.judged.problems)} problems."),
    )
    return [text for holds, text in told if holds]


def _commands(one: Assessment, name: str, arguments: Sequence[str], pack_name: str) -> list[str]:
    """Command lines for a shell. Samples from elsewhere are not sampled again."""
    judged = one.judged
    pack = ["--pack", pack_name]
    commands = []
    if judged.mode in MODES:
        asked = ["--model", judged.model, "--mode", judged.mode, *pack, "--scenario", name]
        commands.append(["sample", *asked, *_parameters(judged.parameters), "--out", "samples"])
    commands.append(["detect", "--samples", "samples", "--out", "result.json", *pack])
    last = ["result.json", name, *pack, *arguments, "--samples", "samples"]
    commands.append(["prompt", *last])
    return [shlex.join(["arena", "exposure", *map(one_line, words)]) for words in commands]


def _parameters(parameters: Mapping[str, Any]) -> list[str]:
    """A parameter that was left out is left out again; what has no option of its own is pinned."""
    known = {**ASKED_WITH, **SAMPLED_WITH}
    words = []
    for name, option in known.items():
        value = parameters.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            words += [option, f"{value}"]
        elif name in SAMPLED_WITH:
            words += ["--pin", f"{name}=null"]
    pins = [f"{n}={json.dumps(parameters[n])}" for n in sorted(set(parameters) - set(known))]
    return words + [word for pin in pins if len(pin) <= MAX_PIN for word in ("--pin", pin)]
