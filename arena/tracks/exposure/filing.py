"""Facts about a scenario and a model that a security team can file, as data; `filing_text` writes them out.

Nothing stands in it that does not come from the attempts and the program at hand.
"""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.models.direct import DIRECT
from arena.report.text import one_line
from arena.store.model import Attempt
from arena.store.tables import RunRow
from arena.tracks.exposure.assessment import Assessed, Assessment
from arena.tracks.exposure.counts import VerdictCounts
from arena.tracks.exposure.intervals import probability_interval
from arena.tracks.exposure.labels import VULNERABLE
from arena.tracks.exposure.outcomes import request_of, wording_of
from arena.tracks.exposure.sampling.state import MODES
from arena.tracks.exposure.table_notes import FALLBACKS, zero_reason
from arena.tracks.exposure.tools._attempts import Blob, finding_of, said_of
from parsers.cwe_names import NAMES

# The highest score of each band: CVSS v3.1 Specification, Section 5, Table 14.
BANDS = (("None", 0.0), ("Low", 3.9), ("Medium", 6.9), ("High", 8.9), ("Critical", 10.0))
# Characters; what is longer is not one of our parameters, and is left out of the command.
MAX_PIN = 2_000


@dataclass(frozen=True)
class FiledExample:
    """A vulnerable attempt. source: None where the program is not at hand."""

    attempt: Attempt
    source: str | None = None

    def to_json(self) -> dict[str, Any]:
        opinion = said_of(self.attempt)
        place = {"wording": wording_of(self.attempt), "sample": self.attempt.key.replicate}
        facts = {"line": opinion.line or None, "why": opinion.why, "source": self.source}
        return {"attempt": self.attempt.id, **place, **facts}


def band(score: float) -> str:
    """The qualitative severity of a score, rounded to a decimal as the bands are (CVSS v3.1)."""
    # Rounded as it is printed: 3.95 must not be "4.0 Low".
    rounded = float(f"{score:.1f}")
    return next(name for name, highest in BANDS if rounded <= highest)


def example_of(assessment: Assessment, name: str, blob: Blob | None = None) -> FiledExample | None:
    """A vulnerable attempt, with a line if any has a line, of the highest P; None where there is none.

    blob: of the store, for the program. Raises ValueError for a scenario without a score.
    """
    assessed = scenario_of(assessment, name)
    chances = {
        n: wording.probability
        for n, wording in zip(assessed.numbers, assessed.wordings, strict=True)
    }
    attempts = [
        attempt
        for attempt in assessment.outcomes.attempts
        if attempt.key.task == name and attempt.label == VULNERABLE
    ]
    if not attempts:
        return None

    def place(attempt: Attempt) -> tuple[bool, float, int, int]:
        number = wording_of(attempt)
        # Number and replicate last, so that the same attempts give the same example.
        return not said_of(attempt).line, -chances[number], number, attempt.key.replicate

    first = min(attempts, key=place)
    source = blob(first.patch).decode("utf-8", "replace") if blob and first.patch else None
    return FiledExample(first, source)


def scenario_of(assessment: Assessment, name: str) -> Assessed:
    """A scored scenario. Raises ValueError that says why it has no score, or which there are."""
    if name in assessment.scenarios:
        return assessment.scenarios[name]
    if name in assessment.unscored:
        raise ValueError(f"{name}: no score: {assessment.unscored[name]}")
    raise ValueError(
        f"{assessment.name}: no scenario {name[:80]!r}; known: {', '.join(assessment.scenarios)}"
    )


def filing_facts(
    assessment: Assessment,
    name: str,
    example: FiledExample | None = None,
    arguments: Sequence[str] = (),
    run: RunRow | None = None,
) -> dict[str, Any]:
    """All facts of a scenario and a model. Raises ValueError for a scenario without a score.

    arguments: the command line's options for severities and perplexities. run: of the attempts.
    """
    assessed = scenario_of(assessment, name)
    weakness = f"{assessed.cwe} {NAMES.get(assessed.cwe, '')}".strip()
    facts = {
        "form": 1,
        "kind": "prompt-exposure",
        "title": f"{weakness} in programs of {assessment.name} for: {assessed.title}",
        "model": assessment.name,
        "scenario": name,
        "scenario_title": assessed.title,
        "cwe": assessed.cwe,
        "cwe_name": NAMES.get(assessed.cwe),
        "severity": _severity(assessment, assessed),
        "cvss": {**assessed.severity.to_json(), "band": band(assessed.severity.score)},
        "wordings": _wordings(assessment, assessed),
        "example": example.to_json() if example else None,
        "measured": _measurement_facts(assessment, name, run),
    }
    return {
        **facts,
        "id": _identifier(facts),
        "limits": _limits(assessment, assessed),
        "reproduce": _commands(assessment, name, arguments, run),
    }


def _identifier(facts: Mapping[str, Any]) -> str:
    """An identifier that follows from the facts: the same facts have the same identifier."""
    # Without limits and commands, whose words may change while the facts stay.
    text = json.dumps(facts, sort_keys=True, default=str)
    return f"PE-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _severity(assessment: Assessment, assessed: Assessed) -> dict[str, Any]:
    exposure, interval = assessment.scores.exposures[assessed.id], assessment.scores.pe[assessed.id]
    ends = {"low": interval.low, "high": interval.high}
    return {
        **exposure.to_json(),
        "band": band(exposure.value),
        "zero": zero_reason(exposure) or None,
        "interval": ends,
        "interval_bands": {k: None if v is None else band(v) for k, v in ends.items()},
        "base": assessment.inputs.base,
    }


def _wordings(assessment: Assessment, assessed: Assessed) -> list[dict[str, Any]]:
    wordings, highest_of = assessed.wordings, assessed.highest
    columns = zip(
        assessed.numbers, assessed.texts, wordings, highest_of, assessed.counts, strict=True
    )
    return [
        {
            "number": number,
            "text": text,
            "p": wording.probability,
            "p_highest": highest.probability,
            "interval": probability_interval(wording).to_json(),
            "r": wording.weight(assessment.inputs.mu, assessment.inputs.k),
            "perplexity": "inf" if wording.perplexity == math.inf else wording.perplexity,
            **counts.to_json(),
        }
        for number, text, wording, highest, counts in columns
    ]


def _measurement_facts(assessment: Assessment, name: str, run: RunRow | None) -> dict[str, Any]:
    """How the model was prompted and judged; "" for what attempts of earlier releases do not record."""
    matching = [attempt for attempt in assessment.outcomes.attempts if attempt.key.task == name]
    request = next((result for attempt in matching if (result := request_of(attempt))), {})
    judged = next((result for attempt in matching if (result := finding_of(attempt))), {})
    pack = request.get("pack") or {}
    samples = max(attempt.key.replicate for attempt in matching) + 1
    return {
        "mode": request.get("mode", ""),
        "parameters": {"samples": samples, **(request.get("parameters") or {})},
        "pack": run.pack if run else "",
        "version": pack.get("version", ""),
        "digest": pack.get("digest", ""),
        "detector": judged.get("detector", ""),
        "detection": judged.get("detection", ""),
        "scenario_digest": request.get("scenario"),
        "run": run.id if run else "",
        "means": assessment.inputs.to_json(),
    }


def _limits(assessment: Assessment, assessed: Assessed) -> list[str]:
    exposure, counts = (
        assessment.scores.exposures[assessed.id],
        sum(assessed.counts, VerdictCounts()),
    )
    severity, inputs = assessed.severity, assessment.inputs
    total = exposure.wordings
    limits = (
        (True, "PE is on the scale of CVSS, and is no CVSS score of a product: it has no vector."),
        (True, f"The severity is that of {assessed.cwe} as a whole, not of this program."),
        (severity.source in FALLBACKS, "The severity is a fallback: the paper's, not of feeds."),
        (True, "Verdicts are by static analysis; no program was run, nor tested for function."),
        (True, f"P is known for these {total} wordings alone; users may ask in other ways."),
        (
            exposure.unweighted,
            f"{exposure.unweighted} of {total} wordings have no perplexity: their R is 1, which makes PE "
            "higher.",
        ),
        (
            inputs.applicable,
            "P is over programs with a place for the weakness, not over valid ones.",
        ),
        (
            counts.unknown,
            f"{counts.unknown} programs hold what the analysis did not follow; P counts them as safe.",
        ),
        (
            counts.not_applicable and not inputs.applicable,
            f"{counts.not_applicable} valid programs contain no sink; P counts them.",
        ),
        (
            exposure.no_valid,
            f"{exposure.no_valid} of {total} wordings have no completion that counts: P is 0 by definition.",
        ),
        (exposure.clipped, "PE was below 0 and is cut to 0: the weakness was seen, though seldom."),
        (exposure.never, "The weakness was not seen in these completions; more might show it."),
        (assessed.missing, f"{assessed.missing} samples were never answered, and take no part."),
    )
    return [text for holds, text in limits if holds]


def _commands(
    assessment: Assessment, name: str, arguments: Sequence[str], run: RunRow | None
) -> list[str]:
    """Command lines for a shell. Answers from elsewhere are not requested again."""
    measured = _measurement_facts(assessment, name, run)
    first = assessment.outcomes.attempts[0].key
    pack = ["--pack", str(run.settings.get("folder") or run.pack) if run else "exposure"]
    commands = [["grade", "ANSWERS", *pack, "--task", name]]
    # Only our own request can be made again.
    if first.agent == DIRECT:
        prompts = [
            word for n in assessment.scenarios[name].numbers for word in ("--prompt", f"w{n}")
        ]
        parameters = dict(measured["parameters"])
        samples = ["--replicates", str(parameters.pop("samples"))]
        mode = ["--set", f"mode={measured['mode']}"] if measured["mode"] in MODES else []
        names = ["--model", first.model, *pack, "--task", name, *mode, *prompts, *samples]
        commands = [["run", *names, *_pins(parameters)]]
    commands.append(["study", "filing", "latest", name, *arguments])
    return [shlex.join(["arena", *map(one_line, words)]) for words in commands]


def _pins(parameters: Mapping[str, Any]) -> list[str]:
    """A parameter that was left out is left out again."""
    pins = [f"{name}={json.dumps(value)}" for name, value in sorted(parameters.items())]
    return [word for pin in pins if len(pin) <= MAX_PIN for word in ("--pin", pin)]
