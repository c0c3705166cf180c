"""The labels of one suite of security tests (SecMutBench, Sections 4.5 and 5)."""

from __future__ import annotations

from arena.vocabulary import Kind, Meaning, Vocabulary

NO, CE, IC, BLIND, DETECTS = "NO", "CE", "IC", "blind", "detects"
SHIPPED = "shipped"
"""Calibration: the security tests that a program came with."""
VOCABULARY = Vocabulary(
    "mutation",
    (
        Meaning(NO, "no suite", Kind.NOTHING),
        Meaning(CE, "the suite cannot be compiled or imported, or holds no test", Kind.BROKEN),
        Meaning(IC, "incorrect: does not pass on the secure program", Kind.INCORRECT),
        Meaning(
            BLIND, "passes on the insecure version too: the weakness is missed", Kind.VULNERABLE
        ),
        Meaning(DETECTS, "passes on the secure and fails on the insecure version", Kind.GOOD),
    ),
    score="share of the mutants that are killed for the right reason (SMS); 0 for a suite that is not valid",
    calibration=(SHIPPED,),
)
