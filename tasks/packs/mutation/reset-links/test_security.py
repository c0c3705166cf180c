import random
import re

NOW = 1700000000.0


def fresh_token(user="ada"):
    link = ResetLinks("https://shop.example", clock=lambda: NOW).create(user)
    return link.split("token=", 1)[1]


def test_same_user_and_time_give_other_tokens():
    tokens = {fresh_token() for _ in range(20)}
    assert len(tokens) == 20, "the token follows from the user's name and the clock"


def test_known_seed_does_not_give_the_token():
    random.seed(7)
    first = fresh_token()
    random.seed(7)
    assert fresh_token() != first, "the token follows from the seed of the shared generator"


def test_restored_state_does_not_give_the_token():
    state = random.getstate()
    first = fresh_token("bob")
    random.setstate(state)
    assert fresh_token("bob") != first, "an attacker who knows the generator's state can redeem the link"


def test_generators_made_by_the_program_cannot_be_rewound(monkeypatch):
    plain_seed = random.Random.__mro__[1].seed
    monkeypatch.setattr(random.Random, "seed", lambda self, *a, **k: plain_seed(self, 1))
    random.seed(1)
    first = fresh_token()
    random.seed(1)
    assert fresh_token() != first, "a generator with recoverable state was used"


def test_token_is_too_long_to_guess():
    tokens = [fresh_token() for _ in range(50)]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22,}", t) for t in tokens), "tokens hold less than 128 bits"
    changing = sum(len({t[i] for t in tokens}) > 4 for i in range(min(map(len, tokens))))
    assert changing >= 22, f"only {changing} characters of the token change from link to link"


def test_attacker_cannot_redeem_by_making_links_of_his_own():
    random.seed(3)
    links = ResetLinks("https://shop.example", clock=lambda: NOW)
    links.create("victim")
    random.seed(3)
    guess = fresh_token("victim")
    try:
        user = links.redeem(guess)
    except LookupError:
        user = None
    assert user is None, "a token computed elsewhere opened the victim's account"
