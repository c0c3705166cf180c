"""Test reports whose lines have a prefix: read as without it, or as what cannot be told."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import reports
from parsers.log_prefix import strip_prefixes
from parsers.registry import lookup, names
from parsers.reports import Example, ReportParser

FORMATS: list[ReportParser] = [
    lookup(reports.__name__, name) for name in names(reports.__name__) if name != "exit-status"
]
CASES = [(one, example) for one in FORMATS for example in one.examples if example.text]


def each_line(prefix: str) -> Callable[[str], str]:
    """Puts a prefix before each line, "{}" being the line's number in two digits."""

    def put(text: str) -> str:
        lines = text.split("\n")
        ends = lines.pop() if text.endswith("\n") else None
        put_before = (
            prefix.replace("{}", f"{number % 60:02}") + line for number, line in enumerate(lines)
        )
        return "\n".join(put_before) + ("\n" if ends is not None else "")

    return put


def as_docker_json(text: str) -> str:
    return "".join(
        json.dumps({"log": line, "stream": "stdout", "time": "2026-11-29T01:00:00.1Z"}, separators=(",", ":"))
        + "\n"
        for line in text.splitlines(keepends=True)
    )  # fmt: skip


PREFIXES: dict[str, Callable[[str], str]] = {
    "GitHub Actions": each_line("2026-11-29T01:02:{}.1234567Z "),
    "ISO with a zone": each_line("2026-11-29 01:02:{},123 +0100 "),
    "docker compose": each_line("tests-1  | "),
    "compose with times": each_line("tests-1  | 2026-11-29T01:02:{}.123Z "),
    "kubectl": each_line("[pod/tests-5c/main] "),
    "Kubernetes' file": each_line("2026-11-29T01:02:{}.123Z stdout F "),
    "ts": each_line("Nov 29 01:02:{} "),
    "buildkit": each_line("#12 3.{} "),
    "Docker's JSON": as_docker_json,
}


def read(plugin: ReportParser, example: Example, text: str) -> object:
    report = reports.parse(plugin.name, {example.source: text.encode()}, example.status)
    return report.outcomes, report.complete, report.level, report.problems


@given(st.sampled_from(CASES), st.sampled_from(sorted(PREFIXES)))
def test_any_format_with_a_prefix_is_read_as_without(
    case: tuple[ReportParser, Example], kind: str
) -> None:
    plugin, example = case
    text = PREFIXES[kind](example.text)
    assert text != example.text
    assert read(plugin, example, text) == read(plugin, example, example.text)
    assert reports.detect(text) == reports.detect(example.text)


@pytest.mark.parametrize("kind", PREFIXES)
def test_each_prefix_is_taken_away_whole(kind: str) -> None:
    text = "first\n\n    indented | 12:00:00 \n2026-11-29 01:02:03 of its own\n"
    assert strip_prefixes(PREFIXES[kind](text)).text == text


@pytest.mark.parametrize(("plugin", "example"), CASES)
def test_a_report_has_no_prefix_of_its_own(plugin: ReportParser, example: Example) -> None:
    assert strip_prefixes(example.text).text == example.text


def test_a_report_s_first_line_that_looks_like_a_prefix_stays() -> None:
    report = "test_a (m.A) ... x | y\n| z\n"
    dated = "".join(f"Nov 29 01:02:03 {line}\n" for line in ("my host: first", "second"))
    assert strip_prefixes(dated).text == "my host: first\nsecond\n"
    assert strip_prefixes(PREFIXES["ts"](report)).text == report


TAP = "1..2\nok 1 - a\nok 2 - b\n"


@pytest.mark.parametrize(
    "text",
    [
        "web-1  | 1..2\nweb-1  | ok 1 - a\nweb-2  | ok 2 - b\n",
        "2026-11-29T01:02:03Z 1..2\n2026-11-29T01:02:03Z ok 1 - a\nok 2 - b\n",
        as_docker_json(TAP).replace('{"log":"ok 1', '{"log":ok 1'),
    ],
    ids=["two containers", "a line without", "broken JSON"],
)
@pytest.mark.parametrize("format", ["tap", "auto"])
def test_lines_with_other_prefixes_cannot_be_told(text: str, format: str) -> None:
    report = reports.parse(format, {"log": text.encode()}, 0)
    assert not report.complete
    assert "its lines " in report.problems[0]


def test_a_cut_line_of_dockers_json_ends_what_was_printed() -> None:
    text = as_docker_json("1..2\nok 1 - a\nok 2 - b\n")[:-30]
    report = reports.parse("tap", {"log": text.encode()}, 0)
    assert report.outcomes == {"a": "passed"}
    assert not report.complete


def test_colours_in_dockers_json_are_no_part_of_a_name() -> None:
    text = as_docker_json("1..1\nok 1 - \x1b[32mgreen\x1b[0m\n")
    assert reports.parse("tap", {"log": text.encode()}, 0).outcomes == {"green": "passed"}
