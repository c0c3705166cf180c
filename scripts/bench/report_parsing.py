"""What reading large outputs costs here compared with a second checkout of the project, by turns.

    .venv/bin/python scripts/bench/report_parsing.py CHECKOUT [--rounds N] [--megabytes N]

CHECKOUT comes from `git worktree add CHECKOUT COMMIT`, and runs with the packages of this checkout. Printed
are the medians of the CPU seconds of each reading, and of the ratios of two consecutive readings.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
READER = """
import sys, time
from parsers import crashes, reports
from reading_inputs import INPUTS
text, read = INPUTS[sys.argv[1]](int(sys.argv[2]), crashes, reports)
for _ in sys.stdin:
    began = time.process_time()
    read(text)
    print(time.process_time() - began, flush=True)
"""
INPUTS = '''
PLAIN = "2931 parsed 17 records of block 4, nothing to report; next offset 0x1f40\\n"
MIXED = "[info] request 17: WARNING: cache miss for key user:17 (status 200), retrying\\n"
CRASH = """==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011 at pc 0x1 bp 0x2 sp 0x3
READ of size 1 at 0x602000000011 thread T0
    #0 0x55ae72d81399 in read_one /src/a.c:9
    #1 0x55ae72d818fd in main /src/a.c:20

SUMMARY: AddressSanitizer: heap-use-after-free /src/a.c:9 in read_one
"""

def log(line, crash):
    def make(size, crashes, reports):
        text = line * (size // len(line)) + crash
        return text, lambda text: crashes.parse_crash(text, 1)
    return make

def report(format, opening, form, closing, between=""):
    def make(size, crashes, reports):
        lines, total = [], 0
        while total < size:
            lines.append(form.format(len(lines) + 1) + between)
            total += len(lines[-1])
        ends = [text.format(len(lines)) for text in (opening, closing)]
        data = "".join([ends[0], *lines, ends[1]]).encode()
        return data, lambda data: reports.parse(format, {"log": data}, 0)
    return make

def tap(form):
    return report("tap", "1..{0}\\n", form, "")

def check(between):
    opening = "Running suite(s): Core\\n100%: Checks: {0}, Failures: 0, Errors: 0\\n"
    form = "tests/a.c:{0}:P:limits:reads_block_{0}:0: Passed\\n"
    return report("check", opening, form, "", between)

def ctest(between):
    start = "      Start {0}: reads_block_{0}\\n"
    form = "{0}/{0} Test #{0}: reads_block_{0} ...........   Passed    0.00 sec\\n"
    closing = "\\n100% tests passed, 0 tests failed out of {0}\\n"
    return report("ctest", "", start + form, closing, between)

INPUTS = {
    "plain log, crash at its end": log(PLAIN, CRASH),
    "plain log, no crash": log(PLAIN, ""),
    "log of many warnings, crash at its end": log(MIXED, CRASH),
    "TAP": tap("ok {0} reads block {0}\\n"),
    "TAP, words": tap("ok {0} reads block {0} of the file\\n"),
    "TAP, times in names": tap("ok {0} reads block {0} of the file in 22ms\\n"),
    "TAP, times in brackets": tap("ok {0} - core::reads_block{0}::of_file  (0.01s)\\n"),
    "Check, results only": check(""),
    "CTest, results only": ctest(""),
    "Check, results in a log": check(PLAIN * 4),
    "CTest, results in a log": ctest(PLAIN * 4),
}
'''
KINDS = (
    "plain log, crash at its end",
    "plain log, no crash",
    "log of many warnings, crash at its end",
    "TAP",
    "TAP, words",
    "TAP, times in names",
    "TAP, times in brackets",
    "Check, results only",
    "CTest, results only",
    "Check, results in a log",
    "CTest, results in a log",
)
# Inputs a tenth as large: readers stop at a number of results.
RESULTS_ONLY = ("TAP", "Check, results only", "CTest, results only")


class Reading:
    """A process of a checkout that reads an input on request."""

    def __init__(self, checkout: Path, kind: str, size: int, helper: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", READER, kind, str(size)],
            env={**os.environ, "PYTHONPATH": f"{checkout}:{helper}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run_once(self) -> float:
        """CPU seconds of a reading."""
        if self._process.stdin is None or self._process.stdout is None:
            raise SystemExit("no pipe")
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        """Let the process end."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=60)


def compare(kind: str, checkout: Path, size: int, rounds: int, helper: Path) -> str:
    """A line: what a reading costs there and here, and the ratio."""
    both = [Reading(path, kind, size, helper) for path in (checkout, HERE)]
    for each in both:
        each.run_once()
    pairs = [[each.run_once() for each in both] for _ in range(rounds)]
    for each in both:
        each.end()
    there, here = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(here / there for there, here in pairs)
    return f"{kind}: there {there:.3f} s, here {here:.3f} s, ratio {ratio:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--only", default="", help="inputs whose name has this in it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as helper:
        (Path(helper) / "reading_inputs.py").write_text(INPUTS)
        for kind in KINDS:
            if args.only in kind:
                size = args.megabytes * 1_000_000 // (10 if kind.startswith(RESULTS_ONLY) else 1)
                line = compare(kind, args.checkout.resolve(), size, args.rounds, Path(helper))
                print(line, flush=True)


if __name__ == "__main__":
    main()
