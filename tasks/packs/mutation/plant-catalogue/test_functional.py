import pytest

CATALOGUE = b"""<plants>
<plant latin="Acer campestre" public="yes"><height>12</height></plant>
<plant latin="Rosa canina" public="yes"><height>2.5</height></plant>
<plant latin="Rosa secreta" public="no"><height>0.7</height></plant>
</plants>"""


@pytest.mark.parametrize("name, height", [("Acer campestre", 12.0), ("Rosa canina", 2.5)])
def test_known_plant(name, height):
    assert plant_height(CATALOGUE, name) == height, f"the height of {name}"


def test_unknown_plant():
    assert plant_height(CATALOGUE, "Quercus robur") is None, "not in the catalogue"


def test_plant_that_is_not_public():
    assert plant_height(CATALOGUE, "Rosa secreta") is None, "only public plants are told"


def test_whole_name_counts():
    assert plant_height(CATALOGUE, "Rosa") is None, "part of a name is no name"
