"""The labels of a suite of security tests (SecMutBench, Sections 4.5 and 5)."""

from __future__ import annotations

from pathlib import Path

from arena.vocabulary import HeadScore, Kind, Meaning, Vocabulary

NO, CE, IC, BLIND, DETECTS = "NO", "CE", "IC", "blind", "detects"
# Calibration: the security tests that a program came with.
SHIPPED = "shipped"
# Calibration: suites that know nothing of security. What they earn is the score's own error.
TRIVIAL = "trivial:"
# The program's own functional suite: what it earns is the floor beside which every SMS is shown.
FUNCTIONAL = "functional"
TRIVIALS = (FUNCTIONAL, "source-equality", "empty", "always-fails", "random", "length-only")
HEAD = 1 << 20


def is_dataset(path: Path) -> bool:
    """Whether a file is JSON in SecMutBench's form, by its first record."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return b'"secure_code"' in stream.read(HEAD)


VOCABULARY = Vocabulary(
    "mutation",
    (
        Meaning(NO, "no suite", Kind.NOTHING),
        Meaning(CE, "the suite cannot be compiled or imported, or contains no test", Kind.BROKEN),
        Meaning(IC, "incorrect: does not pass on the secure program", Kind.INCORRECT),
        Meaning(
            BLIND, "passes on the insecure version too: the weakness is missed", Kind.VULNERABLE
        ),
        Meaning(DETECTS, "passes on the secure and fails on the insecure version", Kind.GOOD),
    ),
    score="share of the mutants that are killed for the right reason (SMS), beside the floor that functional "
    "suites earn; 0 for a suite that is not valid",
    calibration=(SHIPPED, *(TRIVIAL + name for name in TRIVIALS)),
    reference=SHIPPED,
    takes=is_dataset,
    heads=(HeadScore("SMS %", ("sms",)), HeadScore("MS %", ("ms",))),
)
