"""Texts of OSS-Fuzz reports, in old and new spellings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.building.cases.importers import Imported, Rejected
from arena.building.cases.importers._facts import plain
from arena.building.cases.importers._report_text import read_comments, read_report
from arena.building.cases.importers.oss_fuzz_report import NEWER
from tests.arena.building.case_sources import (
    FIX,
    OLD_REPORT,
    OTHER,
    URL,
    case_of,
    read,
    reason,
)

# report texts


def test_other_reports_in_the_comments_do_not_count() -> None:
    pasted = OLD_REPORT.replace("5000000000000001", "5999999999999999")
    first = OLD_REPORT.replace("Regressed:", "Was:")
    assert read_comments([first, pasted]).regressed == ""
    assert read_comments([first, OLD_REPORT]).regressed == "201801120659:201801140700"
    assert read_comments(["thanks!\nProject: other\n", first]).project == "brook"


@pytest.mark.parametrize(
    ("line", "fact", "value"),
    [
        ("Fuzz Target: x", "target", "x"),
        ("Fuzz target binary: x", "target", "x"),
        ("Fuzzer: afl_brook_x-y", "target", "x-y"),
        ("Fuzzer: afl_brook_x-y", "engine", "afl"),
        ("Fuzzing engine: libFuzzer", "engine", "libfuzzer"),
        ("Job Type: honggfuzz_asan_brook", "engine", "honggfuzz"),
        ("Minimized Testcase (0.1 Kb): https://x/?testcase_id=5001", "testcase", "5001"),
        ("Detailed report: https://x/testcase?key=5001", "testcase", "5001"),
        ("Security Severity: High", "severity", "High"),
        ("Regressed: r12345:r12399", "regressed", "r12345:r12399"),
        (
            "Regressed: https://x?range=201801120659:201801140700",
            "regressed",
            "201801120659:201801140700",
        ),
    ],
)
def test_old_and_new_spellings(line: str, fact: str, value: str) -> None:
    assert getattr(read_report(f"Project: brook\r\n{line}\r\n"), fact) == value


@example(["Crash State:", "0 \x1b"])
@given(st.lists(st.sampled_from([*OLD_REPORT.splitlines(), *NEWER.splitlines()]) | st.text()))
def test_any_text_is_read_within_bounds(lines: list[str]) -> None:
    report = read_report("\n".join(lines))
    assert len(report.state) <= 10
    values = [report.project, report.fix, report.regressed, report.engine, *report.state]
    assert all(value == plain(value, 10_000) for value in values)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["Crash State:\n" + "  f\n" * 300_000, ": " * 500_000, "(" * 10**6]
)
def test_reading_is_linear(text: str) -> None:
    before = time.process_time()
    read_report(text)
    assert time.process_time() - before < 2


def report_file(tmp_path: Path, text: str) -> Imported | Rejected:
    (tmp_path / "31.txt").write_text(text)
    (found,) = read(tmp_path / "31.txt")
    return found


def test_a_report_with_its_fix_is_a_case(tmp_path: Path) -> None:
    text = OLD_REPORT + f"Fix: {FIX}\nFix: {OTHER}\nRepository: {URL}\n"
    case = case_of(report_file(tmp_path, text))
    assert (case.id, case.source, case.project) == ("31", "oss-fuzz", "brook")
    assert (case.fix, case.repository) == ((FIX, OTHER), URL)
    assert case.oss_fuzz.testcase == "5000000000000001"


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ("", "add a line Fix: and a line Repository:"),
        (f"Fix: {FIX}\n", "add a line Repository:"),
        (f"Repository: {URL}\n", "add a line Fix:"),
        (f"Fix: abc\nRepository: {URL}\n", "'abc' is not 40 hexadecimal digits"),
        (f"Fix: {FIX}\nRepository: http://hg.x.org/y\n", "repository is Mercurial"),
    ],
)
def test_a_report_without_its_fix_says_what_to_add(tmp_path: Path, lines: str, part: str) -> None:
    assert part in reason(report_file(tmp_path, OLD_REPORT + lines))


@pytest.mark.parametrize(
    "link",
    ["https://x.org/a/b/commit/", "https://x.org/a/b/-/commit/", "https://x.org/a/b/+/"],
)
def test_the_address_of_a_fix_names_its_repository(tmp_path: Path, link: str) -> None:
    case = case_of(report_file(tmp_path, OLD_REPORT + f"Fix: {link}{FIX}\n"))
    assert (case.repository, case.fix) == ("https://x.org/a/b", (FIX,))
