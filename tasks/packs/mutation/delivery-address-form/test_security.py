import pytest

WISH = {"street": "Thief Lane 1", "town": "Nowhere", "postcode": "X0"}


def took(session, **hidden):
    try:
        done = submit_form(session, {**WISH, **hidden})
    except Exception:
        done = False
    return bool(done) or session.get("address") == WISH


def test_form_of_another_site_is_refused():
    session = {}
    open_form(session)
    assert not took(session), "CSRF: a form without token changed the address"


@pytest.mark.parametrize("token", ["", "None", "null", "0", "x", "x" * 43, "token", "\u00e9", None, "undefined"])
def test_guessed_tokens_are_refused(token):
    session = {}
    open_form(session)
    assert not took(session, token=token), f"CSRF: the forged token {token!r} was taken"


@pytest.mark.parametrize("token", ["", None, "None", "x"])
def test_session_that_was_shown_no_form(token):
    assert not took({}, token=token), f"CSRF: token {token!r} taken in a session without one"
    assert not took({}), "CSRF: no token taken in a session without one"


def test_token_of_the_attackers_own_session():
    victim = {}
    open_form(victim)
    stolen = open_form({})["token"]
    assert not took(victim, token=stolen), "CSRF: the token of another session was taken"


def test_parts_and_variations_of_the_token():
    session = {}
    token = open_form(session)["token"]
    other = "A" if token[-1] != "A" else "B"
    for wrong in (token[:1], token[:-1], token + "0", token[:-1] + other, token.swapcase(), token[::-1], " " + token, other * len(token), token[:8]):
        assert not took(session, token=wrong), f"CSRF: {wrong!r} was taken for the token {token!r}"


def test_tokens_cannot_be_guessed():
    tokens = {open_form({})["token"] for _ in range(50)}
    assert len(tokens) == 50, "CSRF: sessions share a token"
    assert min(map(len, tokens)) >= 16, "CSRF: tokens are short enough to be guessed"


def test_refused_form_leaves_the_address():
    session = {}
    submit_form(session, {**open_form(session), "street": "Elm 4", "town": "Bath", "postcode": "BA1"})
    took(session)
    assert session["address"]["street"] == "Elm 4", "CSRF: the address changed without a token"
