import pytest


def test_kinds_of_values():
    text = "# mine\nzoom = 1.5\nname = 'Zoe = me'\n\nrecent = ['a', 'b']\ndark = True\nkeys = {'up': 1}\nlast = None"
    expected = {"zoom": 1.5, "name": "Zoe = me", "recent": ["a", "b"], "dark": True, "keys": {"up": 1}, "last": None}
    assert parse_preferences(text) == expected, "all kinds of literals"


def test_later_lines_win():
    assert parse_preferences("zoom = 1\nzoom = -2") == {"zoom": -2}, "the later line wins"


@pytest.mark.parametrize("line", ["zoom", "1x = 2", "zoom = (1", "zoom = big"])
def test_malformed(line):
    with pytest.raises(ValueError):
        parse_preferences(line)
