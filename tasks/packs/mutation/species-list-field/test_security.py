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


FIELDS = {
    "letters and an exclamation mark": "a" * 1990 + "!",
    "few letters and an exclamation mark": "a" * 32 + "!",
    "blanks": " " * 1990 + "!",
    "commas": "," * 1990,
    "letters with blanks": "a " * 990 + "1",
    "names": "Pica pica," * 199 + "9",
    "one name with a digit": "Pica " + "p" * 40 + "1",
    "three long words": "a" * 600 + " " + "a" * 600 + " " + "a" * 600 + "\n",
    "a name with blanks after it": "Pica pica" + " " * 1900 + "x1",
    "letters with commas": "a,a " * 400 + "$",
}


@pytest.mark.parametrize("what", FIELDS)
def test_refused_quickly(what):
    with quick(what), pytest.raises(ValueError):
        parse_species(FIELDS[what])


@pytest.mark.parametrize("length", [2001, 5000, 3_000_000])
def test_length_is_limited(length):
    field = ("Pica pica," * (length // 10 + 1))[: length - 9] + "Pica pica"
    for text in (field, "a" * length, "P " + "a" * (length - 2), "Pica pica" + " " * (length - 9)):
        with quick(f"{length} characters"), pytest.raises(ValueError):
            parse_species(text)


@pytest.mark.parametrize("field", ["Pica pica\n", "Pica\tpica", "Pica pic\u00e4", "Pica pica,,Pica pica", "Pica pica\nPica pica", "<b> x", "Pica 'pica", "1 Pica pica", "a b c d", "Pica" + " pica" * 300])
def test_only_names(field):
    with pytest.raises(ValueError):
        parse_species(field)
