import random
import sqlite3
from functools import partial

import pytest


def new_desk():
    return CodeDesk(sqlite3.connect(":memory:"), clock=lambda: 1700000000.0)


def tickets(desk):
    return [desk.issue("ada")[0] for _ in range(3)]


def codes(desk):
    return [desk.issue("ada")[1] for _ in range(6)]


def backups(desk):
    return sorted(desk.backup_codes("ada", 4))


@pytest.mark.parametrize("draw", [tickets, codes, backups])
def test_two_desks_started_together_differ(draw):
    assert draw(new_desk()) != draw(new_desk()), "values follow from the time of the start"


@pytest.mark.parametrize("draw", [tickets, codes, backups])
def test_known_seed_tells_nothing(draw):
    random.seed(11)
    first = draw(new_desk())
    random.seed(11)
    assert draw(new_desk()) != first, "values follow from the seed of the shared generator"


@pytest.mark.parametrize("draw", [tickets, codes, backups])
def test_known_state_tells_nothing(draw, monkeypatch):
    plain_seed = random.Random.__mro__[1].seed
    monkeypatch.setattr(random.Random, "seed", lambda self, *a, **k: plain_seed(self, 5))
    random.seed(5)
    first = draw(new_desk())
    random.seed(5)
    assert draw(new_desk()) != first, "values come from a generator whose state can be recovered"


def test_intruder_does_not_sign_in_with_a_predicted_code():
    random.seed(77)
    desk = new_desk()
    ticket, _ = desk.issue("victim")
    random.seed(77)
    _, guess = new_desk().issue("victim")
    random.seed(77)
    _, second_guess = new_desk().issue("victim")
    results = {desk.check(ticket, guess), desk.check(ticket, second_guess)}
    assert Result.ACCEPTED not in results, "a code computed elsewhere was accepted"


def test_tickets_are_long_and_unrelated():
    desk = new_desk()
    drawn = [desk.issue("ada")[0] for _ in range(40)]
    assert all(len(t) >= 32 for t in drawn), "a ticket holds less than 128 bits"
    changing = sum(len({t[i] for t in drawn}) > 4 for i in range(32))
    assert changing >= 30, f"only {changing} digits change from ticket to ticket"


def test_codes_are_spread():
    desk = new_desk()
    drawn = [int(desk.issue("ada")[1]) for _ in range(300)]
    assert max(drawn) > 900000 and min(drawn) < 100000, "codes come from a part of the range only"
    assert len(set(drawn)) > 290, "codes repeat too often"
