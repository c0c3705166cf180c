"""What legitimately differs from run to run is no divergence; everything else is, and is shown where."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway import _varying
from harness.gateway._varying import PATTERNS, normal_text
from harness.gateway.divergence import DivergedCall, find_difference, normal

BODY: dict[str, Any] = {
    "model": "arena-x",
    "messages": [
        {"role": "system", "content": "You edit."},
        {"role": "user", "content": [{"type": "text", "text": "one\ntwo\nthree"}]},
    ],
    "stream": False,
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
bodies = st.dictionaries(st.text(), json_values)


def first_difference(recorded: dict[str, Any], asked: dict[str, Any]) -> DivergedCall | None:
    return find_difference(normal(recorded), normal(asked))


def changed(text: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(BODY))
    copy["messages"][1]["content"][0]["text"] = text
    return copy


@pytest.mark.parametrize(
    ("pattern", "example"),
    [(p, e) for p in PATTERNS for e in p.examples],
    ids=lambda x: str(x)[:40],
)
def test_each_example_is_found_whole_and_under_its_name(
    pattern: _varying.VaryingPattern, example: str
) -> None:
    assert normal_text(f"({example})") == f"(<{pattern.name}>)"


@pytest.mark.parametrize("other", [o for p in PATTERNS for o in p.others])
def test_what_only_looks_alike_is_left(other: str) -> None:
    assert normal_text(other) == other


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ({"user": "a"}, {"user": "b"}),
        ({"metadata": {"user_id": "1"}}, {}),
        ({"stream": True, "stream_options": {"include_usage": True}}, {"stream": False}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": None, "b": []}, {"b": ""}),
        ({"a": "took 0.12s"}, {"a": "took 0.34s"}),
        ({"m": [{"id": "call_12345678ab"}]}, {"m": [{"id": "call_ab12345678"}]}),
        ({"m": [{"arguments": '{"a":1, "b":2}'}]}, {"m": [{"arguments": '{"b": 2, "a": 1}'}]}),
        ({"m": [{"type": "thinking", "signature": "x"}, {"a": 1}]}, {"m": [{"a": 1}]}),
    ],
)
def test_what_differs_from_run_to_run_is_set_aside(
    recorded: dict[str, Any], asked: dict[str, Any]
) -> None:
    assert first_difference(recorded, asked) is None


def test_the_place_and_the_lines_that_differ_are_told() -> None:
    found = first_difference(BODY, changed("one\ndeux\nthree"))
    assert found is not None
    assert found.path == "messages[1].content[0].text"
    assert found.diff.split("\n") == [
        "--- recorded",
        "+++ asked",
        " one",
        "-two",
        "+deux",
        " three",
    ]


def test_a_message_more_is_told_by_its_place() -> None:
    longer = {**BODY, "messages": [*BODY["messages"], {"role": "user", "content": "more"}]}
    found = first_difference(BODY, longer)
    assert found is not None
    assert found.path == "messages[2]"
    assert "-(absent)" in found.diff
    assert '+ "content": "more"' in found.diff


def test_a_kind_that_differs_is_told() -> None:
    found = first_difference({"temperature": 0}, {"temperature": "0"})
    assert found is not None
    assert found.path == "temperature"


@pytest.mark.slow
def test_the_difference_is_bounded_and_obeyed_by_no_terminal() -> None:
    long = "x" * 50_000
    found = first_difference(changed(long + "\x1b[2Ja" + long), changed(long + "\x1b[2Jb" + long))
    assert found is not None
    assert "\x1b" not in found.diff
    assert len(found.diff) < 1000
    assert "[2Ja" in found.diff
    assert "[2Jb" in found.diff
    many = first_difference(changed("a\n" * 20_000), changed("b\n" * 20_000))
    assert many is not None
    assert len(many.diff) < 1000


def test_a_hostile_key_is_shown_short_and_visible() -> None:
    found = first_difference({"\x1b]0;" + "k" * 10_000: 1}, {})
    assert found is not None
    assert "\x1b" not in found.path
    assert len(found.path) < 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["call_", "1", "2026-11-", "/tmp/", "Sat ", "Nov 1", "9:", "0x0", "a", "-", "==1"]
)
def test_texts_of_any_kind_take_linear_time(piece: str) -> None:
    started = time.process_time()
    normal_text(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 2


def test_deep_nesting_is_compared_down_to_a_bound() -> None:
    deep: Any = "end"
    for _ in range(600):
        deep = [deep]
    assert first_difference({"a": deep}, {"a": deep}) is None
    assert first_difference({"a": deep}, {"a": [1]}) is not None


@pytest.mark.slow
@given(bodies)
def test_a_body_never_differs_from_itself(body: dict[str, Any]) -> None:
    assert first_difference(body, json.loads(json.dumps(body))) is None


@pytest.mark.slow
@given(bodies, bodies)
def test_a_difference_is_told_exactly_when_the_normal_forms_differ(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    found = first_difference(one, other)
    assert (found is None) == (normal(one) == normal(other))
    if found is not None:
        assert found.path
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", found.path + found.diff)
