"""What reads hostile text has limits of time and memory, and a label where it reaches them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from harness import bounded
from harness.bounded import CPU_S, OverLimit, ReaderLost, ReadingLimits, run_bounded, run_limited
from harness.grade import sast
from harness.grade.apply import Applied, examine
from harness.grade.bounded import read_bounded
from harness.grade.building import Failed
from harness.grade.candidate import read_candidate
from harness.grade.crash_reports import UNREAD, read_crashes
from harness.grade.decide import Cause, Decided
from harness.grade.steps.scan import scan_files
from harness.grade.suite_reports import read_report
from harness.grade.testing import SuiteRun, judge
from harness.grade.verdict import Label
from parsers.patch import parse_patch
from tests.harness.grade.worst_tables import MENDED, NAMES_OF_PAIRS, cpu_seconds, most_bytes

PATCH = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
SCRIPT = """\
import signal, sys, threading, time
from harness.bounded import run_bounded
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell runs it beside
from tests.harness.grade.test_bounded import spin
run_bounded(len, b"")
print(flush=True)
threading.Thread(target=run_bounded, args=(spin, sys.argv[1]), daemon=True).start()
time.sleep(600)
"""
ROOT = Path(__file__).parents[3]


def spin(mark: str = "") -> NoReturn:
    """Read for ever; with a mark, note the own process first."""
    if mark:
        Path(mark).write_text(str(os.getpid()), "ascii")
    while True:
        pass


def spin_on(*_: object, **__: object) -> NoReturn:
    spin()


def fail_with_evidence() -> NoReturn:
    raise Failed("build", "why", {"status": 1}, Cause.NOT_BUILT)


def fill_memory() -> int:
    return len([bytes(1 << 20) for _ in range(1 << 20)])


def kill_itself() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def return_a_lambda() -> object:
    return lambda: 0


@pytest.fixture
def one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "ReadingLimits", partial(ReadingLimits, cpu=1))


def test_the_result_is_that_of_the_function() -> None:
    assert run_bounded(parse_patch, PATCH) == parse_patch(PATCH)


def test_what_it_raises_comes_with_its_fields() -> None:
    with pytest.raises(Failed) as failed:
        run_bounded(fail_with_evidence)
    assert (failed.value.label, failed.value.reason) == (Label.CE, "why")
    assert (failed.value.step, failed.value.evidence) == ("build", {"status": 1})
    assert "fail_with_evidence" in failed.value.__notes__[0]


def test_a_decision_comes_from_a_worker_as_from_here() -> None:
    for patch in (b"", b"no patch"):
        with pytest.raises(Decided) as here:
            read_candidate(patch)
        with pytest.raises(Decided) as there:
            examine(patch)
        assert (there.value.cause, there.value.reason) == (here.value.cause, here.value.reason)


@pytest.mark.slow
def test_processor_time_has_a_limit() -> None:
    with pytest.raises(OverLimit, match="more than 1 s"):
        run_limited(ReadingLimits(cpu=1), spin)


@pytest.mark.slow
def test_arguments_give_further_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "CPU_S_PER_MIB", 1)
    with pytest.raises(OverLimit, match="more than 2 s"):
        run_limited(ReadingLimits(cpu=1), spin_on, bytes(1 << 20))


def test_memory_has_a_limit() -> None:
    with pytest.raises(OverLimit, match="more than 256 MiB of memory"):
        run_limited(ReadingLimits(memory=256 << 20), fill_memory)


def test_a_worker_that_is_killed_is_nobodys_fault() -> None:
    with pytest.raises(ReaderLost):
        run_bounded(kill_itself)


def test_a_result_that_cannot_be_pickled_is_no_limit() -> None:
    with pytest.raises(RuntimeError, match="pickled"):
        run_bounded(return_a_lambda)


def test_a_server_that_is_killed_is_replaced() -> None:
    run_bounded(len, b"")
    process: Any = bounded._SERVER._process
    process.kill()
    process.wait()
    assert run_bounded(len, b"abc") == 3
    assert bounded._SERVER._process.pid != process.pid  # type: ignore[union-attr]


def test_threads_read_at_the_same_time() -> None:
    with ThreadPoolExecutor(8) as pool:
        sizes = pool.map(lambda n: run_bounded(len, bytes(n << 16)), range(24))
    assert list(sizes) == [n << 16 for n in range(24)]


def test_a_forked_process_starts_a_server_of_its_own() -> None:
    run_bounded(len, b"")
    child = os.fork()
    if child == 0:
        try:
            os._exit(run_bounded(len, b"ab") if bounded._SERVER._process is None else 9)
        finally:
            os._exit(8)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    assert run_bounded(len, b"a") == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_process_that_ends(number: signal.Signals, tmp_path: Path) -> None:
    """A script without a main guard, which is ended while a worker reads."""
    mark = tmp_path / "worker"
    argv = [sys.executable, "-c", SCRIPT, str(mark)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT) as one:
        assert one.stdout is not None and one.stdout.readline() == b"\n"
        while not (mark.exists() and mark.read_text("ascii")):
            time.sleep(0.05)
        one.send_signal(number)
        one.wait()
    worker = Path("/proc", mark.read_text("ascii"), "stat")
    for _ in range(200):  # who ends it does so at once, and not after the 20 s of its limit
        if not worker.exists() or worker.read_text("ascii").rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the worker goes on")


@pytest.mark.slow
@pytest.mark.usefixtures("one_second")
def test_a_patch_over_a_limit_is_refused() -> None:
    with pytest.raises(Decided) as decided:
        read_bounded("the patch", spin)
    assert decided.value.label is Label.CE
    assert decided.value.reason == "refused: the patch takes too long to read: more than 1 s"


@pytest.mark.slow
@pytest.mark.usefixtures("one_second")
def test_files_over_a_limit_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sast.compare.__globals__, "ScanFiles", spin_on)
    job: Any = SimpleNamespace(patch=SimpleNamespace(facts=parse_patch(PATCH)))
    with pytest.raises(Decided) as decided:
        scan_files(job, Applied({}, {}, ()), scanner=SimpleNamespace())
    assert decided.value.label is Label.CE and "takes too long to read" in decided.value.reason


@pytest.mark.slow
@pytest.mark.usefixtures("one_second")
def test_a_report_over_a_limit_makes_the_suite_incorrect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.reports.parse", spin_on)
    report = read_report("tap", {"output": b"ok 1 - a\n1..1\n"}, 0, prefixed=False)
    assert not report.outcomes and not report.complete
    assert report.problems[0].startswith("the report cannot be told: it takes too long to read")
    done: Any = SimpleNamespace(stopped="", status=0)
    gold = {"outcomes": {"a": "passed"}, "unstable": [], "complete": True, "status": 0}
    assert (
        judge(gold, SuiteRun(done, report, {}))[0]
        == "1 of 1 tests that gold passes are lost (a: missing)"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("one_second")
def test_a_crash_log_over_a_limit_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.grade.crash_reports.parse_crashes", spin_on)
    assert read_crashes({"a": (b"x", 1), "b": (b"y", 0)}) == {"a": UNREAD, "b": UNREAD}


def test_crash_logs_are_read_each_with_its_status() -> None:
    read = read_crashes({"a": (b"", 139), "b": (b"", 0)})
    assert read["a"] is not None and read["a"].kind == "segv" and read["b"] is None


DAY_BYTES = 1 << 17
DAY_SECONDS = 5


@pytest.mark.slow
@pytest.mark.parametrize("pair", MENDED, ids="-".join)
def test_time_grows_as_the_text_does(pair: tuple[str, str, str]) -> None:
    """Texts that took time by the square, or too much of it: twice the text takes not three times as long."""
    one, two = (run_bounded(cpu_seconds, *pair, DAY_BYTES * times) for times in (1, 2))
    assert two < min(3 * one + 0.2, DAY_SECONDS)


@pytest.mark.nightly("16 MiB for each pair of a reader and a text, hours together")
@pytest.mark.parametrize("pair", NAMES_OF_PAIRS, ids="-".join)
def test_no_text_of_16_mib_reaches_the_limit(pair: tuple[str, str, str]) -> None:
    assert run_bounded(cpu_seconds, *pair, most_bytes(pair)) < CPU_S
