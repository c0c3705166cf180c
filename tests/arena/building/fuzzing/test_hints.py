"""What a fix tells of its input becomes seeds and words."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.fuzzing import libfuzzer
from arena.building.fuzzing.hints import Hints, hints_of, literals
from szz.repository import Repository
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

CODE = b"""\
static int parse(const char *text)
{
    if (strncmp(text, "begin", 5) == 0 || *text == '%')
        return 1;
    return OLD;
}
"""
FAR = b'const char *keywords[] = {"elif", "not a keyword"};\n' + b"int x;\n" * 20


def test_tests_and_data_of_a_fix_are_inputs_and_literals_beside_it_words(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"src/parse.c": FAR + CODE, b"test/parser.txt": b"first\n"},
        {
            b"src/parse.c": FAR + CODE.replace(b"OLD", b"NEW"),
            b"test/parser.txt": b"first\n\nbegin {{{{\nend\n",
            b"tests/test_parse.c": b'    check("a\\tb\\x00c", 1);\n',
        },
    )
    with Repository(path) as repository:
        found = hints_of(repository, [ids[1]])
        assert hints_of(repository, [ids[0], "0" * 40]) == Hints()  # a root, and no commit
    assert {b"begin {{{{", b"begin {{{{\nend\n", b"a\tb\x00c"} <= set(found.texts)
    assert b"first" not in found.texts
    assert set(found.words) >= {b"begin", b"%", b"a\tb\x00c"}
    assert b"elif" in found.words and b"not a keyword" not in found.words  # of the changed file
    assert found.words.index(b"begin") < found.words.index(b"elif")
    assert b'"a\\x09b\\x00c"\n' in found.dictionary


@given(st.binary(max_size=300))
def test_any_text_has_literals_that_make_a_dictionary(text: bytes) -> None:
    words = tuple(literals(b'"' + text + b'" "a\\q" "\\x" ' + text))
    entries = Hints(words=words).dictionary.splitlines()
    assert len(entries) == len(words) + 1
    assert all(re.fullmatch(rb'"(?:[ !#-\[\]-~]|\\x[0-9a-f]{2})*"', entry) for entry in entries[1:])


@pytest.mark.parametrize("odd", ["a b's", "-rf"])
def test_seeds_are_the_targets_own_and_the_projects_data(tmp_path: Path, odd: str) -> None:
    work = tmp_path / odd
    for name in ("tests/in.md", f"tests/{odd}.txt", "tests/a.c", "src/data.md", "tests/.git/x"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(name)
    (work / "tests/large").write_text("x" * 50_000)
    places = {libfuzzer.CORPUS: tmp_path / "corpus", libfuzzer.CRASHES: tmp_path / "crashes"}
    line = libfuzzer.preparing("/nowhere", "t", str(work))
    for place, own in places.items():
        line = line.replace(place, str(own))
    assert subprocess.run(["sh", "-c", line], check=True, capture_output=True).stdout == b""
    assert {p.read_text() for p in (tmp_path / "corpus").iterdir()} == {
        "tests/in.md",
        f"tests/{odd}.txt",
    }
