import pytest


@pytest.fixture
def desk():
    desk = TokenDesk("shop", clock=lambda: 1000.0)
    desk.rotate()
    return desk


def test_round_trip(desk):
    claims = desk.read(desk.issue("ada", role="buyer"))
    assert (claims["sub"], claims["role"], claims["iss"]) == ("ada", "buyer", "shop"), "claims come back"
    assert claims["exp"] == 1600, "the lifetime is added"


def test_rotation(desk):
    old = desk.issue("ada")
    kid = desk.rotate(b"k" * 48)
    assert desk.read(old)["sub"] == "ada", "tokens of the old key are read"
    new = desk.issue("bob")
    desk.retire(kid)
    with pytest.raises(DeskError):
        desk.read(new)
    with pytest.raises(DeskError):
        desk.issue("cy")


def test_expiry():
    now = [1000.0]
    desk = TokenDesk("shop", 60, lambda: now[0])
    desk.rotate()
    token = desk.issue("ada")
    now[0] += 61
    with pytest.raises(DeskError):
        desk.read(token)


def test_second_server(desk):
    other = TokenDesk("shop", clock=lambda: 1000.0)
    first = other.rotate_from_phrase("correct horse battery", b"saltsalt")
    second = desk.rotate_from_phrase("correct horse battery", b"saltsalt")
    assert other.export_key(first) == desk.export_key(second), "phrase and salt give the key"


@pytest.mark.parametrize("phrase, salt", [("short", b"saltsalt"), ("long enough phrase", b"s")])
def test_bad_phrase(desk, phrase, salt):
    with pytest.raises(DeskError):
        desk.rotate_from_phrase(phrase, salt)


def test_reserved_claims(desk):
    with pytest.raises(DeskError):
        desk.issue("ada", exp=9)
