import pytest


def test_picks():
    pick = make_picker({"price": "unit price", "name": "article"})
    assert pick({"article": "nut", "unit price": 3, "shelf": "A"}) == {"price": 3, "name": "nut"}, "the named columns"
    assert list(pick({"article": 1, "unit price": 2})) == ["price", "name"], "in their order"


def test_name():
    assert make_picker({"a": "x", "b2": "50%"}).__name__ == "pick_a_b2", "it is named after the columns"


def test_missing_key():
    with pytest.raises(KeyError):
        make_picker({"a": "x"})({})


@pytest.mark.parametrize("columns", [{}, {"": "x"}, {"two words": "x"}, {"1st": "x"}])
def test_bad_columns(columns):
    with pytest.raises(ValueError):
        make_picker(columns)
