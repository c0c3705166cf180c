"""Mutates the formats' examples at random for a time: `python tests/parsers/fuzz_reports.py 60`.

Holds that no text raises, and that a mutation which only removes text never adds a pass.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from parsers import reports
from parsers.outcomes import Outcome
from parsers.registry import lookup, names

PACKAGE = "parsers.reports"
EXAMPLES = [
    (name, example)
    for name in names(PACKAGE)
    for example in lookup(PACKAGE, name).examples
    if example.text
]
TEXTS = [(name, example.text.encode()) for name, example in EXAMPLES]
WHOLE = [(name, example.text.encode()) for name, example in EXAMPLES if example.complete]
TOKENS = [
    b"\x1b[31m", b"\r", b"\x00", b"\xff", b"</testsuite>", b"<testcase/>", b"]]>", b"&x;", b"1..9",
    b"ok 1\n", b"not ok 2\n", b"    ", b"  ---\n", b"9" * 30, b"\n" * 5, b"[ RUN      ] x\n", b"...",
]  # fmt: skip


def mutate(data: bytes, rng: random.Random) -> bytes:
    """One to eight random edits: cut, double, swap, flip, insert, splice in another example."""
    for _ in range(rng.randint(1, 8)):
        start = rng.randint(0, len(data))
        end = min(len(data), start + rng.choice((1, 1, 5, 40, 400)))
        part = data[start:end]
        edits = (
            data[:start] + data[end:],
            data[:end] + part + data[end:],
            data[end:] + data[:end],
            data[:start] + bytes(b ^ (1 << rng.randrange(8)) for b in part) + data[end:],
            data[:start] + rng.choice(TOKENS) + data[start:],
            data[:start] + rng.choice(TEXTS)[1] + data[start:],
            data[:start],
        )
        data = rng.choice(edits)[:100_000]
    return data


def once(rng: random.Random) -> None:
    """One round; raises AssertionError, or whatever a parser raises."""
    name, data = rng.choice(TEXTS)
    mutated = mutate(data, rng)
    read_as = rng.choice((name, name, "auto", rng.choice(TEXTS)[0]))
    status = rng.choice((None, 0, 1, 139))
    report = reports.parse(read_as, {"x/y.trs": mutated}, status)
    assert all(isinstance(outcome, Outcome) for outcome in report.outcomes.values())
    assert report.complete or report.problems, mutated
    name, data = rng.choice(WHOLE)
    cut = reports.parse(name, {"x/y.trs": data[: rng.randint(0, len(data))]}, status)
    whole = reports.parse(name, {"x/y.trs": data}, status)
    passed = [list(r.outcomes.values()).count(Outcome.PASSED) for r in (cut, whole)]
    assert passed[0] <= passed[1], (name, data)


def main(seconds: float, seed: int) -> int:
    """Fuzz for `seconds`; returns how many rounds were made."""
    rng = random.Random(seed)
    end = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < end:
        once(rng)
        rounds += 1
    return rounds


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    print(f"{main(float(sys.argv[1]) if len(sys.argv) > 1 else 60, seed)} rounds")
