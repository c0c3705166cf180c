import pytest

KEY = b"k" * 32


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


def site(clock=None, key=KEY):
    return BudgetSite(key, clock or Clock())


def forged(pages, token, session="victim", action="add"):
    fields = {"pot": "rent", "target": "thief", "amount": "5"}
    before = pages.pots(session)
    try:
        status = pages.post(session, action, fields if token is ... else {**fields, "token": token})
    except Exception:
        status = 500
    return pages.pots(session) != before or status == 200


@pytest.mark.parametrize("token", [..., "", None, "x", ".", "1000000", "1000000.", "1000000." + "0" * 64, "999999." + "a" * 64, "." + "f" * 64, "\u0661.\u0661", "1000000.\u00e9"])
def test_forged_tokens(token):
    assert not forged(site(), token), f"CSRF: a form with token {token!r} was carried out"


@pytest.mark.parametrize("other", ["thief", "victim2", "victi", "", "Victim", "victim\nadd"])
def test_token_of_another_session(other):
    pages = site()
    assert not forged(pages, pages.form(other, "add")), f"CSRF: the token of session {other!r} was taken"


def test_token_of_another_action():
    pages = site()
    pages.post("victim", "add", {"token": pages.form("victim", "add"), "pot": "rent", "amount": "90"})
    assert not forged(pages, pages.form("victim", "add"), action="move"), "CSRF: a token for `add` moved money"
    assert not forged(pages, pages.form("victim", "move"), action="add"), "CSRF: a token for `move` added money"


def test_token_made_with_another_key():
    for key in (b"j" * 32, b"k" * 31, b"k"):
        assert not forged(site(), site(key=key).form("victim", "add")), "CSRF: the key does not matter"


def test_altered_tokens():
    pages = site()
    token = pages.form("victim", "add")
    last = "0" if token[-1] != "0" else "1"
    for wrong in (token[:-1], token + "0", token[:-1] + last, token[:12], token[: len(token) // 2], "1" + token, token[::-1], token + " "):
        assert not forged(pages, wrong), f"CSRF: {wrong!r} was taken for the token {token!r}"


def test_age_is_held():
    clock = Clock()
    pages = site(clock)
    token = pages.form("victim", "add")
    clock.now += 3601
    assert not forged(pages, token), "CSRF: a token older than an hour was taken"
    clock.now -= 7300
    assert not forged(pages, token), "CSRF: a token from the future was taken"


def test_age_cannot_be_rewritten():
    clock = Clock()
    pages = site(clock)
    old = pages.form("victim", "add")
    clock.now += 5000
    fresh = str(int(clock.now)) + old[old.index("."):] if "." in old else old
    assert not forged(pages, fresh), "CSRF: the token's time was exchanged"


def test_session_and_action_cannot_trade_letters():
    pages = site()
    assert not forged(pages, pages.form("victima", "dd")), "CSRF: letters moved between session and action"
    assert not forged(pages, pages.form("vic", "timadd")), "CSRF: letters moved between session and action"
