import sqlite3

import pytest

PEOPLE = {"director": 1, "arbiter": 2, "player": 3, "nobody": 99, "none": None, "text": "1 OR 1=1", "zero": 0}


def opened():
    league = League(sqlite3.connect(":memory:"))
    league.appoint(None, 1, "director")
    league.appoint(1, 2, "arbiter")
    league.appoint(1, 3, "player")
    league.report(1, "Ann", "Ben", "1-0")
    return league


ACTIONS = {
    "report": lambda league, who: league.report(who, "Eve", "Ben", "1-0"),
    "correct": lambda league, who: league.correct(who, 1, "0-1"),
    "strike": lambda league, who: league.strike(who, 1),
    "appoint": lambda league, who: league.appoint(who, 50, "director"),
    "promote": lambda league, who: league.appoint(who, who, "director"),
}
ALLOWED = {"report": {"director", "arbiter"}, "correct": {"director"}, "strike": {"director"}, "appoint": {"director"}, "promote": {"director"}}


def everything(league):
    return list(league.db.execute("SELECT * FROM officials")) + list(league.db.execute("SELECT * FROM games"))


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("person", PEOPLE)
def test_who_may_not_changes_nothing(action, person):
    league = opened()
    before = everything(league)
    try:
        result = ACTIONS[action](league, PEOPLE[person])
    except Exception as error:
        result = error
    if person in ALLOWED[action]:
        assert not isinstance(result, Exception), f"{action} by the {person} was refused: {result!r}"
    else:
        assert isinstance(result, PermissionError), f"{action} by {person} was not refused: {result!r}"
        assert everything(league) == before, f"{action} by {person} has changed the league"


@pytest.mark.parametrize("role", ["", "Director", "player", "arbiter ", "direct", "arbiter,director", "co-director"])
def test_other_roles_give_no_rights(role):
    league = opened()
    league.appoint(1, 7, role)
    for action in ("correct", "strike", "appoint"):
        before = everything(league)
        with pytest.raises(PermissionError):
            ACTIONS[action](league, 7)
        assert everything(league) == before, f"the role {role!r} was enough for {action}"


def test_a_demoted_director_has_lost_the_rights():
    league = opened()
    league.appoint(1, 4, "director")
    league.appoint(4, 1, "player")
    for action in ACTIONS:
        with pytest.raises(PermissionError):
            ACTIONS[action](league, 1)


def test_appointing_is_open_only_while_there_are_no_officials():
    league = League(sqlite3.connect(":memory:"))
    assert league.appoint(9, 9, "arbiter") == "arbiter", "the first official"
    for person in (9, 10, None):
        with pytest.raises(PermissionError):
            league.appoint(person, 10, "director")


def test_a_stranger_does_not_learn_which_games_exist():
    for game in (1, 77):
        with pytest.raises(PermissionError):
            opened().strike(99, game)
