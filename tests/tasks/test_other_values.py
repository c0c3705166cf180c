"""The file of a task's other values, and what it makes of the tests' files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.other_values import MAX_BYTES, MAX_FILES, MAX_PAIRS, OtherValues, read, write

TEST_C = rb"""
#include "server.h" /* "server" */
// "server" 'server'
extern "server" int server(void);
static const int big = 1'000; /* ' */
int main(void)
{
    const char *text = "server=\x41server\nserver_port %5server %s server2 2server \server";
    return parse(text, "user server", 's', R"x(server "server")x", L"server 80", server);
}
"""
RENAMED_C = rb"""
#include "server.h" /* "server" */
// "server" 'server'
extern "server" int server(void);
static const int big = 1'000; /* ' */
int main(void)
{
    const char *text = "wohmih=\x41server\nwohmih_port %5server %s server2 2server \server";
    return parse(text, "user wohmih", 's', R"x(wohmih "wohmih")x", L"wohmih 31", server);
}
"""
RUN_SH = rb"""#!/bin/sh
# it's "server"
check server "server $server ${server} $(server) \$x" 'it server $server' server
cat <<EOF
server "server"
EOF
"""
RENAMED_SH = rb"""#!/bin/sh
# it's "server"
check server "wohmih $server ${server} $(server) \$x" 'it wohmih $wohmih' server
cat <<EOF
server "wohmih"
EOF
"""
PAIRS = {"server": "wohmih", "80": "31"}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("tests/a.c", TEST_C, RENAMED_C),
        ("tests/a.hpp", TEST_C, RENAMED_C),
        ("tests/run.sh", RUN_SH, RENAMED_SH),
        ("tests/run", RUN_SH, RENAMED_SH),
        ("tests/a.conf", b"server=80\n\xffserver 080 80x\n", b"wohmih=31\n\xffwohmih 080 80x\n"),
        ("tests/a.bin", b"server\0server", b"server\0server"),
        ("tests/empty.c", b"", b""),
    ],
)
def test_words_change_inside_literals_only(path: str, before: bytes, after: bytes) -> None:
    assert OtherValues({path: PAIRS}).rename(path, before) == after


def test_a_file_without_pairs_stays() -> None:
    assert OtherValues({"a.c": PAIRS}).rename("b.c", b'"server"') == b'"server"'


def test_a_file_beyond_the_limit_stays() -> None:
    data = b'"server"' + b" " * (MAX_BYTES - 7)
    assert OtherValues({"a.c": PAIRS}).rename("a.c", data) == data
    assert OtherValues({"a.c": PAIRS}).rename("a.c", data[:-1]) != data[:-1]


SWAPS = {"ab": "cd", "cd": "ab", "x": "y", "y": "x", "12": "34", "34": "12", "AB": "CD", "CD": "AB"}
SIGNS = [" ", "\n", *"\"'\\#%${()R_0", "//", "/*", "*/", "é", "#include ", "\\x4"]
PIECES = st.sampled_from([*SWAPS, *SIGNS])
PATHS = st.sampled_from(["a.c", "a.cpp", "a.sh", "a.txt"])


@given(PATHS, st.lists(PIECES, max_size=40).map("".join))
def test_a_renaming_that_swaps_words_undoes_itself(path: str, text: str) -> None:
    values, data = OtherValues({path: SWAPS}), text.encode()
    renamed = values.rename(path, data)
    assert values.rename(path, renamed) == data, "words and what is outside are read alike"
    assert len(renamed) == len(data)
    assert [c for c in renamed if not chr(c).isalnum()] == [c for c in data if not chr(c).isalnum()]


@given(st.lists(PIECES, max_size=40).map("".join))
def test_what_is_outside_of_quotes_stays(text: str) -> None:
    bare = text.replace('"', "").replace("'", "")
    assert OtherValues({"a.c": SWAPS}).rename("a.c", bare.encode()) == bare.encode()


WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,4}|[0-9]{1,4}", fullmatch=True)
FILES = st.dictionaries(
    st.from_regex(r"[a-z]{1,5}(/[a-z.]*[a-z]){0,2}", fullmatch=True),
    st.lists(WORDS, min_size=1, max_size=6, unique=True).map(lambda ws: {w: w for w in ws}),
    max_size=4,
)


@given(FILES)
def test_what_is_written_is_read_back(files: dict[str, dict[str, str]]) -> None:
    values = OtherValues(files)
    assert read(write(values)) == values


def test_words_of_several_files_count_once() -> None:
    values = OtherValues({"a.c": {"x": "y", "z": "w"}, "b.c": {"x": "y"}})
    assert (values.counts(), values.describe()) == (
        {"words": 2, "files": 2, "failing": 0},
        "2 words of 2 files; 0 tests have to fail",
    )


MISMATCHED = OtherValues(
    {"a.c": {"abc": "xyz"}, "b.c": {"abc": "xyz"}}, {"a.c": {8: "xyw"}}, ("reads",)
)


def test_a_mismatch_is_put_at_its_place_only() -> None:
    text = b'f("abc");"abc"; g("abc")'
    assert MISMATCHED.rename("a.c", text) == b'f("xyz");"xyz"; g("xyz")', "no word begins there"
    text = b'f(x+0, "abc", "abc")'
    assert MISMATCHED.rename("a.c", text) == b'f(x+0, "xyw", "xyz")'
    assert MISMATCHED.rename("b.c", text) == b'f(x+0, "xyz", "xyz")'
    longer = OtherValues(MISMATCHED.files, {"a.c": {8: "longer"}}, ("reads",))
    assert longer.rename("a.c", text) == b'f(x+0, "xyz", "xyz")', "offsets stay what they are"


@given(st.dictionaries(st.integers(0, 99), WORDS, min_size=1, max_size=4))
def test_mismatches_are_read_back(places: dict[int, str]) -> None:
    values = OtherValues({"a.c": {"x": "y"}}, {"a.c": places}, ("reads a", "reads b"))
    assert read(write(values)) == values
    assert values.counts()["failing"] == 2


def stating(*pairs: tuple[str, str], path: str = "tests/a.c") -> bytes:
    return json.dumps({"schema": 1, "files": {path: pairs}}).encode()


MANY = {f"tests/{n}.c": [("a", "b")] for n in range(MAX_FILES + 1)}
WRONG = {
    "no JSON": (b"{", "Invalid JSON"),
    "another schema": (b'{"schema": 3, "files": {}}', "schema"),
    "a mismatch of no file": (
        b'{"schema": 2, "files": {}, "mismatches": {"a": [[0, "b"]]}, "failing": ["t"]}',
        "mismatches are of `files`",
    ),
    "a mismatch that fails nothing": (
        b'{"schema": 2, "files": {"a": [["a", "b"]]}, "mismatches": {"a": [[0, "b"]]}}',
        "names of tests",
    ),
    "tests that fail by nothing": (
        b'{"schema": 2, "files": {}, "failing": ["t"]}',
        "names of tests",
    ),
    "a place before the file": (
        b'{"schema": 2, "files": {}, "mismatches": {"a": [[-1, "b"]]}}',
        "mismatches",
    ),
    "a word too many": (b'{"schema": 1, "files": {}, "more": 1}', "more"),
    "no files": (b'{"schema": 1}', "files"),
    "an absolute path": (stating(("a", "b"), path="/etc/passwd"), "no path inside"),
    "a path that leaves": (stating(("a", "b"), path="tests/../../a"), "no path inside"),
    "an empty part": (stating(("a", "b"), path="tests//a"), "no path inside"),
    "a path with a line feed": (stating(("a", "b"), path="tests/a\nb"), "control character"),
    "no pairs": (stating(), "files"),
    "a pair of three": (b'{"schema": 1, "files": {"a": [["a", "b", "c"]]}}', "files"),
    "no word": (stating(("a b", "c d")), "files"),
    "a quote": (stating(('a"', 'b"')), "files"),
    "a line feed": (stating(("a\n", "b\n")), "files"),
    "another length": (stating(("abc", "de")), "differ in length or kind"),
    "another case": (stating(("abc", "deF")), "differ in length or kind"),
    "a digit for a letter": (stating(("ab", "a1")), "differ in length or kind"),
    "two become one": (stating(("ab", "xy"), ("cd", "xy")), "'xy' stands twice"),
    "one becomes two": (stating(("ab", "xy"), ("ab", "zw")), "'ab' stands twice"),
    "too many files": (json.dumps({"schema": 1, "files": MANY}).encode(), "files"),
    "too many pairs": (stating(*([("a", "b")] * (MAX_PAIRS + 1))), "files"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused(name: str) -> None:
    data, reason = WRONG[name]
    with pytest.raises(ValueError, match=reason):
        read(data)
