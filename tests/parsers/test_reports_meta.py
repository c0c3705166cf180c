"""What holds for every report format; a new file in parsers/reports is tested by being there."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import reports
from parsers.outcomes import Level, Outcome, TestReport
from parsers.registry import lookup, names
from parsers.reports import Example, ReportParser
from parsers.text import MAX_BYTES

PACKAGE = "parsers.reports"
FORMATS: list[ReportParser] = [lookup(PACKAGE, name) for name in names(PACKAGE)]
READING = [plugin for plugin in FORMATS if plugin.reads_text]
TEXTS = [example.text for plugin in READING for example in plugin.examples if example.text]
# Reports of whole runs: cutting one that is cut or forged already proves nothing.
WHOLE = [(p, e) for p in READING for e in p.examples if e.text and e.complete]
ROOT = Path(__file__).resolve().parents[2]
# One for each way of reading; the others share it.
QUICK = [p for p in FORMATS if p.name in ("tap", "junit", "gtest-json")]
GOOD = Outcome.PASSED
LAUGHS = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
)


def ids(plugin: ReportParser) -> str:
    return plugin.name


def read(plugin: ReportParser, example: Example, text: str) -> TestReport:
    return reports.parse(plugin.name, {example.source: text.encode()}, example.status)


def passes(report: TestReport) -> int:
    return sum(outcome is GOOD for outcome in report.outcomes.values())


@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_examples_parse_as_stated(plugin: ReportParser) -> None:
    for example in plugin.examples:
        report = read(plugin, example, example.text)
        assert report.outcomes == example.outcomes, example.why
        assert report.complete is example.complete, (example.why, report.problems)
        assert report.level == example.level, example.why
        assert report.complete or report.problems, example.why


@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_the_file_is_named_as_the_format(plugin: ReportParser) -> None:
    assert lookup(PACKAGE, plugin.name) is plugin
    assert len({example.why for example in plugin.examples}) == len(plugin.examples)


@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_each_file_says_what_makes_a_report_whole(plugin: ReportParser) -> None:
    module = import_module(f"{PACKAGE}.{plugin.name.replace('-', '_')}")
    assert re.search(r"^Whole: ", module.__doc__ or "", re.MULTILINE)


JUNIT = next(e.text for p in FORMATS if p.name == "junit" for e in p.examples if e.complete)


@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_auto_never_takes_what_a_document_quotes(plugin: ReportParser) -> None:
    for example in plugin.examples:
        quoted = f"<system-out><![CDATA[\n{example.text}\n]]></system-out></testsuite>"
        text = JUNIT.replace("</testsuite>", quoted)
        assert reports.detect(text) == "junit", example.why
        assert reports.detect(f"configuring\n{text}") in ("junit", None), example.why


@pytest.mark.parametrize("plugin", READING, ids=ids)
def test_a_log_without_tests_is_neither_tests_nor_whole(plugin: ReportParser) -> None:
    for text in ("", "\n", " \n\n", "\ufeff", "hello\n", "make: *** Error 2\n"):
        for status in (0, 1, None):
            report = reports.parse(plugin.name, {"log": text.encode()}, status)
            assert report.outcomes == {}, (text, status)
            assert not report.complete and report.problems, (text, status)


@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_each_format_can_say_passed_failed_and_crashed(plugin: ReportParser) -> None:
    said = {outcome for example in plugin.examples for outcome in example.outcomes.values()}
    assert {GOOD, Outcome.FAILED, plugin.crash} <= said
    assert plugin.crash in (Outcome.CRASHED, Outcome.ERROR, Outcome.FAILED)
    assert any(not example.complete for example in plugin.examples)


@pytest.mark.slow
@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_auto_picks_the_right_format(plugin: ReportParser) -> None:
    for example in plugin.examples:
        found = reports.detect(example.text)
        assert found == (plugin.name if example.text else None), example.why
        assert not example.text or plugin.detect(example.text), example.why


def check_cut(plugin: ReportParser, example: Example, end: int) -> None:
    whole, cut = read(plugin, example, example.text), read(plugin, example, example.text[:end])
    assert passes(cut) <= passes(whole)
    if example.joined or cut.level is not whole.level or cut.outcomes == whole.outcomes:
        return
    assert not (cut.complete and passes(cut) == len(cut.outcomes))


@pytest.mark.slow
@pytest.mark.parametrize("plugin", READING, ids=ids)
def test_a_report_cut_at_any_line_gains_nothing(plugin: ReportParser) -> None:
    for example in (example for one, example in WHOLE if one is plugin):
        end = 0
        for line in example.text.splitlines(keepends=True):
            check_cut(plugin, example, end)
            end += len(line)


@given(st.data())
def test_a_report_cut_anywhere_gains_nothing(data: st.DataObject) -> None:
    plugin, example = data.draw(st.sampled_from(WHOLE))
    check_cut(plugin, example, data.draw(st.integers(0, len(example.text))))


@pytest.mark.parametrize("plugin", FORMATS, ids=ids)
def test_saying_it_twice_makes_nothing_better(plugin: ReportParser) -> None:
    for example in plugin.examples:
        once = read(plugin, example, example.text)
        if once.level is not Level.CASES:
            continue  # counts are sums; a second report adds to them
        twice = read(plugin, example, example.text + example.text)
        for name, outcome in twice.outcomes.items():
            assert outcome is not GOOD or once.outcomes.get(name, GOOD) is GOOD, example.why


def noise() -> st.SearchStrategy[bytes]:
    lines = sorted({line.encode() for text in TEXTS for line in text.splitlines(keepends=True)})
    return st.lists(st.one_of(st.sampled_from(lines), st.binary(max_size=20)), max_size=40).map(
        b"".join
    )


@given(
    st.sampled_from(["auto", *names(PACKAGE)]),
    noise(),
    st.sampled_from([None, 0, 1, 139, -6, 2**70, -(2**70)]),
)
def test_no_text_raises(name: str, data: bytes, status: int | None) -> None:
    report = reports.parse(name, {"a/b.log": data, "c.log": b""}, status)
    assert all(isinstance(outcome, Outcome) for outcome in report.outcomes.values())
    assert all("\n" not in line for line in (*report.problems, *report.outcomes))


SIZE = 100_000_000
LARGE = (
    "one line", "lines", "spaces", "one tag", "unfinished escapes", "controls", "invalid UTF-8",
    "JSON of objects",
)  # fmt: skip
HOSTILE: dict[str, Callable[[], bytes]] = {
    "one line": lambda: b"x" * (MAX_BYTES - 1) + b"\n" + b"x" * SIZE,
    "lines": lambda: b"x\n" * (SIZE // 2),
    "spaces": lambda: b" " * (MAX_BYTES - 1) + b"\n" + b" " * SIZE,
    "one tag": lambda: b"<testsuites a='" + b"x" * SIZE,
    "unfinished escapes": lambda: b"\x1b[" * (SIZE // 20) + b"\x1b]" * (SIZE // 20),
    "controls": lambda: bytes(range(32)) * (SIZE // 320),
    "invalid UTF-8": lambda: b"\xff" * (SIZE // 4),
    "billion laughs": lambda: (
        f"{LAUGHS}]><testsuites><testcase name='&a11;'/></testsuites>".encode()
    ),
    "deep XML": lambda: ("<testsuites><testcase>" + "<a>" * 100_000).encode(),
    "deep suites": lambda: ("<testsuites>" + "<testsuite>" * 100_000).encode(),
    "deep suites that end": lambda: (
        "<testsuite>" * 100_000 + "<testcase/>" + "</testsuite>" * 100_000
    ).encode(),
    "deep JSON": lambda: b'{"tests": 1, "testsuites": ' + b"[" * 1_000_000,
    "JSON of objects": lambda: b'{"tests": 1, "testsuites": [' + b"{}," * 30_000_000,
    "digits": lambda: b"1.." + b"9" * 100_000 + b"\nok " + b"1" * 100_000,
}


def check_hostile(data: bytes, plugins: list[ReportParser]) -> None:
    for plugin in plugins:
        start = time.process_time()
        report = reports.parse(plugin.name, {"log": data}, 1)
        assert time.process_time() - start < 60, plugin.name
        assert GOOD not in report.outcomes.values()
        assert not report.complete or not plugin.reads_text
    assert reports.parse("auto", {"log": data}).outcomes == {}


@pytest.mark.slow
@pytest.mark.parametrize("what", [what for what in HOSTILE if what not in LARGE])
def test_nested_or_expanding_input_gives_nothing(what: str) -> None:
    check_hostile(HOSTILE[what](), FORMATS)


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
@pytest.mark.parametrize("what", LARGE)
def test_100_megabytes_end_soon_and_give_nothing(what: str) -> None:
    check_hostile(HOSTILE[what](), QUICK)


PIECES = """ |9|#|\\|. |ok |ok # |ok 1 - a |Test #1: a ... |1/1 Test |Suite a, Test |  Test: a ...|--- PASS: |\
=== RUN |[ RUN      ] |[==========] |a: |:|a:1:P:|test |test a ... |(signal: |{|}|<|</|<?xml |\
<testsuites |]]>|success: |test: |TEST(a, b)|: Entering test case "a"|: error: in "|TEST CASE:  |a:1 ERROR: |\
xok 1 |not ok 1 |&sol;|# ok - |(0.1s)|1 ms |: ok|# time=1|1.1: FAILED:|FAIL a |   a: |PASS: |# SKIP |... |1..|=|, where |\\#|ok\t|\t |FAIL\ta |<!--|\x1b[\
"""


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
@pytest.mark.parametrize("head", ["", "ok 1", "Suite a", "<testsuites><testcase>"])
def test_no_piece_repeated_on_one_line_takes_quadratic_time(head: str) -> None:
    for piece in PIECES.strip("\n").split("|"):
        # The newline matters: a last line without one is not read.
        data = (head + piece * (100_000 // len(piece)) + "\n").encode()
        for plugin in FORMATS:
            start = time.process_time()
            reports.parse(plugin.name, {"log": data}, 1)
            assert time.process_time() - start < 1, (piece, plugin.name)  # some 10 ms


BOUNDED = """
import resource, sys
from parsers import reports
from parsers.registry import lookup
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for name in sys.argv[1:]:
    text = max((e.text for e in lookup("parsers.reports", name).examples), key=len)
    data = (text * (40_000_000 // len(text))).encode()
    assert not reports.parse(name, {"log": data}).complete
"""


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["tap", "pytest-junit", "go-test", "gtest-json"])
def test_memory_is_bounded_for_endless_results(name: str) -> None:
    subprocess.run([sys.executable, "-c", BOUNDED, name], cwd=ROOT, check=True, timeout=120)


@pytest.mark.nightly("fuzzing for seconds: the properties run by day")
@pytest.mark.slow
def test_fuzzing_for_five_seconds_finds_nothing() -> None:
    fuzz = runpy.run_path(str(Path(__file__).with_name("fuzz_reports.py")))
    assert fuzz["main"](5, seed=1) > 10
