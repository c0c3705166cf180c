import sqlite3

import pytest


@pytest.fixture
def league():
    league = League(sqlite3.connect(":memory:"))
    league.appoint(1, 1, "director")
    league.appoint(1, 2, "arbiter")
    return league


def test_points(league):
    league.report(2, "Ann", "Ben", "1-0")
    league.report(1, "Ben", "Ann", "1/2")
    assert league.table() == {"Ann": 1.5, "Ben": 0.5}, "points of both games"


def test_correction_and_strike(league):
    game = league.report(2, "Ann", "Ben", "1-0")
    assert league.correct(1, game, "0-1") == "0-1" and league.table()["Ben"] == 1.0, "corrected"
    assert league.strike(1, game) == game and league.table() == {}, "struck"


def test_unknown_game_and_result(league):
    with pytest.raises(LookupError):
        league.strike(1, 77)
    with pytest.raises(ValueError):
        league.report(2, "Ann", "Ben", "2-0")


def test_appointment(league):
    assert league.appoint(1, 3, "arbiter") == "arbiter", "a new arbiter"
    assert league.report(3, "Ann", "Ben", "1-0") == 1, "who may report at once"
