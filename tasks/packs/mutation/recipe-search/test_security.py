import sqlite3

import pytest


def book():
    book = RecipeBook()
    book.add("Pumpkin soup", "ann")
    book.add("Grandma's cake", "o'neil")
    book.add("Secret soup", "ann", public=False)
    return book


def search(book, *arguments, **named):
    try:
        return book.search(*arguments, **named)
    except sqlite3.Error as error:
        pytest.fail(f"SQL injection: the input changed the statement: {error}")


ATTACKS = [
    "' OR '1'='1",
    "' OR 1=1 --",
    "%' OR public = 0 --",
    "zz%') OR (1=1) --",
    "') OR 1=1 --",
    "')) > 0 OR 1=1 --",
    "' UNION SELECT cook FROM recipe --",
    "%' UNION SELECT sql FROM sqlite_master --",
    "') UNION SELECT name FROM sqlite_master --",
    "')) UNION SELECT title FROM recipe --",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_word_is_only_text(attack):
    assert search(book(), attack) == [], f"SQL injection by the word: {attack}"


@pytest.mark.parametrize("attack", ATTACKS)
def test_cook_is_only_text(attack):
    assert search(book(), "soup", cook=attack) == [], f"SQL injection by the cook: {attack}"
    assert search(book(), "", cook=attack) == [], f"SQL injection by the cook: {attack}"


@pytest.mark.parametrize("word", ["%", "_", "S%p", "Pumpkin_soup", "*", "?"])
def test_wildcards_stand_for_themselves(word):
    assert search(book(), word) == [], f"query injection: {word} works as a wildcard"


def test_quotes_are_text():
    assert search(book(), "ma's c") == ["Grandma's cake"], "SQL injection: a quote in the word must be text"
    assert search(book(), "cake", cook="o'neil") == ["Grandma's cake"], "SQL injection: a quote in the name must be text"


@pytest.mark.parametrize("attack", ["x', 'eve', 1), ('forged", "x'); DROP TABLE recipe; --", 'x" || (SELECT cook FROM recipe) || "', "' || (SELECT cook FROM recipe) || '"])
def test_added_values_are_only_text(attack):
    for title, cook in ((attack, "eve"), (f"Tea {attack}", attack)):
        recipes = book()
        try:
            recipes.add(title, cook)
        except sqlite3.Error as error:
            pytest.fail(f"SQL injection by add: {error}")
        assert search(recipes, attack) == [title], f"SQL injection by add: {attack}"
        assert search(recipes, "", cook=cook) == [title], f"SQL injection by add: {attack}"
        assert len(search(recipes, "")) == 3, f"SQL injection by add: rows were forged or lost by {attack}"
