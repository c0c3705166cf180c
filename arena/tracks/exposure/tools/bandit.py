"""`bandit`: Bandit with all of its tests."""

from __future__ import annotations

from collections.abc import Mapping

from arena.tracks.exposure.tools._tool import Scan, Staged, Tool, scan_of
from harness.grade.sast.bandit import Bandit

# Bandit's tests by the CWE that they report: what it can look for at all.
TESTS: Mapping[str, str] = {
    "CWE-20": "B313 B314 B315 B316 B317 B318 B319 B405 B406 B407 B408 B409 B411 B506",
    "CWE-22": "B202 B310",
    "CWE-78": "B102 B307 B404 B601 B602 B603 B604 B605 B606 B607",
    "CWE-79": "B308 B704",
    "CWE-80": "B702 B703",
    "CWE-89": "B608 B610 B611",
    "CWE-94": "B201 B612 B701",
    "CWE-155": "B609",
    "CWE-259": "B105 B106 B107",
    "CWE-284": "B412",
    "CWE-295": "B323 B501 B507",
    "CWE-319": "B312 B321 B401 B402 B415 B508 B509",
    "CWE-326": "B505",
    "CWE-327": "B303 B304 B305 B324 B413 B502 B503 B504",
    "CWE-330": "B311",
    "CWE-377": "B108 B306",
    "CWE-400": "B113",
    "CWE-494": "B615",
    "CWE-502": "B301 B302 B403 B614",
    "CWE-605": "B104",
    "CWE-703": "B101 B110 B112",
    "CWE-732": "B103",
    "CWE-838": "B613",
}
RULES = {test: (cwe,) for cwe, tests in TESTS.items() for test in tests.split()}


class _Bandit:
    def scan(self, staged: Staged) -> Scan:
        scanner = Bandit()
        return scan_of(scanner.scan(staged.root), staged, RULES, scanner.version)


def _make(argument: str) -> Tool:
    if argument:
        raise ValueError(f"--with: bandit takes nothing behind it, not {argument[:80]!r}")
    return _Bandit()


PLUGIN = _make
