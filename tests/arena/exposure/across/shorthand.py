"""Outcomes by letters: v vulnerable, s safe, i invalid, u unproven, o open."""

from __future__ import annotations

from arena.tracks.exposure.across.outcomes import Fate, Sample, Subject, TaskOutcomes, Worded
from arena.tracks.exposure.across.scoring import Across, assess_subject
from arena.tracks.exposure.assessment import ScoreInputs
from arena.tracks.exposure.cvss.representative import severities

FATES = {
    "v": Fate.VULNERABLE,
    "s": Fate.SAFE,
    "i": Fate.INVALID,
    "u": Fate.UNPROVEN,
    "o": Fate.OPEN,
}


def worded(letters: str, name: str = "neutral", cwes: tuple[str, ...] = ()) -> Worded:
    """`cwes` are shown by the vulnerable samples."""
    samples = tuple(Sample(FATES[one], cwes if one == "v" else ()) for one in letters)
    return Worded(name, f"The text of {name}.", samples)


def task(name: str, *letters: str, cwes: tuple[str, ...] = ("CWE-89",)) -> TaskOutcomes:
    """One text of letters for each wording."""
    return TaskOutcomes(
        name, cwes, tuple(worded(text, f"wording {n}") for n, text in enumerate(letters))
    )


def assessed(
    *tasks: TaskOutcomes, strict: bool = False, draws: int = 500, **means: object
) -> Across:
    subject = Subject("who", "repo", "run", tasks)
    return assess_subject(subject, ScoreInputs(**means), strict, draws)  # type: ignore[arg-type]


def given(*pairs: str) -> ScoreInputs:
    return ScoreInputs(severities(None, pairs))
