"""Two SARIF logs and nothing else: which finding is which, over moves, checkouts and tools."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from harness.grade.sast import compare_sarif
from harness.grade.sast.logs import common_roots, compare_logs, message_of
from parsers.sarif import Finding, Identity, parse_sarif

Step = tuple[int, str]


def result(line: int, uri: str = "a.c", message: str = "m", **more: Any) -> dict[str, Any]:
    """A result without code, as clang's analyzer and cppcheck write them."""
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return {
        "ruleId": "R",
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
        **more,
    }


def snippet(line: int, code: str, uri: str = "a.c", **more: Any) -> dict[str, Any]:
    item = result(line, uri, **more)
    item["locations"][0]["physicalLocation"]["region"]["snippet"] = {"text": code}
    return item


def gcc(line: int, function: str, code: str = "  free(p);\n") -> dict[str, Any]:
    """As gcc 16 -fanalyzer writes it: the code in the context, and the function."""
    item = result(line, message="double-free of p")
    item["locations"][0]["physicalLocation"]["contextRegion"] = {"snippet": {"text": code}}
    item["locations"][0]["logicalLocations"] = [{"index": 0, "fullyQualifiedName": function}]
    return item


def flow(line: int, *steps: Step, uri: str = "a.c") -> dict[str, Any]:
    """As clang 21's analyzer writes it."""
    places = [
        {
            "location": {
                "physicalLocation": {"region": {"startLine": at}},
                "message": {"text": words},
            }
        }
        for at, words in steps
    ]
    return result(line, uri, codeFlows=[{"threadFlows": [{"locations": places}]}])


def cppcheck(*lines: int) -> dict[str, Any]:
    """As cppcheck 2.22 writes it: the way as further locations."""
    item = result(lines[0], message="Memory is freed twice")
    item["locations"] += [{"physicalLocation": {"region": {"startLine": n}}} for n in lines[1:]]
    return item


def log(*results: dict[str, Any], runs: int = 1) -> bytes:
    run = {"tool": {"driver": {"name": "T"}}, "results": list(results)}
    return json.dumps({"version": "2.1.0", "runs": [run] * runs}).encode()


def new(before: bytes, after: bytes) -> list[int]:
    return [finding.line for finding in compare_sarif(before, after).findings]


FLOW = (
    (16, "Calling 'first'"),
    (5, "Memory is allocated"),
    (6, "Memory is released"),
    (7, "Attempt"),
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([gcc(7, "first")], [gcc(13, "second")], [13]),
        ([gcc(7, "first")], [gcc(13, "first")], []),
        ([gcc(7, "first")], [gcc(7, "first"), gcc(9, "first")], [9]),
        ([gcc(7, "first")], [snippet(8, "free( p );")], []),  # another tool version, no functions
        ([flow(7, *FLOW)], [flow(10, *((n + 3, m) for n, m in FLOW))], []),
        ([flow(7, *FLOW)], [flow(13, *((n + 6, m) for n, m in FLOW[1:]))], [13]),
        ([flow(7, *FLOW)], [flow(7, (20, "Calling 'first'"), *FLOW[1:])], []),
        ([flow(7, *FLOW)], [flow(9, *FLOW[:3], (9, "Attempt"))], [9]),
        ([cppcheck(7, 6)], [cppcheck(13, 11)], [13]),
        ([cppcheck(7, 6)], [cppcheck(17, 16)], []),
        ([result(7)], [result(7), result(9)], [9]),
        ([result(9)], [result(7), result(9)], [7]),
        ([snippet(7, "f(a)")], [snippet(9, "f(a)"), snippet(9, "f(b)")], [9]),
        ([result(3, message="from line 12")], [result(4, message="from line 13")], []),
        ([result(3, message="of 8 bytes")], [result(3, message="of 16 bytes")], [3]),
    ],
)
def test_a_finding_is_told_by_what_its_tool_writes(
    before: list[dict[str, Any]], after: list[dict[str, Any]], expected: list[int]
) -> None:
    assert new(log(*before), log(*after)) == expected
    assert new(log(*after), log(*after)) == []


def marked(line: int, mark: str, code: str = "f(a)", **more: Any) -> dict[str, Any]:
    return snippet(line, code, partialFingerprints={"hash/v1": mark}, **more)


def wide(line: int, width: int) -> dict[str, Any]:
    """A double free in a function of seven lines; `width` is of the call with its argument's name."""
    item = flow(
        line, (line - 2, "Memory is allocated"), (line - 1, "Memory is released"), (line, "Attempt")
    )
    for step in item["codeFlows"][0]["threadFlows"][0]["locations"][1:]:
        region = step["location"]["physicalLocation"]["region"]
        region |= {"endLine": region["startLine"], "startColumn": 5, "endColumn": 5 + width}
    return item


def test_two_functions_of_one_shape_are_told_apart_by_how_wide_their_code_is() -> None:
    """clang 21: nothing in its log but lines and columns differs between `free(block)` and `free(item)`."""
    assert new(log(wide(7, 11)), log(wide(13, 10))) == [13]
    assert new(log(wide(7, 11)), log(wide(13, 11))) == []
    assert new(log(wide(7, 11)), log(wide(9, 11), wide(15, 10))) == [15]
    # in a step before the last two as well
    long = [
        flow(20, (5, "Allocated"), (8, "Passed"), (9, "Released"), (10, "Attempt"))
        for _ in range(2)
    ]
    first = long[1]["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]
    first["physicalLocation"]["region"] |= {"endLine": 5, "startColumn": 1, "endColumn": 9}
    assert new(log(long[0]), log(long[1])) == [20]


def test_code_over_several_lines_has_no_width() -> None:
    before, after = wide(7, 11), wide(13, 11)
    for number, item in enumerate((before, after)):
        for step in item["codeFlows"][0]["threadFlows"][0]["locations"]:
            region = step["location"]["physicalLocation"]["region"]
            region |= {"endLine": 90 + number, "endColumn": 20 + number}
    assert new(log(before), log(after)) == []


def test_a_fingerprint_counts_where_it_tells_findings_apart() -> None:
    moved = marked(9, "x:1", message="line 9")
    assert new(log(marked(3, "x:1", message="line 3")), log(moved)) == []
    assert new(log(marked(3, "x:1", "f(a)")), log(marked(3, "x:1", "g(b)"))) == [3]
    login = [marked(3, "requires login", "f(a)"), marked(4, "requires login", "g(b)")]
    assert new(log(login[0]), log(login[1])) == [4]
    assert new(log(marked(3, "x"), marked(4, "x")), log(marked(3, "x"), marked(4, "x"))) == []
    assert new(log(marked(3, "x")), log(marked(3, "y"))) == []  # the code is the same


def test_the_same_run_twice_finds_each_thing_once() -> None:
    once, twice = log(snippet(3, "f(a)")), log(snippet(3, "f(a)"), runs=2)
    assert new(once, twice) == new(twice, once) == []
    assert new(log(), twice) == [3]
    both = parse_sarif(log(snippet(3, "f(a)"), snippet(3, "f(a)"), runs=2)).findings
    assert len(both) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///ci/build-1/src/a.c", "file:///ci/build-2/src/a.c"),
        ("file:///ci/build-1/src/a.c", "src/a.c"),
        ("src\\a.c", "src/a.c"),
        ("C:\\w\\1\\src\\a.c", "file:///C:/w/2/src/a.c"),
        ("C:\\w\\1\\src\\a.c", "/home/ci/src/a.c"),
        ("/root/s/before/a.c", "/root/s/moved/a.c"),
    ],
)
def test_two_checkouts_are_one_project(one: str, other: str) -> None:
    assert new(log(snippet(3, "f(a)", one)), log(snippet(5, "f(a)", other))) == []
    assert new(log(snippet(5, "f(a)", other)), log(snippet(3, "f(a)", one))) == []
    moved = log(snippet(5, "f(a)", other), snippet(6, "f(b)", other))
    assert new(log(snippet(3, "f(a)", one)), moved) == [6]


def test_a_path_that_is_common_proves_that_the_roots_are_the_same() -> None:
    assert common_roots(["/w/src/a.c", "/w/b.c"], ["/w/lib/a.c", "/w/b.c"]) == ("", "")
    assert common_roots(["/w/1/src/a.c", "/w/1/a.c"], ["/w/2/src/a.c", "/w/2/lib/a.c"]) == (
        "/w/1/",
        "/w/2/",
    )
    assert common_roots(["a.c"], ["b/a.c"]) == ("", "")


def test_what_the_logs_do_not_prove_is_said() -> None:
    other = compare_sarif(log(snippet(3, "f", "a.c")), log(snippet(3, "f", "/x/b.c")))
    assert [f.line for f in other.findings] == [3]
    assert "no path is common" in other.errors[0].message
    weak = compare_sarif(log(result(3)), log(result(9)))
    assert weak.findings == () and "line 9 may be new" in weak.errors[0].message
    assert compare_sarif(log(result(3)), log(result(3))).errors == ()


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("memory from line 12 is not freed", "memory from # is not freed"),
        ("see a.c:12:3", "see a.c#"),
        ("first was at [(4)](sarif:/runs/0/results/0)", "first was at [(4)]#"),
        ("8 bytes into 4", "8 bytes into 4"),
    ],
)
def test_line_numbers_are_no_part_of_a_message(message: str, plain: str) -> None:
    finding = Finding("R", "a.c", 1, 1, "", message, "error")
    assert message_of(finding).replace("##", "#") in {plain, plain.replace("[(4)]#", "#")}


@pytest.mark.slow
def test_large_logs_take_linear_time() -> None:
    def side(root: str) -> list[Finding]:
        return [
            Finding(f"R{n % 7}", f"{root}/d{n % 99}/a.c", n, n, "", "m" * (n % 5), "error")
            for n in range(20_000)
        ]

    started = time.process_time()
    compared = compare_logs(side("/w/1"), side("/w/2"))
    assert compared.new == ()
    assert time.process_time() - started < 5


def test_identity_is_no_part_of_a_findings_data() -> None:
    finding = Finding("R", "a.c", 1, 1, "", "m", "error", identity=Identity(function="f"))
    assert "identity" not in finding.to_json()
    assert finding == Finding("R", "a.c", 1, 1, "", "m", "error")
