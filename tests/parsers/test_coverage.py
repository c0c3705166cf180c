"""gcov's formats, as GCC 12 and LLVM 14 write them, and bytes that nobody wrote."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import coverage
from parsers.coverage import parse_gcov_json, parse_gcov_text

JSON = (
    b'{"gcc_version": "12.2.0", "files": [{"lines": ['
    b'{"branches": [], "count": 1, "line_number": 1, "unexecuted_block": false, "function_name": "f"}, '
    b'{"branches": [], "count": 0, "line_number": 4, "unexecuted_block": true, "function_name": "f"}, '
    b'{"branches": [], "count": 0, "line_number": 1, "unexecuted_block": true, "function_name": "g"}], '
    b'"functions": [], "file": "../a.c"}], "format_version": "1", '
    b'"current_working_directory": "/src/p/build", "data_file": "a.gcda"}\n'
)
GCC = b"""\
        -:    0:Source:a.c
        -:    0:Graph:o/a.gcno
        -:    0:Runs:1
        1:    1:int f(int x)
        -:    2:{
       1*:    3:    if (x > 1)
    #####:    4:        return 2;
     1.2k:    5:    return 3;
        -:    6:}
    =====:    7:    catch (...) {
"""
LLVM = b"""\
        -:    0:Source:/src/p/b.c
        -:    0:Programs:1
        2:    7:int main(void) { return f(0) == 3 ? 0 : 1; }
        -:    0:Source:/src/p/c.h
    #####:    9:}
"""


def test_json_keeps_the_highest_count_of_a_line() -> None:
    found = parse_gcov_json(JSON * 2)
    assert [vars(source) for source in found.sources] == [
        {"name": "../a.c", "folder": "/src/p/build", "lines": {1: 1, 4: 0}}
    ] * 2
    assert found.sources[0].executed_lines == {1}
    assert found.problems == []


def test_text_of_gcc() -> None:
    (source,) = parse_gcov_text(GCC).sources
    assert (source.name, dict(source.lines)) == ("a.c", {1: 1, 3: 1, 4: 0, 5: 1, 7: 0})


def test_text_of_llvm_holds_several_sources() -> None:
    first, second = parse_gcov_text(LLVM).sources
    assert (first.name, dict(first.lines)) == ("/src/p/b.c", {7: 2})
    assert (second.name, dict(second.lines)) == ("/src/p/c.h", {9: 0})


def test_intermediate_text_of_llvm_and_of_old_gcov() -> None:
    text = b"file:e/a.c\nfunction:1,2,f\nlcount:1,2\nlcount:4,0\nfile:b.h\nlcount:7,3,0\n"
    found = parse_gcov_text(text)
    lines = {source.name: dict(source.lines) for source in found.sources}
    assert lines == {"e/a.c": {1: 2, 4: 0}, "b.h": {7: 3}}


@pytest.mark.parametrize(
    "line",
    [
        b"oops",
        b"[]",
        b'{"files": 1}',
        b'{"files": [1]}',
        b'{"files": [{"file": "a"}]}',
        b"[" * 99_999,
    ],
)
def test_what_is_no_document_is_said_and_the_rest_is_read(line: bytes) -> None:
    found = parse_gcov_json(line + b"\n" + JSON)
    assert len(found.sources) == 1
    assert len(found.problems) == 1


@pytest.mark.parametrize("number", [-1, 0, 1 << 70, True, 1.5, "1", None, [1]])
def test_line_numbers_that_are_none_are_left_out(number: object) -> None:
    lines = [{"line_number": number, "count": 1}, {"line_number": 2, "count": -5}, 7]
    document = json.dumps({"files": [{"file": "a", "lines": lines}]}).encode()
    assert dict(parse_gcov_json(document).sources[0].lines) == {2: 0}


def test_bounds_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "MAX_FILES", 3)
    found = parse_gcov_json(JSON * 5)
    assert (len(found.sources), len(found.problems)) == (3, 1)
    assert len(parse_gcov_text(LLVM * 5).sources) == 3
    monkeypatch.setattr(coverage, "MAX_BYTES", len(JSON) + 10)
    assert parse_gcov_json(JSON * 2).problems[0].startswith("the output is too large")


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", [b"1", b" ", b"-:0:Source:", b"        1:    1:\n", b"#####:", b"lcount:1", b"{", b'"']
)
def test_reading_is_linear(piece: bytes) -> None:
    data = b"        -:    0:Source:a\n" + piece * (2_000_000 // len(piece))
    started = time.process_time()
    parse_gcov_text(data)
    parse_gcov_json(data)
    assert time.process_time() - started < 30


_COUNTS = st.dictionaries(st.integers(1, 9_999_999), st.integers(0, 1 << 60), min_size=1)


@given(_COUNTS)
def test_both_formats_say_the_same(lines: dict[int, int]) -> None:
    entries = [{"line_number": number, "count": count} for number, count in lines.items()]
    document = json.dumps({"files": [{"file": "a b.c", "lines": entries}]}).encode()
    text = "".join(f"{count or '#####':>9}:{number:>5}:x\n" for number, count in lines.items())
    (one,) = parse_gcov_json(document).sources
    (other,) = parse_gcov_text(b"        -:    0:Source:a b.c\n" + text.encode()).sources
    assert (one.name, one.lines) == (other.name, other.lines) == ("a b.c", lines)


_PIECES = [
    *JSON.decode()[::7],
    '{"files": [',
    "-:    0:Source:",
    "\n",
    "1:",
    "    1:",
    "#####:",
    "{}",
]


@given(
    st.one_of(st.binary(), st.lists(st.sampled_from(_PIECES)).map(lambda p: "".join(p).encode()))
)
def test_no_bytes_make_it_raise(data: bytes) -> None:
    for found in (parse_gcov_json(data), parse_gcov_text(data)):
        assert all(source.name and min(source.lines, default=1) > 0 for source in found.sources)
