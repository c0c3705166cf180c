"""`arena tasks check` warns of reports that a test can finish by printing, where a file is to be had."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from arena.tracks.repo import check
from harness.grade.grader import Grader
from parsers.registry import names
from parsers.reports import file_option, parse
from tasks.loader import load_pack

STARTER = Path("tasks/packs/starter")
CONSOLES = {
    "boost-test",
    "catch2-console",
    "cmocka",
    "cpputest",
    "doctest-console",
    "gtest",
    "qt-test",
}


def warnings_of(task_id: str) -> list[str]:
    (task,) = [task for task in load_pack(STARTER).tasks if task.id == task_id]
    found = check._console_reports(cast(Grader, None), task)
    return [f"{one.where}: {one.message}" for one in found]


def test_a_console_that_a_test_can_finish_is_warned_of_in_both_suites() -> None:
    first, second = warnings_of("wirepack-enum-labels")
    assert first.startswith("task.toml: tests.parser: cmocka reads what the tests' process prints")
    assert first.endswith("CMOCKA_MESSAGE_OUTPUT=xml CMOCKA_XML_FILE=FILE")
    assert second.startswith("task.toml: poc.tests.parser: cmocka")


@pytest.mark.parametrize("task_id", ["pixmill-tiled-pmz", "tarn-index-lookup", "brook-include"])
def test_files_and_runners_with_a_process_for_each_test_are_not(task_id: str) -> None:
    assert warnings_of(task_id) == []


def test_each_console_with_a_file_is_in_the_document() -> None:
    consoles = {name for name in names("parsers.reports") if file_option(name)}
    assert consoles == CONSOLES
    document = Path("docs/writing-a-task.md").read_text()
    assert [name for name in consoles if f"`{file_option(name)}`" not in document] == []
    assert file_option("auto") == file_option("gtest-xml") == file_option("ctest") == ""


# GoogleTest 1.15: a run of which Report.Middle printed all lines behind its own start and called _exit(0).
FORGED = """\
[==========] Running 3 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 3 tests from Report
[ RUN      ] Report.Before
[       OK ] Report.Before (0 ms)
[ RUN      ] Report.Middle
[       OK ] Report.Middle (0 ms)
[ RUN      ] Report.Zafter
[       OK ] Report.Zafter (0 ms)
[----------] 3 tests from Report (0 ms total)

[----------] Global test environment tear-down
[==========] 3 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 3 tests.
"""


def test_what_the_warning_is_for_the_text_passes_and_the_missing_file_does_not() -> None:
    assert parse("gtest", {"output": FORGED.encode()}, 0).complete
    assert not parse("gtest-xml", {}, 0).complete
