import datetime

import pytest

PLAN = """
concerts:
  - {title: Summer Night, date: 2026-06-20}
  - title: "Psalms"
    date: 2026-03-01
    singers: 24
"""


def test_plan():
    psalms, summer = read_season(PLAN)
    assert psalms == {"title": "Psalms", "date": datetime.date(2026, 3, 1), "singers": 24}, "the first one"
    assert summer["singers"] == 0, "nobody yet"


def test_empty_plan():
    assert read_season("concerts: []") == [], "no concerts"


@pytest.mark.parametrize("text", ["", "concerts", "concerts: 3", "concerts: [{title: a}]", "concerts: [{title: a, date: soon}]", "a: b: c", "concerts: [{title: 3, date: 2026-01-01}]"])
def test_other_texts(text):
    with pytest.raises(SeasonError):
        read_season(text)
