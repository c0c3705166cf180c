"""SARIF of several tools' habits, and texts that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.sarif import Finding, SarifError, cwes, parse_sarif


def sarif(*results: dict[str, Any], **run: Any) -> bytes:
    tool = {"driver": {"name": "scan", "semanticVersion": "1.2"}}
    log = {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}
    return json.dumps(log).encode()


def result(uri: str = "src/a.c", **more: Any) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": uri},
        "region": {"startLine": 3, "endLine": 4, "snippet": {"text": "strcpy(a, b)"}},
    }
    return {
        "ruleId": "copy",
        "level": "error",
        "message": {"text": "bad"},
        "locations": [{"physicalLocation": place}],
        **more,
    }


def only(data: bytes) -> Finding:
    (finding,) = parse_sarif(data).findings
    return finding


def test_a_plain_result_is_read_whole() -> None:
    finding = only(sarif(result(properties={"tags": ["external/cwe/cwe-120", "x"]})))
    expected = Finding("copy", "src/a.c", 3, 4, "strcpy(a, b)", "bad", "error", ("CWE-120",))
    assert finding == expected
    assert json.loads(json.dumps(finding.to_json()))["cwe"] == ["CWE-120"]


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("./src/../src/a%20b.c", "src/a b.c"),
        ("file:///srv/tree/src/a.c", "src/a.c"),
        ("file://host/srv/tree/src/a.c", "src/a.c"),
        ("/srv/tree/src/a.c", "src/a.c"),
        ("file:///elsewhere/a.c", "/elsewhere/a.c"),
        ("src/%FF.c", "src/\udcff.c"),
        ("https://example.org/a.c", "https://example.org/a.c"),
    ],
)
def test_uris_become_paths_under_the_root(uri: str, path: str) -> None:
    bases = {"ROOT": {"uri": "file:///srv/tree/"}}
    assert only(sarif(result(uri), originalUriBaseIds=bases)).path == path


def test_a_base_that_is_a_folder_of_another_counts() -> None:
    bases = {"SRC": {"uri": "src/", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///w/"}}
    item = result("a.c")
    item["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "SRC"
    assert only(sarif(item, originalUriBaseIds=bases)).path == "src/a.c"


def test_bases_that_refer_to_each_other_end() -> None:
    bases = {"A": {"uri": "a/", "uriBaseId": "B"}, "B": {"uri": "b/", "uriBaseId": "A"}}
    item = result("x.c")
    item["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "A"
    assert only(sarif(item, originalUriBaseIds=bases)).path.endswith("x.c")


def test_rule_by_index_gives_level_message_and_cwe() -> None:
    rule = {
        "id": "R1",
        "defaultConfiguration": {"level": "note"},
        "messageStrings": {"m": {"text": "{0} into {1}"}},
        "relationships": [{"target": {"id": "787", "toolComponent": {"name": "CWE"}}}],
    }
    item = {
        "ruleIndex": 0,
        "message": {"id": "m", "arguments": ["a", "b"]},
        "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}}}],
    }
    tool = {"driver": {"name": "t", "rules": [rule]}}
    data = sarif(item, tool=tool, artifacts=[{"location": {"uri": "b.c"}}])
    assert only(data) == Finding("R1", "b.c", 0, 0, "", "a into b", "note", ("CWE-787",))
    assert parse_sarif(data).rules == 1


def test_suppressed_results_count_and_results_that_say_all_is_well_do_not() -> None:
    data = sarif(
        result(suppressions=[{"kind": "inSource"}]),
        result(kind="pass"),
        result(kind="notApplicable"),
        result(baselineState="absent"),
        {"message": {"text": "no place"}},
    )
    assert [f.message for f in parse_sarif(data).findings] == ["bad", "no place"]


def test_what_makes_a_log_incomplete_is_an_error() -> None:
    notes = [
        {"message": {"text": "cannot parse"}, "level": "error", "locations": result()["locations"]},
        {"message": {"text": "just so"}, "level": "note"},
    ]
    invocation = {"executionSuccessful": False, "toolExecutionNotifications": notes}
    found = parse_sarif(sarif(invocations=[invocation])).errors
    assert [(e.path, e.level) for e in found] == [(None, "error"), ("src/a.c", "error")]
    no_results = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}}]})
    assert "did not scan" in parse_sarif(no_results).errors[0].message


def test_only_targets_of_the_analysis_are_taken_as_read() -> None:
    listed = [{"location": {"uri": "a.c"}, "roles": ["analysisTarget"]}, {"location": {"uri": "b"}}]
    assert parse_sarif(sarif(artifacts=listed)).analysed == {"a.c"}
    assert parse_sarif(sarif(artifacts=listed[1:])).analysed is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"  \n",
        b"{",
        b"[]",
        b"{}",
        b'{"runs": 3}',
        b'{"runs": [], "version": "1.0.0"}',
        b'{"runs": [], "version": 2.1}',
        b"[" * 100_000,
        b"9" * 10_000,
        b"\xff\xfe",
    ],
)
def test_what_is_not_sarif_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(SarifError) as error:
        parse_sarif(data)
    assert "\n" not in str(error.value)


def test_byte_order_marks_are_no_obstacle() -> None:
    text = sarif(result()).decode()
    for encoding in ("utf-8-sig", "utf-16"):
        assert len(parse_sarif(text.encode(encoding)).findings) == 1


def test_lone_surrogates_do_not_reach_the_caller() -> None:
    finding = only(sarif(result("a\ud800.c", message={"text": "\ud800"})))
    finding.message.encode()


def test_cwe_numbers_in_all_spellings() -> None:
    assert cwes("CWE-120: Copy", ["external/cwe/cwe-079", "CWE 22"], None, 7) == (
        "CWE-120",
        "CWE-79",
        "CWE-22",
    )


WORDS = """
version runs tool driver results rules ruleIndex rule index id message text arguments locations
physicalLocation artifactLocation uri uriBaseId region startLine snippet level kind taxa tags
properties invocations originalUriBaseIds artifacts toolComponent relationships target
"""
KEYS = st.sampled_from(WORDS.split())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=30,
)


@pytest.mark.slow
@given(st.lists(JSON, max_size=3), JSON, JSON)
def test_any_json_under_runs_is_read_or_refused(runs: Any, results: Any, location: Any) -> None:
    runs = [*runs, {"results": [results, {"locations": [{"physicalLocation": location}]}]}]
    log = parse_sarif(json.dumps({"version": "2.1.0", "runs": runs}))
    json.dumps([finding.to_json() for finding in log.findings])


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        parse_sarif(data)
    except SarifError as error:
        assert str(error)
