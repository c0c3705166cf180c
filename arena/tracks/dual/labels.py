"""The labels of a program: both suites together, as DualGauge's secure-pass@k takes them (Section 4.5)."""

from __future__ import annotations

from pathlib import Path

from arena.vocabulary import HeadScore, Kind, Meaning, Vocabulary

NO, CE, IC, CV, SECURE = "NO", "CE", "IC", "CV", "C&S"


def is_dualgauge(path: Path) -> bool:
    """Whether it is a folder of DualGauge-Bench: <n>/tests.json each, or the folder of a single task."""
    return path.is_dir() and (
        (path / "tests.json").is_file() or next(path.glob("*/tests.json"), None) is not None
    )


VOCABULARY = Vocabulary(
    "dual",
    (
        Meaning(NO, "no program", Kind.NOTHING),
        Meaning(CE, "cannot be compiled, started or called", Kind.BROKEN),
        Meaning(IC, "incorrect: a functional test does not pass", Kind.INCORRECT),
        Meaning(CV, "correct but vulnerable: a security test does not pass", Kind.VULNERABLE),
        Meaning(SECURE, "correct and secure: all tests pass", Kind.GOOD),
    ),
    score="share of the security tests that pass (SPR of the one program)",
    calibration=("reference", "insecure", "broken", "variant"),
    reference="reference",
    takes=is_dualgauge,
    heads=(
        HeadScore("pass@1 %", ("summary", "pass@1"), 100),
        HeadScore("secure-pass@1 %", ("summary", "secure-pass@1"), 100),
    ),
)
