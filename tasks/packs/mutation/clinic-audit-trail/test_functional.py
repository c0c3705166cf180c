from datetime import datetime, timezone

import pytest

NOON = datetime(2024, 5, 17, 12, 0, tzinfo=timezone.utc)


@pytest.fixture
def trail(tmp_path):
    return AuditTrail(tmp_path / "trail.log", lambda: NOON)


def test_record_and_read(trail):
    trail.record("dr.weiß", "edit", "patient 12", field="blood group", old="A", new="0 +")
    assert trail.entries() == [
        Entry(NOON, "dr.weiß", "edit", "patient 12", {"field": "blood group", "old": "A", "new": "0 +"})
    ], "the entry is read back"


def test_by_actor_and_tail(trail):
    for actor in ("kim", "lou", "kim"):
        trail.record(actor, "view", "patient 3")
    assert len(trail.by_actor("kim")) == 2, "those of one actor"
    assert trail.tail(1) == "2024-05-17T12:00:00+00:00\tkim\tview\tpatient 3", "the last line"
    assert trail.tail(0) == "", "no line"


def test_unknown_action(trail):
    with pytest.raises(ValueError):
        trail.record("kim", "steal")
    assert trail.entries() == [], "nothing was recorded"


def test_long_texts_are_cut(trail):
    trail.record("kim", "view", "x" * 900)
    assert trail.entries()[0].subject == "x" * 500 + "…", "cut"


def test_bad_line(trail, tmp_path):
    (tmp_path / "trail.log").write_text("hello\n")
    with pytest.raises(TrailError):
        trail.entries()
