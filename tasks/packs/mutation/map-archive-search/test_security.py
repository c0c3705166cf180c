import pytest

INDEX = b"""<index>
<map sig="M-9" open="no"><title>Fort plan</title><region>North</region><maker>Crown</maker><year>1800</year></map>
<map sig="M-1" open="yes"><title>Sailor's Chart</title><region>Land's End</region><maker>O'Neil "Sons"</maker><year>1820</year></map>
<map sig="it's" open="yes"><title>Hills</title><region>South</region><maker>Jo</maker><year>1850</year></map>
</index>"""
FORMS = [
    "x{q} or {q}1{q}={q}1", "x{q} or 1=1 or {q}a{q}={q}b", "{q}]|/index/map[@open={q}no", "{q} or @open={q}no",
    "x{q}) or contains({q}a{q},{q}a", "x{q})]|//map[contains({q}a{q},{q}a", "{q}] | //map[{q}1{q}={q}1",
    "x{q}]/title|//map[@open={q}no{q}]/title[{q}1{q}={q}1", "x{q}]|//map/title[{q}1{q}={q}1",
]
TEXTS = [form.replace("{q}", q) for form in FORMS for q in "'\""] + ["a'b\"c", "*", "$title"]


def outcome(call):
    try:
        return call(Archive(INDEX))
    except Exception as error:
        return f"raised {type(error).__name__}"


@pytest.mark.parametrize("name", ["title", "maker", "region"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_criterion_that_no_map_fulfils(name, text):
    assert outcome(lambda a: a.search({name: text})) == [], f"no map has the {name} {text!r}"


@pytest.mark.parametrize("text", TEXTS)
def test_a_signature_that_no_map_bears(text):
    assert outcome(lambda a: a.by_signature(text)) is None, f"no map has the signature {text!r}"


@pytest.mark.parametrize("text", TEXTS)
def test_titles_of_what_does_not_exist(text):
    assert outcome(lambda a: a.titles_of(text, "Crown")) == [], f"there is no region {text!r}"
    assert outcome(lambda a: a.titles_of("North", text)) == [], f"there is no maker {text!r}"


@pytest.mark.parametrize("criteria", [
    {"title' or '1'='1": "x"}, {"@open='no' or title": "x"}, {"sig": "M-9"}, {"open": "no"}, {"title) or contains(region": "North"},
])
def test_names_of_criteria_are_fixed(criteria):
    with pytest.raises(ValueError):
        Archive(INDEX).search(criteria)


@pytest.mark.parametrize("value", ["1 or 1=1", "1] | //map[1", "0 or @open='no'", "1' or '1'='1", "year", ""])
@pytest.mark.parametrize("name", ["from", "to"])
def test_years_are_numbers(name, value):
    result = outcome(lambda a: a.search({name: value}))
    assert result == "raised ValueError", f"{value!r} is no year, and the result is {result}"


def test_quotes_stand_for_themselves():
    assert [e.signature for e in Archive(INDEX).search({})] == ["M-1", "it's"], "open maps only"
    assert outcome(lambda a: len(a.search({"title": "SAILOR'S"}))) == 1, "an apostrophe in a title"
    assert outcome(lambda a: len(a.search({"maker": 'o\'neil "sons"'}))) == 1, "both quotes in a maker"
    assert outcome(lambda a: len(a.search({"region": "Land's End"}))) == 1, "an apostrophe in a region"
    assert outcome(lambda a: a.by_signature("it's").title) == "Hills", "an apostrophe in a signature"
    assert outcome(lambda a: a.titles_of("Land's End", 'O\'Neil "Sons"')) == ["Sailor's Chart"], "in both"
