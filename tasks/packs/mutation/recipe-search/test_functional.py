def book():
    book = RecipeBook()
    book.add("Pumpkin soup", "ann")
    book.add("Onion soup", "ben")
    book.add("Secret soup", "ann", public=False)
    return book


def test_finds_by_word():
    assert book().search("soup") == ["Pumpkin soup", "Onion soup"], "public recipes in order"


def test_capitals_do_not_matter():
    assert book().search("ONION") == ["Onion soup"], "capitals do not matter"


def test_by_cook():
    assert book().search("soup", cook="ben") == ["Onion soup"], "one cook's recipes"
    assert book().search("cake") == [], "nothing found"


def test_numbers():
    assert book().add("Bread", "cleo") == 4, "numbers go up"
