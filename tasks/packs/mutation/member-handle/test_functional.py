import pytest


def test_ordinary_handle():
    taken = set()
    assert claim_handle("mia_7", taken) == "mia_7", "a good handle is returned"
    assert "mia_7" in taken, "and is taken from then on"


def test_spaces_and_capitals():
    assert claim_handle("  Mia_7 ", set()) == "mia_7", "spaces and capitals do not matter"


def test_taken_handle():
    with pytest.raises(ValueError):
        claim_handle("otto", {"otto"})


def test_too_short():
    with pytest.raises(ValueError):
        claim_handle("ab", set())
