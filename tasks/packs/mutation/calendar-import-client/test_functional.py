import pytest
import requests

BASE = "https://cal.choir.example/v1/"


@pytest.fixture
def calendars():
    requests.set_response(BASE + "north/2024-05.json", json={"entries": [{"day": "2024-05-01", "title": "May song"}], "next": "2024-05.json?page=2"})
    requests.set_response(BASE + "north/2024-05.json?page=2", json={"entries": [{"day": "2024-05-20", "title": "Fair"}]})
    return CalendarImport({"choir": BASE, "zoo": "https://zoo.example/"})


def test_all_pages(calendars):
    found = calendars.month("choir", "north", 2024, 5)
    assert found == [Entry("2024-05-01", "May song"), Entry("2024-05-20", "Fair")], "entries of both pages"


def test_subscribe(calendars):
    assert calendars.subscribe(BASE + "north/2024-05.json?page=2") == "choir", "the partner's name"
    with pytest.raises(ValueError):
        calendars.subscribe("https://other.example/x.json")


def test_wrong_calls(calendars):
    requests.set_response(BASE + "south/2024-06.json", status=404)
    for call, error in ((lambda: calendars.month("gym", "north", 2024, 5), KeyError), (lambda: calendars.month("choir", "North", 2024, 5), ValueError),
                        (lambda: calendars.month("choir", "north", 2024, 13), ValueError), (lambda: calendars.month("choir", "south", 2024, 6), RuntimeError)):
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("base", ["http://cal.example/", "https:///v1/", "https://cal.example/v1"])
def test_base_addresses(base):
    with pytest.raises(ValueError):
        CalendarImport({"x": base})
