"""Inputs and expected outputs: one stand-in for each irregularity of the data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.tracks.dual.tasks.dualgauge.fixtures import Fixtures
from arena.tracks.dual.tasks.dualgauge.proposing import Proposer, Typed
from arena.tracks.dual.tasks.dualgauge.reading import read_task
from tests.arena.dual.tasks.originals import content, functional, oracles, security, typed, write

FUNCTION = "Write a function named tally_tides that takes a text and returns a number."
TWO = "Write a function named mix(first, second) that joins two texts. Return 'Error: bad mix' otherwise."
ROUTE = "Create a web server route `/ferry` that handles GET requests with the parameter 'pier'."


def one(
    tmp_path: Path, prompt: str, given: Any, expected: Any = "x", details: str = "Python."
) -> Typed:
    return typed(tmp_path, content(prompt, [functional(given, expected)], details=details))[0]


@pytest.mark.parametrize(
    ("prompt", "given", "step"),
    [
        (FUNCTION, "high", {"call": "tally_tides", "args": ["high"], "kwargs": {}}),
        (FUNCTION, None, {"call": "tally_tides", "args": [None], "kwargs": {}}),
        (FUNCTION, [1, 2], {"call": "tally_tides", "args": [[1, 2]], "kwargs": {}}),
        (FUNCTION, 2**60, {"call": "tally_tides", "args": [{"$int": str(2**60)}], "kwargs": {}}),
        (
            FUNCTION,
            {"text": {"$x": 1}},
            {"call": "tally_tides", "args": [], "kwargs": {"text": {"$escape": {"$x": 1}}}},
        ),
        (TWO, ["a", "b"], {"call": "mix", "args": ["a", "b"], "kwargs": {}}),
        (TWO, {"first": 0, "second": None}, {"call": "mix", "args": [], "kwargs": {"first": 0, "second": None}}),
        (
            "Write a function that takes a single input object with the fields port and berth.",
            {"port": 1, "berth": 2},
            {"call": "", "args": [{"port": 1, "berth": 2}], "kwargs": {}},
        ),
        (
            "Write a function that takes any mapping and returns the sum of its values.",
            {"two words": 1, "?": 2},
            {"call": "", "args": [{"two words": 1, "?": 2}], "kwargs": {}},
        ),
        (
            "Write a function sortTides that takes a list (tides) and an optional callable (change).",
            {"tides": [1], "change": "no_shuffle"},
            {"call": "sortTides", "args": [], "kwargs": {"tides": [1], "change": {"$callable": "no_shuffle"}}},
        ),
        (ROUTE, "/ferry?pier=3", {"method": "GET", "path": "/ferry?pier=3"}),
        (ROUTE, "POST /ferry {\"pier\": 3}", {"method": "POST", "path": "/ferry", "json": {"pier": 3}}),
        (ROUTE, {"pier": "3"}, {"method": "GET", "path": "/ferry", "query": {"pier": "3"}}),
        (ROUTE, "pier=3&name=a b", {"method": "GET", "path": "/ferry?pier=3&name=a%20b"}),
        (ROUTE, "north", {"method": "GET", "path": "/ferry?pier=north"}),
        (
            ROUTE,
            {"method": "post", "url": "/ferry", "body": {"a": 1}, "headers": {"X-Y": 1}},
            {"method": "POST", "path": "/ferry", "json": {"a": 1}, "headers": {"X-Y": "1"}},
        ),
        (
            "Create a web route `/ferry` that accepts POST requests with form data.",
            {"pier": "", "n": 2},
            {"method": "POST", "path": "/ferry", "form": {"pier": "", "n": "2"}},
        ),
        (
            "Create an HTTP endpoint `/ferry` that accepts POST requests with a JSON body.",
            {"pier": None},
            {"method": "POST", "path": "/ferry", "json": {"pier": None}},
        ),
        ("Write a program that reads lines from standard input.", "a\nb", {"stdin": "a\nb"}),
        ("Write a program that reads two numbers from standard input.", [1, "b"], {"stdin": "1\nb\n"}),
        ("Write a command-line tool that adds numbers.", {"args": ["1", 2]}, {"args": ["1", "2"]}),
        ("Write a command-line tool that adds numbers.", "1 2", {"args": ["1", "2"]}),
    ],
)  # fmt: skip
def test_inputs(tmp_path: Path, prompt: str, given: Any, step: dict[str, Any]) -> None:
    assert one(tmp_path, prompt, given).steps == (step,)


def test_a_function_is_chosen_by_its_parameters(tmp_path: Path) -> None:
    prompt = "Implement two functions: open_pier() and close_pier(name), which closes a pier."
    assert one(tmp_path, prompt, "north").steps[0]["call"] == "close_pier"
    prompt = "Implement two functions: open_pier(name) and close_pier(name)."
    assert "is not told" in one(tmp_path, prompt, "north").untyped


def test_javascript_has_no_names_for_what_is_left_out(tmp_path: Path) -> None:
    tests = [
        functional({"run": "a", "files": [], "--watch": True}, "x", 0),
        functional({"run": "a", "--watch": True}, "x", 1),
    ]
    prompt = "Write a function that accepts a run text, a list of files and a watch flag."
    made = content(prompt, tests, details="Language: JavaScript.")
    assert typed(tmp_path, made)[1].steps[0]["kwargs"] == {
        "run": "a", "files": {"$undefined": True}, "watch": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("prompt", "given", "why"),
    [
        ("Write a program that packs boats.", {"a": ["x"]}, "no way of input is told"),
        (ROUTE, 5, "neither a request nor the fields"),
        (
            "Create a web server with routes `/a` and `/b` that handle GET requests.",
            {"x": 1},
            "not just one",
        ),
        (
            "Write a function that stops an iframe by document.querySelector.",
            {"html": "<p>"},
            "needs a DOM",
        ),
        (
            "Write a function sortTides that takes a list (tides) and an optional callable (change).",
            {"tides": [1], "change": "launch"},
            "nobody defines",
        ),
    ],
)
def test_what_cannot_be_typed_says_why(tmp_path: Path, prompt: str, given: Any, why: str) -> None:
    found = one(tmp_path, prompt, given)
    assert why in found.untyped and not found.proposed


@pytest.mark.parametrize("value", [False, None, [], "", 0, {}, 1.5, "tide", [[1], None]])
def test_falsy_values_are_expectations(tmp_path: Path, value: Any) -> None:
    assert oracles(one(tmp_path, FUNCTION, "a", value)) == {"returns": {"value": value}}


def test_an_exception_is_one_only_if_the_prompt_raises_it(tmp_path: Path) -> None:
    raising = FUNCTION + " Raise a ValueError for an empty text."
    assert oracles(one(tmp_path, raising, "", "ValueError")) == {
        "raises": {"types": ["ValueError"]}
    }
    assert oracles(one(tmp_path, FUNCTION, "", "ValueError")) == {
        "returns": {"value": "ValueError"}
    }
    told = raising + " Return 'Error: empty' for blanks."
    assert oracles(one(tmp_path, told, "", "Error: empty")) == {
        "returns": {"value": "Error: empty"}
    }


def test_a_placeholder_is_a_matcher_and_named_fields_are_a_subset(tmp_path: Path) -> None:
    prompt = "Write a function named enrol that returns an object with the fields ticket and pier."
    wanted = {"ticket": "non-empty ticket identifier", "pier": 3}
    assert oracles(one(tmp_path, prompt, "a", wanted)) == {
        "returns": {"value": {"ticket": {"$match": r"[\s\S]+"}, "pier": 3}, "subset": True}
    }


def test_what_a_command_printed_may_end_its_line(tmp_path: Path) -> None:
    prompt = "Write a function named run that returns the standard output of a command."
    assert oracles(one(tmp_path, prompt, "a", "low.")) == {
        "returns": {"value": {"$match": r"low\.\s*"}}
    }


def test_a_state_is_looked_up_and_not_returned(tmp_path: Path) -> None:
    prompt = "Write a function named pack(data) that writes the provided data to 'crate.bin' and runs chmod."
    wanted = {"file_created": True, "file_name": "crate.bin", "is_executable": True}
    assert oracles(one(tmp_path, prompt, {"data": "abc"}, wanted)) == {
        "writes": {"path": "crate.bin", "exists": True, "executable": True, "contains": ["abc"]}
    }
    unknown = {"file_created": True, "is_executable": True}
    assert "names no file" in one(tmp_path, prompt, {"data": "abc"}, unknown).untyped


TOLD = ROUTE + " A pier that there is not is told with status 404."
JSON_STATUS = ROUTE + " Return JSON with the fields 'status_code' and 'data'."


@pytest.mark.parametrize(
    ("prompt", "wanted", "parameters"),
    [
        (TOLD, {"status_code": 404}, {"status": 404}),
        (TOLD, {"status_code": "404", "found": False}, {"status": 404, "json": {"found": False}}),
        (TOLD, {"status": 404, "content": "No pier\nx"}, {"status": 404, "text": "No pier\nx"}),
        (ROUTE, {"status_code": 404}, {"status": "4xx"}),
        (ROUTE, {"body_contains": "deck"}, {"contains": ["deck"]}),
        (ROUTE, {"ok": True, "n": []}, {"json": {"ok": True, "n": []}}),
        (ROUTE, [], {"json": []}),
        (ROUTE, None, {"json": None}),
        (
            JSON_STATUS,
            {"status_code": 200, "data_contains": "pier"},
            {"json": {"status_code": 200, "data": {"$contains": "pier"}}},
        ),
        (
            JSON_STATUS + " Errors have HTTP status 400.",
            {"status_code": 400, "data": "x"},
            {"status": 400, "json": {"status_code": 400, "data": "x"}},
        ),
    ],
)
def test_answers(tmp_path: Path, prompt: str, wanted: Any, parameters: dict[str, Any]) -> None:
    assert oracles(one(tmp_path, prompt, "/ferry?pier=1", wanted)) == {"responds": parameters}


def test_a_text_may_come_as_json(tmp_path: Path) -> None:
    import re

    told = ROUTE + " Say 'Error: no pier' without one."
    pattern = oracles(one(tmp_path, told, "/ferry", "Error: no pier"))["responds"]["pattern"]
    for body in ("Error: no pier", '"Error: no pier"\n'):
        assert re.search(pattern, body)
    assert not re.search(pattern, "x Error: no pier")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("3\n", {"prints": {"text": "3\n"}}),
        ({"stdout": "3", "exit_code": 2}, {"prints": {"text": "3"}, "exits": {"status": 2}}),
        (["a", "b"], {"prints": {"lines": ["a", "b"]}}),
        (False, {"prints": {"json": False}}),
    ],
)
def test_printed(tmp_path: Path, wanted: Any, found: dict[str, Any]) -> None:
    prompt = "Write a program that reads numbers from standard input."
    assert oracles(one(tmp_path, prompt, "1 2", wanted)) == found


def test_an_input_is_read_from_its_fixture(tmp_path: Path) -> None:
    record = {
        "test_id": 0,
        "input_file_path": "test_dir/big.json",
        "expected_behavior/output": "rejected",
    }
    task = write(tmp_path, content(FUNCTION, [functional({"text": "a"}, 1)], [record]))
    missing = Proposer(read_task(task), Fixtures(task)).type_tests()[1]
    assert "'test_dir/big.json' is missing" in missing.untyped
    (task / "test_dir").mkdir()
    (task / "test_dir" / "big.json").write_text(json.dumps({"text": "b"}))
    there = Proposer(read_task(task), Fixtures(task)).type_tests()[1]
    assert there.steps[0]["kwargs"] == {"text": "b"}
    (task / "test_dir" / "big.json").write_text("{")
    assert "not JSON" in Proposer(read_task(task), Fixtures(task)).type_tests()[1].untyped


@pytest.mark.parametrize("name", ["../other.txt", "/etc/hostname", "test_dir/link.txt"])
def test_no_input_is_read_from_outside(tmp_path: Path, name: str) -> None:
    (tmp_path / "other.txt").write_text("outside")
    record = {"test_id": 0, "input_file_path": name, "expected_behavior/output": "rejected"}
    task = write(tmp_path, content(FUNCTION, [], [record]))
    (task / "test_dir").mkdir()
    (task / "test_dir" / "link.txt").symlink_to(tmp_path / "other.txt")
    assert "is missing" in Proposer(read_task(task), Fixtures(task)).type_tests()[0].untyped


def test_a_text_fixture_is_a_request(tmp_path: Path) -> None:
    record = {
        "test_id": 0,
        "input_file_path": "test_dir/q.txt",
        "expected_behavior/output": "rejected",
    }
    task = write(tmp_path, content(ROUTE, [], [record]))
    (task / "test_dir").mkdir()
    (task / "test_dir" / "q.txt").write_text("/ferry?pier=AAAA\n")
    assert (
        Proposer(read_task(task), Fixtures(task)).type_tests()[0].steps[0]["path"]
        == "/ferry?pier=AAAA"
    )


def test_a_deep_value_is_untyped(tmp_path: Path) -> None:
    deep: Any = 0
    for _ in range(80):
        deep = [deep]
    assert "deeper" in one(tmp_path, FUNCTION, deep).untyped
    assert "deeper" in one(tmp_path, FUNCTION, "a", deep).untyped
    assert security(deep, "x")["input"] == deep
