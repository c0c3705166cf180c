import pytest

CATALOGUE = b"""<plants>
<plant latin="Rosa secreta" public="no"><height>0.7</height></plant>
<plant latin="Acer campestre" public="yes"><height>12</height></plant>
<plant latin="Rosa 'Nuits d&quot;Young'" public="yes"><height>1.1</height></plant>
<plant latin="Rosa d'Ispahan" public="yes"><height>1.4</height></plant>
</plants>"""

NAMES = [
    "x' or '1'='1", "x' or 1=1 or 'a'='b", 'x" or "1"="1', 'x" or 1=1 or "a"="b',
    "Rosa secreta' or @latin='Rosa secreta", "'] | //plant[@latin='Rosa secreta", '"] | //plant[@latin="Rosa secreta',
    "x'] | //plant['1", "x' or starts-with(@latin,'Rosa') or 'a'='b", "' or position()=1 or '",
    "concat('Acer ','campestre')", "x') or ('1'='1", "Acer campestre' and 'a'='a", "*", "@latin",
    "x&apos; or &apos;1&apos;=&apos;1", "$latin",
]


def outcome(name):
    try:
        return plant_height(CATALOGUE, name)
    except Exception as error:
        return f"raised {type(error).__name__}"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_finds_only_the_plant_that_bears_it(name):
    height = outcome(name)
    assert height is None, f"no plant is called {name!r}, and yet the answer is {height}"


@pytest.mark.parametrize("name, height", [("Rosa d'Ispahan", 1.4), ("Rosa 'Nuits d\"Young'", 1.1)])
def test_quotes_are_part_of_a_name(name, height):
    assert outcome(name) == height, f"{name!r} is the name of a plant, not part of the query"


@pytest.mark.parametrize("name", ["it's", 'the "best"', "a'b\"c", "'", '"', "]", "\\'"])
def test_stray_quotes_do_not_break_the_query(name):
    assert outcome(name) is None, f"the query is malformed by {name!r}"
