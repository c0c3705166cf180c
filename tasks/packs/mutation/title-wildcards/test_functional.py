import pytest

FILMS = ["Vertigo", "Rear Window", "Rope", "The Birds", "Marnie"]


def test_beginning_and_end():
    assert find_titles(FILMS, "r*") == ["Rear Window", "Rope"], "beginning"
    assert find_titles(FILMS, "*S") == ["The Birds"], "end, capitals make no difference"


def test_in_between_and_whole():
    assert find_titles(FILMS, "*e*i*") == ["Vertigo", "Rear Window", "The Birds"], "two parts in order"
    assert find_titles(FILMS, "rope") == ["Rope"], "the whole title"
    assert find_titles(FILMS, "rop") == [], "a part only"


@pytest.mark.parametrize("pattern", ["", "x" * 41])
def test_length(pattern):
    with pytest.raises(ValueError):
        find_titles(FILMS, pattern)
