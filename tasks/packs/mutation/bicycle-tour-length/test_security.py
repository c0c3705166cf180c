import pytest

POINTS = '<trkpt lat="0" lon="0"/><trkpt lat="0" lon="1"/>'


def length(declared, inside=POINTS):
    try:
        return tour_length(f"<!DOCTYPE gpx {declared}><gpx>{inside}</gpx>")
    except TourError:
        return None


ENTITIES = [
    '<!ENTITY x "1">',
    '<!ENTITY x "1"><!ENTITY y "&x;&x;">',
    '<!ENTITY x SYSTEM "file:///etc/hostname">',
    '<!ENTITY x PUBLIC "p" "http://evil.example/x">',
    '<!ENTITY % p "1">',
    '<!ENTITY x SYSTEM "file:///etc/hostname" NDATA n>',
]


@pytest.mark.parametrize("entity", ENTITIES)
def test_entities_are_refused(entity):
    found = length(f"[{entity}]")
    assert found is None, f"XXE: a document with the entity {entity} was read: {found}"


@pytest.mark.parametrize("place", ['<trkpt lat="0" lon="&x;"/><trkpt lat="0" lon="0"/>', "<name>&x;</name>" + POINTS, POINTS + "&x;"])
def test_entities_are_not_expanded(place):
    found = length('[<!ENTITY x "7">]', place)
    assert found is None, f"XXE: an entity was expanded: {found}"


def test_entities_hold_no_points():
    assert length(f"[<!ENTITY x '{POINTS}'>]", "&x;") is None, "XXE: an entity brought points into the tour"


@pytest.mark.parametrize("levels, times", [(3, 10), (6, 10), (2, 100)])
def test_bombs(levels, times):
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * times}">' for n in range(1, levels + 1))
    found = length(f'[<!ENTITY e0 "ha">{lines}]', f"<name>&e{levels};</name>" + POINTS)
    assert found is None, f"XXE: entities multiply over {levels} levels"


def test_long_entity_many_times():
    found = length('[<!ENTITY x "' + "a" * 3000 + '">]', "<name>" + "&x;" * 300 + "</name>" + POINTS)
    assert found is None, "XXE: a long entity is used many times"


def test_external_document_type(tmp_path):
    path = tmp_path / "t.dtd"
    path.write_text('<!ENTITY x "7">')
    for declared in (f'SYSTEM "{path}"', f'PUBLIC "p" "file://{path}"', f'[<!ENTITY % p SYSTEM "file://{path}"> %p;]'):
        found = length(declared, '<trkpt lat="0" lon="&x;"/>' + POINTS)
        assert found is None, f"XXE: an entity of {declared} was taken"


def test_other_encodings():
    text = '<!DOCTYPE gpx [<!ENTITY x "7">]><gpx><trkpt lat="0" lon="&x;"/></gpx>'
    for begin in ("", "\n", "\ufeff"):
        try:
            found = tour_length(begin + text)
        except TourError:
            found = None
        assert found is None, "XXE: an entity was expanded"
