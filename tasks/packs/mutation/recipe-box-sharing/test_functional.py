import pytest


def test_own_recipes():
    box = RecipeBox()
    number = box.add(7, "Soup", "Boil.")
    assert number == 1 and box.read(7, 1) == ("Soup", "Boil."), "as it was added"
    box.write(7, 1, "Boil long.")
    assert box.read(7, 1)[1] == "Boil long." and box.shelf(7) == [1], "changed"
    box.delete(7, 1)
    assert box.shelf(7) == [], "gone"


def test_sharing():
    box = RecipeBox()
    box.add(7, "Soup", "Boil.")
    box.share(7, 1, 8)
    assert box.read(8, 1) == ("Soup", "Boil.") and box.shelf(8) == [1], "a reader"
    with pytest.raises(PermissionError):
        box.write(8, 1, "Fry.")
    box.share(7, 1, 8, write=True)
    box.write(8, 1, "Fry.")
    assert box.read(7, 1)[1] == "Fry.", "a writer"
    box.unshare(7, 1, 8)
    assert box.shelf(8) == [], "taken back"


def test_unknown_number():
    for call in (lambda: RecipeBox().read(7, 1), lambda: RecipeBox().delete(7, 1)):
        with pytest.raises(KeyError):
            call()
