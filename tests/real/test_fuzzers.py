"""What fuzzers print at a crash: libFuzzer of each clang to be had, AFL++'s driver of this Debian and of a newer one.

honggfuzz is in neither. AFL++'s own programs keep a crash and print no report; replayed, its driver does.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.crashes import read_crash
from tests.real.defects import SOURCES
from tests.real.releases import ROW
from tests.real.toolchains import (
    NewerDebianMissing,
    enter,
    installed_compilers,
    newer_debian,
)

pytestmark = pytest.mark.real
WORK = "tmp/arena-fuzzers"
FLAGS = "-g -O1 -fno-optimize-sibling-calls -fsanitize=fuzzer,address"
RUN_TIMEOUT_S = 60
# The kind of a crash, "" where there is none, and its functions.
Reading = tuple[str, list[str]]
TARGET = "LLVMFuzzerTestOneInput"
LIBFUZZER: dict[str, Reading] = {
    "o": ("heap-buffer-overflow", ["overflow", TARGET]),
    "a": ("deadly-signal", ["stop", TARGET]),
    "f": ("segv", ["fault", TARGET]),
    "h": ("timeout", ["hang", TARGET]),
    "x": ("fuzz-target-exited", ["leave", TARGET]),
    "c": ("", []),
}
AFL: dict[str, Reading] = {
    "o": ("heap-buffer-overflow", ["overflow", TARGET, "main"]),
    "a": ("abrt", []),  # its driver handles no signal, and ASan leaves SIGABRT alone
    "f": ("segv", ["fault", TARGET, "main"]),
    "x": ("", []),
    "c": ("", []),
}


def systems() -> Iterator[Path]:
    """The roots of this Debian and of a newer one."""
    yield Path("/")
    try:
        yield newer_debian()
    except NewerDebianMissing as missing:
        print(f"no newer Debian: {missing}")


def read_inputs(root: Path, compiler: str, truth: dict[str, Reading]) -> dict[str, Reading]:
    """What is read of a run on each input, and of a fuzzing run that has the first among its seeds."""
    work = root / WORK
    shutil.rmtree(work, ignore_errors=True)
    (work / "seeds").mkdir(parents=True)
    shutil.copy(SOURCES / "fuzz_target.c", work)
    for letter in truth:
        (work / letter).write_text(f"{letter}bcdefgh")
    (work / "seeds/o").write_text("obcdefgh")
    build = f"cd /{WORK} && AFL_QUIET=1 {compiler} {FLAGS} fuzz_target.c -o target"
    subprocess.run(enter(root, ["sh", "-c", build]), check=True, capture_output=True, timeout=240)
    runs = {letter: f"-timeout=2 {letter}" for letter in truth}
    if "afl" in compiler:
        runs = {letter: letter for letter in truth}
    else:
        runs["seeds"] = "-runs=1000 seeds"
    readings: dict[str, Reading] = {}
    for name, arguments in runs.items():
        script = f"cd /{WORK} && timeout {RUN_TIMEOUT_S} ./target {arguments} 2>&1"
        command = enter(root, ["sh", "-c", script])
        done = subprocess.run(command, check=False, capture_output=True, timeout=2 * RUN_TIMEOUT_S)
        reading = read_crash(done.stdout.decode("utf-8", "replace"), done.returncode)
        assert reading.problem == "", (name, reading.problem)
        crash = reading.crash
        frames = [frame.function for frame in crash.frames] if crash else []
        readings[name] = (crash.kind if crash else "", frames)
    shutil.rmtree(work)
    return readings


def test_libfuzzer_of_each_clang(request: pytest.FixtureRequest) -> None:
    clangs = {
        chain.name: chain
        for root in systems()
        for chain in installed_compilers(root)
        if chain.family == "clang"
    }
    assert clangs
    due = LIBFUZZER | {"seeds": LIBFUZZER["o"]}
    came = {name: read_inputs(chain.root, chain.c[0], LIBFUZZER) for name, chain in clangs.items()}
    request.node.user_properties.append((ROW, f"| libFuzzer | | {', '.join(came)} | |"))
    assert came == dict.fromkeys(clangs, due)


def test_the_driver_of_aflplusplus(request: pytest.FixtureRequest) -> None:
    roots = [root for root in systems() if (root / "usr/bin/afl-clang-fast").exists()]
    assert roots
    came = [read_inputs(root, "afl-clang-fast", AFL) for root in roots]
    request.node.user_properties.append((ROW, f"| AFL++ | | {len(roots)} of Debian's releases | |"))
    assert came == [AFL] * len(roots)
