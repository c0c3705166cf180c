import pytest

ROWS = [
    {"name": "Ann", "age": 31, "city": "Oslo"},
    {"name": "Bo", "age": 12, "city": "Bergen"},
    {"name": "Cy", "age": 55},
]


def names(expression):
    return [row["name"] for row in RowFilter(expression).keep(ROWS)]


def test_comparisons():
    assert names("age >= 18") == ["Ann", "Cy"], "numbers"
    assert names("10 < age < 50") == ["Ann", "Bo"], "chained"
    assert names('city == "Oslo"') == ["Ann"], "texts"
    assert names("age + 1 == 13 or age - 5 * 2 == 45") == ["Bo", "Cy"], "sums"


def test_lists_and_logic():
    assert names('lower(city) in ("oslo", "bergen") and not age < 18') == ["Ann"], "in a tuple"
    assert names('name not in ["Ann", "Bo"]') == ["Cy"], "not in a list"


def test_functions():
    assert names('starts(name, "A")') == ["Ann"] and names("length(name) == 2") == ["Bo", "Cy"], "functions of texts"


def test_rows_that_do_not_fit():
    assert names("name < 3") == [] and names("lower(age) == 1") == [], "values that do not go together"
    assert RowFilter("age > 1 and city != name").columns == {"age", "city", "name"}, "the columns are known"


@pytest.mark.parametrize("expression", ["", "age >", "age = 3", "age / 2 > 1", "name[0]"])
def test_malformed(expression):
    with pytest.raises(FilterError):
        RowFilter(expression)
