import base64
import binascii
import json

import pytest

NOW = 1700000000
BASKET = {"total": 100, "items": ["lamp", "desk", "chair"]}


@pytest.fixture
def seal():
    return BasketSeal(new_key(), clock=lambda: NOW)


def raw(text):
    return base64.urlsafe_b64decode(text)


def opened(seal, data):
    text = data if isinstance(data, str) else base64.urlsafe_b64encode(data).decode()
    try:
        return seal.unseal(text)
    except BasketError:
        return None


def test_equal_baskets_look_different(seal):
    texts = {seal.seal(BASKET) for _ in range(6)}
    assert len(texts) == 6, "equal baskets can be recognised"


def test_two_baskets_do_not_share_a_key_stream(seal):
    first, second = raw(seal.seal({"n": "A" * 200})), raw(seal.seal({"n": "B" * 200}))
    mixed = bytes(x ^ y for x, y in zip(first, second))
    assert bytes([3] * 40) not in mixed, "two sealed baskets together give their contents away"


def test_content_does_not_show(seal):
    text = seal.seal(BASKET)
    assert b"lamp" not in raw(text) and "lamp" not in text, "the content is merely encoded"


def test_known_content_does_not_allow_another(seal):
    data = raw(seal.seal(BASKET))
    known = json.dumps(BASKET, separators=(",", ":")).encode()
    wanted = known.replace(b"100", b"001")
    for offset in range(len(data) - len(known) + 1):
        forged = bytearray(data)
        for i, (a, b) in enumerate(zip(known, wanted)):
            forged[offset + i] ^= a ^ b
        assert opened(seal, bytes(forged)) is None, "the shopper changed the price"


def test_every_changed_byte_is_noticed(seal):
    data = raw(seal.seal(BASKET))
    for i in range(len(data)):
        changed = data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]
        assert opened(seal, changed) is None, f"byte {i} can be changed unnoticed"


def test_keystream_recovered_from_one_basket_seals_nothing(seal):
    known = b"%d|" % NOW + json.dumps({"n": "x" * 100}, separators=(",", ":")).encode()
    data = raw(seal.seal({"n": "x" * 100}))
    stream = bytes(a ^ b for a, b in zip(data, known))
    wanted = b"%d|" % NOW + b'{"total":0}'
    forged = bytes(a ^ b for a, b in zip(wanted, stream))
    assert opened(seal, forged) is None, "a basket was made without the key"


def test_age_cannot_be_changed():
    now = [NOW]
    seal = BasketSeal(new_key(), max_age=60, clock=lambda: now[0])
    data = raw(seal.seal(BASKET))
    now[0] += 100
    for i in range(min(12, len(data))):
        for bit in (1, 2, 4, 8):
            changed = data[:i] + bytes([data[i] ^ bit]) + data[i + 1 :]
            assert opened(seal, changed) is None, "an old basket was made young"


@pytest.mark.parametrize("encode", [lambda b: b, lambda b: b"%d|" % NOW + b, lambda b: b[::-1]])
def test_plain_content_is_refused(seal, encode):
    content = encode(json.dumps(BASKET).encode())
    assert opened(seal, content) is None, "an unsealed basket is taken"


def test_keys_are_long_and_new():
    first, second = new_key(), new_key()
    assert first != second, "keys repeat"
    try:
        length = len(base64.urlsafe_b64decode(first))
    except binascii.Error:
        length = len(first)
    assert length >= 16, "a key has fewer than 128 bits"
