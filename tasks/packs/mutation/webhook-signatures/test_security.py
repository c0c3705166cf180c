import hashlib
import hmac

import pytest

SECRET, BODY, AT = b"0123456789abcdef0123456789abcdef", b'{"amount": 10}', 1700000000
TIMED = str(AT).encode()


def value(header):
    return header.split("v=", 1)[1]


def forms():
    for body in (BODY, TIMED + b"." + BODY, BODY + TIMED, TIMED + BODY, BODY + b"." + TIMED):
        yield from (body, SECRET + body, body + SECRET, SECRET + b"." + body, body + b"." + SECRET)


@pytest.mark.parametrize("name", ["md5", "sha1", "sha256", "sha512"])
def test_value_is_not_a_bare_hash(name):
    given = value(sign(SECRET, BODY, AT))
    hits = [f for f in forms() if hashlib.new(name, f).hexdigest().startswith(given)]
    assert not hits, f"the value is {name} of secret and body put together, which can be extended or forged"


@pytest.mark.parametrize("name", ["md5", "sha1"])
def test_value_does_not_rest_on_a_broken_hash(name):
    given = value(sign(SECRET, BODY, AT))
    hits = [f for f in forms() if hmac.new(SECRET, f, name).hexdigest().startswith(given)]
    assert not hits, f"the value rests on {name}"


def test_value_is_long_enough():
    assert len(value(sign(SECRET, BODY, AT))) >= 56, "fewer than 224 bits: a broken or cut hash"


@pytest.mark.parametrize("name", ["md5", "sha1"])
def test_header_with_a_broken_hash_is_refused(name):
    for text in forms():
        for forged in (hashlib.new(name, text).hexdigest(), hmac.new(SECRET, text, name).hexdigest()):
            assert not accept(SECRET, BODY, f"t={AT},v={forged}", AT), f"a value by {name} is accepted"


@pytest.mark.parametrize("length", [1, 8, 16, 32])
def test_part_of_a_value_is_refused(length):
    header = sign(SECRET, BODY, AT)
    short = f"t={AT},v={value(header)[:length]}"
    assert not accept(SECRET, BODY, short, AT), "the beginning of the value is enough"


@pytest.mark.parametrize("body, at, secret", [
    (b'{"amount": 99}', AT, SECRET), (BODY + b" ", AT, SECRET), (b"", AT, SECRET),
    (BODY, AT + 1, SECRET), (BODY, AT, SECRET[:-1]), (BODY, AT, SECRET + b"0"),
])
def test_header_of_another_call_is_refused(body, at, secret):
    stolen = value(sign(SECRET, BODY, AT))
    assert not accept(secret, body, f"t={at},v={stolen}", AT), "a value fits a call that it was not made for"


def test_time_and_body_cannot_trade_places():
    stolen = value(sign(SECRET, b"5.rest", 12))
    assert not accept(SECRET, b".rest", f"t=125,v={stolen}", 125), "digits moved from body to time"
