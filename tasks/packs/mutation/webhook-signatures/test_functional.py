import re

import pytest

SECRET = b"a shared secret of some length"


def test_round_trip():
    header = sign(SECRET, b'{"id": 7}', 1000)
    assert re.fullmatch(r"t=1000,v=[0-9a-f]+", header), f"form of the header: {header}"
    assert accept(SECRET, b'{"id": 7}', header, now=1100), "a fresh header is accepted"


def test_too_old_and_too_new():
    header = sign(SECRET, b"x", 1000)
    assert not accept(SECRET, b"x", header, now=1301), "too old"
    assert not accept(SECRET, b"x", header, now=600), "too far in the future"
    assert accept(SECRET, b"x", header, now=1301, tolerance=400), "the tolerance can be set"


@pytest.mark.parametrize("header", ["", "v=abc", "t=x,v=abc", "t=1000"])
def test_other_forms(header):
    assert accept(SECRET, b"x", header, now=1000) is False, "not a header of ours"


def test_empty_secret():
    with pytest.raises(ValueError):
        sign(b"", b"x", 1)
