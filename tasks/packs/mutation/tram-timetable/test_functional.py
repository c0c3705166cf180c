import pytest

DOCUMENT = b"""<timetable>
<stop name="Market"><run line="4" minute="500" towards="Harbour" days="workday" depot="no"/>
<run line="7" minute="480" towards="Zoo" days="workday" depot="no"/>
<run line="7" minute="600" towards="Zoo" days="weekend" depot="no"/>
<run line="9" minute="490" towards="Yard" days="workday" depot="yes"/></stop>
<stop name="Zoo"><run line="7" minute="530" towards="Market" days="workday" depot="no"/></stop>
</timetable>"""


@pytest.fixture
def table():
    return Timetable(DOCUMENT)


def test_departures_by_minute(table):
    runs = table.departures("Market", "workday")
    assert runs == [Departure("7", 480, "Zoo"), Departure("4", 500, "Harbour")], "in order, without the depot's"
    assert table.departures("Market", "workday", after=481) == [Departure("4", 500, "Harbour")], "from then on"


def test_lines(table):
    assert table.lines("Market") == {"4", "7"}, "lines of a stop"
    assert table.lines("Nowhere") == set(), "no such stop"


def test_next_towards(table):
    assert table.next_towards("Market", "Zoo", 481) == Departure("7", 600, "Zoo"), "the next one"
    assert table.next_towards("Market", "Moon") is None, "no such place"


@pytest.mark.parametrize("after", [-1, 1440])
def test_minute_of_no_day(table, after):
    with pytest.raises(ValueError):
        table.departures("Market", "workday", after)
