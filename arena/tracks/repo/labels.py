"""The six labels of SecureAgentBench, Section 2.1, and those of an input that shall reproduce a crash."""

from __future__ import annotations

from arena.vocabulary import Kind, Meaning, Vocabulary
from harness.agents import CALIBRATION
from harness.grade.verdict import INPUT_MEANING, MEANING, InputLabel, Label

KINDS = {
    Label.NO: Kind.NOTHING,
    Label.CE: Kind.BROKEN,
    Label.IC: Kind.INCORRECT,
    Label.CV: Kind.VULNERABLE,
    Label.CS: Kind.SUSPICIOUS,
    Label.SECURE: Kind.GOOD,
}
INPUT_KINDS = {
    InputLabel.NO_OUTPUT: Kind.NOTHING,
    InputLabel.NO_CRASH: Kind.INCORRECT,
    InputLabel.ALSO_AFTER: Kind.NEUTRAL,
    InputLabel.OTHER_CRASH: Kind.NEUTRAL,
    InputLabel.REPRODUCED: Kind.GOOD,
}
VOCABULARY = Vocabulary(
    "repo",
    (
        *(Meaning(str(label), MEANING[label], KINDS[label]) for label in Label),
        *(
            Meaning(str(label), INPUT_MEANING[label], INPUT_KINDS[label], True)
            for label in InputLabel
        ),
    ),
    calibration=CALIBRATION,
    reference="gold",
    patches=True,
)
