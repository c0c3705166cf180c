import pytest

DOCUMENT = b"""<timetable>
<stop name="Market"><run line="4" minute="500" towards="Harbour" days="workday" depot="no"/>
<run line="9" minute="490" towards="Yard" days="workday" depot="yes"/>
<run line="5" minute="700" towards="King's &quot;Gate&quot;" days="workday" depot="no"/></stop>
<stop name="St John's"><run line="2" minute="10" towards="Market" days="weekend" depot="no"/></stop>
<stop name='The "Bridge"'><run line="3" minute="20" towards="Market" days="workday" depot="no"/></stop>
</timetable>"""
FORMS = [
    "x{q} or {q}1{q}={q}1", "x{q} or 1=1 or {q}a{q}={q}b", "{q} or @depot={q}yes", "{q}]|//run[{q}1{q}={q}1",
    "Market{q} or {q}1{q}={q}2", "{q}]|stop/run[@depot={q}yes", "Market{q}]/run[@depot={q}yes{q}]|a[{q}", "{q} or name()={q}run",
]
ATTACKS = [form.replace("{q}", quote) for form in FORMS for quote in "'\""] + ["*", "'", '"', "a'b\"c", "$stop", "]"]


def outcome(call):
    try:
        return call(Timetable(DOCUMENT))
    except Exception as error:
        return f"raised {type(error).__name__}"


@pytest.mark.parametrize("text", ATTACKS)
@pytest.mark.parametrize("days", ["workday", "weekend"])
def test_no_stop_is_called_so(text, days):
    assert outcome(lambda t: t.departures(text, days)) == [], f"{text!r} is no stop's name"


@pytest.mark.parametrize("text", ATTACKS)
def test_no_stop_or_place_of_this_name_has_lines_or_runs(text):
    assert outcome(lambda t: t.lines(text)) == set(), f"{text!r} is no stop's name, and has no lines"
    assert outcome(lambda t: t.next_towards(text, "Harbour")) is None, f"{text!r} is no stop's name"
    assert outcome(lambda t: t.next_towards("Market", text)) is None, f"{text!r} is no place"


@pytest.mark.parametrize("text", ATTACKS)
def test_no_kind_of_day_is_called_so(text):
    assert outcome(lambda t: t.departures("Market", text)) == [], f"{text!r} is no kind of day"


def test_quotes_are_part_of_names():
    assert outcome(lambda t: t.lines("St John's")) == {"2"}, "an apostrophe in a stop's name"
    assert outcome(lambda t: len(t.departures("St John's", "weekend"))) == 1, "an apostrophe in a stop's name"
    assert outcome(lambda t: t.lines('The "Bridge"')) == {"3"}, "double quotes in a stop's name"
    assert outcome(lambda t: t.next_towards("Market", "King's \"Gate\"").line) == "5", "both in a place's name"


def test_minute_is_a_number():
    for after in ("0 or 1=1", "0] | //run[1"):
        result = outcome(lambda t: t.departures("Nowhere", "workday", after))
        assert result == [] or str(result).startswith("raised"), f"{after!r} reached the query: {result}"
