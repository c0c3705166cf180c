"""Judge as many completions as the paper samples of one model, on one core: CPU seconds and memory.

    .venv/bin/python scripts/bench/exposure.py [--rounds 5] [--completions 4675]

Programs are those of the detectors' corpora, each with a line of its own, so that none is like another.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "tests/arena/exposure/corpus"
PAPER = 17 * 11 * 25


def completions(count: int) -> Iterator[tuple[str, bytes]]:
    """(detector, program) for each of the 17 scenarios in turn."""
    from arena.tracks.exposure.tasks.pack import load_exposure

    scenarios = [one for one in load_exposure("exposure").scenarios if one.spec.paper]
    files = {
        one.spec.detector: cycle(sorted((CORPUS / one.spec.detector).glob("*/*.py")))
        for one in scenarios
    }
    for number, one in enumerate(islice(cycle(scenarios), count)):
        source = next(files[one.spec.detector]).read_bytes()
        yield one.spec.detector, source + b"\nlast_line_%d = %d\n" % (number, number)


def round_of(count: int) -> tuple[float, int]:
    """CPU seconds of one pass, and the peak of memory in KiB so far."""
    from arena.tracks.exposure.judging import judge

    started = time.process_time()
    for detector, source in completions(count):
        judge(source, detector)
    return time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--completions", type=int, default=PAPER)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    round_of(200)  # a warm process
    seconds, peaks = zip(
        *(round_of(options.completions) for _ in range(options.rounds)), strict=True
    )
    print(f"{options.completions} completions, {options.rounds} rounds, one core")
    print(
        f"CPU s: median {statistics.median(seconds):.1f}, {min(seconds):.1f} to {max(seconds):.1f}"
    )
    print(f"ms a completion: {statistics.median(seconds) / options.completions * 1000:.2f}")
    print(
        f"peak memory MiB: {peaks[0] / 1024:.0f} after the first round, {peaks[-1] / 1024:.0f} after the last"
    )


if __name__ == "__main__":
    main()
