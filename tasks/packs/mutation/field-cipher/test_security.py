import base64
import re

import pytest

KEYS = {1: bytes(range(7, 39)), 2: bytes(range(50, 82))}
PLACE = "patients.diagnosis:17"


@pytest.fixture
def cipher():
    return FieldCipher(KEYS, 1)


def raw(text):
    return base64.b64decode(text.rsplit(":", 1)[1])


def packed(text, data):
    return text.rsplit(":", 1)[0] + ":" + base64.b64encode(data).decode()


def read(cipher, text, place=PLACE):
    try:
        return cipher.decrypt(text, place)
    except FieldError:
        return None


def test_equal_values_look_different(cipher):
    texts = {cipher.encrypt("HIV positive", PLACE) for _ in range(10)}
    assert len(texts) == 10, "who sees two equal texts knows that the values are equal"


def test_two_texts_do_not_give_the_values_away(cipher):
    one, two = cipher.encrypt("A" * 48, PLACE), cipher.encrypt("C" * 48, PLACE)
    mixed = bytes(x ^ y for x, y in zip(raw(one), raw(two)))
    assert bytes([2] * 12) not in mixed, "both were mixed with the same key stream"


def test_repeated_blocks_do_not_show(cipher):
    data = raw(cipher.encrypt("0123456789abcdef" * 40, PLACE))
    for size in (8, 16):
        for start in range(size):
            blocks = [data[i : i + size] for i in range(start, len(data) - size, size)]
            assert len(blocks) == len(set(blocks)), "equal blocks of a value look equal"


def test_every_changed_bit_is_noticed(cipher):
    text = cipher.encrypt("dose: 10 mg", PLACE)
    data = raw(text)
    for i in range(len(data)):
        for bit in (1, 0x80):
            changed = data[:i] + bytes([data[i] ^ bit]) + data[i + 1 :]
            assert read(cipher, packed(text, changed)) is None, f"byte {i} can be changed unnoticed"


def test_known_value_cannot_be_rewritten(cipher):
    text = cipher.encrypt("dose: 10 mg", PLACE)
    data = raw(text)
    for offset in range(len(data) - 10):
        patch = bytes(a ^ b for a, b in zip(b"dose: 10 mg", b"dose: 99 mg"))
        changed = bytearray(data)
        for i, x in enumerate(patch[: len(data) - offset]):
            changed[offset + i] ^= x
        assert read(cipher, packed(text, bytes(changed))) is None, "an attacker changed the dose"


@pytest.mark.parametrize("cut", [1, 4, 12, 16])
def test_shortened_value_is_noticed(cipher, cut):
    text = cipher.encrypt("allergic to penicillin", PLACE)
    assert read(cipher, packed(text, raw(text)[:-cut])) is None, "the end of a value can be dropped"
    assert read(cipher, packed(text, raw(text)[cut:])) is None, "the beginning of a value can be dropped"


@pytest.mark.parametrize("place", ["patients.diagnosis:18", "patients.name:17", "", PLACE + "0"])
def test_value_cannot_be_moved(cipher, place):
    assert read(cipher, cipher.encrypt("flu", PLACE), place) is None, f"a value of another place is read at {place!r}"


def test_key_number_cannot_be_exchanged(cipher):
    text = cipher.encrypt("flu", PLACE)
    assert read(cipher, re.sub(r"^1:", "2:", text)) is None, "another key opens the value"


def test_value_does_not_show(cipher):
    text = cipher.encrypt("tuberculosis", PLACE)
    assert b"tuberculosis" not in raw(text), "the value is merely encoded"
