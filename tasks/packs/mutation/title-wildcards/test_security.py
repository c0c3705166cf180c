import signal
from contextlib import contextmanager

import pytest


class TooSlow(AssertionError):
    pass


@contextmanager
def quick(what, seconds=0.15):
    def late(*_):
        raise TooSlow(f"resource consumption: more than {seconds} s of CPU for {what}")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|a)+b", "(a*)*b", "(.+)+c", "([a-z]+)+!", "(a?){30}a{30}", "(a+)+(a+)+$"])
def test_patterns_are_no_expressions(pattern):
    with quick(f"the pattern {pattern}"):
        try:
            found = find_titles(["a" * 40, "a" * 29 + "!"], pattern)
        except ValueError:
            found = []
    assert found == [], f"the pattern {pattern} was read as a regular expression"


@pytest.mark.parametrize("pattern", ["*a" * 20, "*a*" * 13, "a*" * 20, "*" * 40, "*a*b" * 10, "*aa" * 13])
def test_many_asterisks(pattern):
    with quick(f"the pattern {pattern}"):
        find_titles(["a" * 3000 + "b"] * 3, pattern + "!"[: 40 - len(pattern)])


@pytest.mark.parametrize("pattern", ["v.rtigo", "r+ope", "[rR]ope", "rope|marnie", "r?ope", "^rope$", "\\w+", "rop\\w", "(rope)", "ro{1}pe", "."])
def test_other_characters_stand_for_themselves(pattern):
    assert find_titles(["Vertigo", "Rope", "Marnie"], pattern) == [], f"{pattern} was read as a regular expression"
    assert find_titles([f"a {pattern} b"], f"*{pattern}*") == [f"a {pattern} b"], f"{pattern} was not found as it is"


@pytest.mark.parametrize("title, pattern", [("Rope", "rop"), ("Rope", "op"), ("Rope", "ope"), ("Rope Trick", "r*e"), ("Rope", "*op"), ("Rope\n", "rope"), ("Rope", "o*")])
def test_whole_title_is_matched(title, pattern):
    assert find_titles([title], pattern) == [], f"{pattern} matched a part of {title!r}"


@pytest.mark.parametrize("length", [0, 41, 100, 5000, 10**6])
def test_length_is_limited(length):
    for pattern in ("x" * length, ("*a" * length)[:length]):
        with quick(f"a pattern of {length} characters"), pytest.raises(ValueError):
            find_titles(["a" * 500], pattern)
