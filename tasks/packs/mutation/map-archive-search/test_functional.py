import pytest

INDEX = b"""<index>
<map sig="M-3" open="yes"><title>Coast of Elm</title><region>North</region><maker>Ann Bell</maker><year>1790</year></map>
<map sig="M-1" open="yes"><title>Elm River</title><region>North</region><maker>Ann Bell</maker><year>1820</year></map>
<map sig="M-2" open="yes"><title>Hills</title><region>South</region><maker>Jo Carr</maker><year>1850</year></map>
<map sig="M-9" open="no"><title>Elm Fort</title><region>North</region><maker>Ann Bell</maker><year>1800</year></map>
</index>"""


@pytest.fixture
def archive():
    return Archive(INDEX)


def signatures(entries):
    return [e.signature for e in entries]


@pytest.mark.parametrize("criteria, expected", [
    ({}, ["M-1", "M-2", "M-3"]), ({"title": "elm"}, ["M-1", "M-3"]), ({"maker": "CARR"}, ["M-2"]),
    ({"region": "North", "from": "1800"}, ["M-1"]), ({"from": "1780", "to": "1825"}, ["M-1", "M-3"]), ({"region": "north"}, []),
])
def test_search(archive, criteria, expected):
    assert signatures(archive.search(criteria)) == expected, f"maps for {criteria}"


def test_limit(archive):
    assert signatures(archive.search({}, limit=2)) == ["M-1", "M-2"], "the first two"
    for limit in (0, 101):
        with pytest.raises(ValueError):
            archive.search({}, limit)


@pytest.mark.parametrize("criteria", [{"colour": "red"}, {"from": "early"}, {"title": 5}])
def test_bad_criteria(archive, criteria):
    with pytest.raises(ValueError):
        archive.search(criteria)


def test_single_map_and_titles(archive):
    assert archive.by_signature("M-2") == Entry("M-2", "Hills", 1850), "one map"
    assert archive.by_signature("M-9") is None, "this one is not open"
    assert archive.titles_of("North", "Ann Bell") == ["Coast of Elm", "Elm River"], "sorted titles"
