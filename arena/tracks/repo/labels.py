"""The six labels of SecureAgentBench, Section 2.1."""

from __future__ import annotations

from arena.vocabulary import Kind, Meaning, Vocabulary
from harness.agents import CALIBRATION
from harness.grade.verdict import MEANING, Label

KINDS = {
    Label.NO: Kind.NOTHING,
    Label.CE: Kind.BROKEN,
    Label.IC: Kind.INCORRECT,
    Label.CV: Kind.VULNERABLE,
    Label.CS: Kind.SUSPICIOUS,
    Label.SECURE: Kind.GOOD,
}
VOCABULARY = Vocabulary(
    "repo",
    tuple(Meaning(str(label), MEANING[label], KINDS[label]) for label in Label),
    calibration=CALIBRATION,
    reference="gold",
    patches=True,
)
