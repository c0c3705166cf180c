"""Which words of the tests' literals may be replaced, and by what."""

from __future__ import annotations

from random import Random
from string import ascii_letters, digits

from hypothesis import given
from hypothesis import strategies as st

from arena.building.oracle.other_words import (
    Substitution,
    WordChange,
    draw_substitution,
    read_test_texts,
)

WORD = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,6}|[0-9]{1,6}", fullmatch=True)
DRAWN = st.builds(
    lambda seed, protected: draw_substitution(Random(seed), protected),
    st.integers(0, 999),
    st.sets(st.sampled_from(ascii_letters), max_size=9),
)


@given(DRAWN, WORD)
def test_a_substitution_keeps_lengths_and_kinds_of_characters_and_undoes_itself(
    substitution: Substitution, word: str
) -> None:
    other = substitution.apply(word)
    assert substitution.apply(other) == word
    assert [(c.isdigit(), c.isupper()) for c in other] == [(c.isdigit(), c.isupper()) for c in word]


@given(DRAWN, WORD)
def test_upper_case_and_what_is_cut_out_stay_consistent(
    substitution: Substitution, word: str
) -> None:
    if not word.isdigit():
        assert substitution.apply(word.upper()) == substitution.apply(word).upper()
        assert substitution.apply(word[:1]) == substitution.apply(word)[:1]


@given(DRAWN)
def test_zero_and_the_digits_of_a_word_stay(substitution: Substitution) -> None:
    assert substitution.apply("0") == "0"
    assert substitution.apply("x" + digits)[1:] == digits
    assert sorted(map(substitution.apply, digits)) == [*digits]


def test_letters_that_stay_are_exchanged_with_one_another() -> None:
    for seed in range(20):
        drawn = draw_substitution(Random(seed), ["n", "T", "path"])
        assert drawn.apply("n") == "t" and drawn.apply("N") == "T"


CONTENTS = {
    "src/conf.c": b'int conf(void) { return is("root", 0) || is("a b", \'n\') || t; }',
    "src/t.c": b"",
    "tests/test_a.c": b'int main(void) { return check("root server", "n 80 t") + check("SKIP", "a"); }',
    "tests/test_b.c": b'int main(void) { return check("server port", "81"); }',
    "tests/help.h": b'#define PORT "port"',
    "tests/cli.sh": b'#!/bin/sh\nconf "server main"\nport "conf"\n',
    "tests/Makefile": b"all: main",
    "fuzz/fuzz_main.c": b'int main(void) { return puts("fuzzed"); }',
    "README": b"qqqq",
}
OWNED = [path for path in CONTENTS if not path.startswith(("src/", "README"))]


def test_literals_of_tests_are_read_and_no_build_file_or_fuzz_target() -> None:
    texts = read_test_texts(CONTENTS, OWNED)
    assert texts.words == {
        "tests/test_a.c": {"root", "server", "n", "80", "t", "SKIP", "a"},
        "tests/test_b.c": {"server", "port", "81"},
        "tests/help.h": {"port"},
        "tests/cli.sh": {"server", "main", "conf"},
    }


def test_words_of_the_product_of_commands_and_of_reports_are_protected() -> None:
    protected = read_test_texts(CONTENTS, OWNED).protected
    assert {"root", "n", "main", "conf", "port", "SKIP", "all", "test"} <= protected
    assert not {"server", "a", "t", "fuzzed", "80"} & protected


EXCHANGE = Substitution(str.maketrans("servpoatn80189", "zxjkqwdfm80918"))


def test_words_of_shared_files_change_together_and_those_of_programs_apart() -> None:
    contents = {**CONTENTS, "tests/cli.sh": b'#!/bin/sh\nconf "server main"\n'}
    groups = read_test_texts(contents, OWNED).word_groups(EXCHANGE)
    shared, *single = [{(change.word, change.paths) for change in group} for group in groups]
    assert shared == {("port", ("tests/help.h", "tests/test_b.c"))}
    assert single == [
        {(word, ("tests/test_a.c",)) for word in ("a", "n", "server", "t")},
        {("server", ("tests/cli.sh",))},
        {("server", ("tests/test_b.c",))},
    ]


def test_a_word_that_the_repository_has_replaces_none() -> None:
    texts = read_test_texts({**CONTENTS, "README": b"zxjkxj d"}, OWNED)
    words = {change.word for group in texts.word_groups(EXCHANGE) for change in group}
    assert words == {"a", "n", "t"}, "short words are everywhere"


def test_numbers_change_in_each_file_apart() -> None:
    groups = read_test_texts(CONTENTS, OWNED).number_groups(EXCHANGE)
    assert [change for group in groups for change in group] == [
        WordChange("80", ("tests/test_a.c",)),
        WordChange("81", ("tests/test_b.c",)),
    ]


def test_two_words_never_become_one() -> None:
    contents = {"tests/a.c": b'"ab cd ef"'}
    texts = read_test_texts(contents, ["tests/a.c"])
    swap = Substitution(str.maketrans("abcdef", "cdabxy"))
    both = [WordChange(word, ("tests/a.c",)) for word in ("ab", "cd")]
    assert texts.values(both, swap).files == {"tests/a.c": {"ab": "cd", "cd": "ab"}}
    assert texts.values(both[:1], swap).files == {}, "cd stays, and would be there twice"
    ef = WordChange("ef", ("tests/a.c",))
    assert texts.values([both[1], ef], swap).files == {"tests/a.c": {"ef": "xy"}}
