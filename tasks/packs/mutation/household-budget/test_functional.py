import pytest


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


def site():
    return BudgetSite(b"k" * 32, Clock())


def send(pages, action, session="s1", **fields):
    return pages.post(session, action, {"token": pages.form(session, action), **fields})


def test_add_and_move():
    pages = site()
    assert send(pages, "add", pot="rent", amount="700") == 200, "money goes into a pot"
    assert send(pages, "move", pot="rent", target="fun", amount="50") == 200, "money moves"
    assert pages.pots("s1") == {"rent": 650, "fun": 50}, "both pots"
    assert pages.pots("s2") == {}, "another session has its own pots"


@pytest.mark.parametrize("amount", ["", "0", "-5", "ten", "1.5"])
def test_amounts(amount):
    assert send(site(), "add", pot="rent", amount=amount) == 422, "a whole number above 0 is needed"


def test_move_needs_money():
    pages = site()
    assert send(pages, "move", pot="rent", target="fun", amount="5") == 404, "no such pot yet"
    send(pages, "add", pot="rent", amount="4")
    assert send(pages, "move", pot="rent", target="fun", amount="5") == 422, "not enough"


def test_unknown_action_and_old_page():
    clock = Clock()
    pages = BudgetSite(b"k" * 32, clock)
    assert pages.post("s1", "burn", {}) == 404, "unknown action"
    token = pages.form("s1", "add")
    clock.now += 3000
    assert pages.post("s1", "add", {"token": token, "pot": "a", "amount": "1"}) == 200, "within the hour"
    clock.now += 3000
    assert pages.post("s1", "add", {"token": token, "pot": "a", "amount": "1"}) == 403, "too old"
