import pytest


def token_of(link):
    return link.split("token=", 1)[1]


def test_link_redeems_once():
    links = ResetLinks("https://shop.example/")
    link = links.create("ada")
    assert link.startswith("https://shop.example/reset?token="), f"unexpected link: {link}"
    assert links.redeem(token_of(link)) == "ada", "the link belongs to ada"
    with pytest.raises(LookupError):
        links.redeem(token_of(link))


def test_link_expires():
    now = [1000.0]
    links = ResetLinks("https://shop.example", lifetime=60, clock=lambda: now[0])
    link = links.create("ada")
    assert links.pending("ada"), "a fresh link is pending"
    now[0] += 61
    assert not links.pending("ada"), "an old link is not pending"
    with pytest.raises(LookupError):
        links.redeem(token_of(link))


def test_unknown_token():
    with pytest.raises(LookupError):
        ResetLinks("https://shop.example").redeem("nothing")


def test_new_link_replaces_old():
    now = [5.0]
    links = ResetLinks("https://shop.example", clock=lambda: now[0])
    old = links.create("bob")
    now[0] += 1
    new = links.create("bob")
    with pytest.raises(LookupError):
        links.redeem(token_of(old))
    assert links.redeem(token_of(new)) == "bob", "the newest link works"
