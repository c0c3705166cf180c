import pytest


def test_round_trip():
    kept = protect_pin("4711")
    assert pin_matches("4711", kept), "the right PIN matches"
    assert not pin_matches("4712", kept), "another PIN does not"


def test_kept_text_is_printable():
    kept = protect_pin("90210")
    assert kept.isprintable() and " " not in kept, f"not fit for a file: {kept!r}"


@pytest.mark.parametrize("pin", ["123", "123456789", "12a4", "", "12 34"])
def test_bad_pin(pin):
    with pytest.raises(ValueError):
        protect_pin(pin)


def test_foreign_text():
    assert not pin_matches("4711", "no such thing!"), "a foreign text matches nothing"
