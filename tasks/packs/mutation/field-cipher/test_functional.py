import pytest

KEYS = {1: bytes(32), 2: bytes(range(32))}
PLACE = "patients.diagnosis:17"


@pytest.mark.parametrize("value", ["", "flu", "Ärztin – 世界", "long " * 400])
def test_round_trip(value):
    cipher = FieldCipher(KEYS, 2)
    text = cipher.encrypt(value, PLACE)
    assert text.isprintable(), "encrypted values are printable"
    assert cipher.decrypt(text, PLACE) == value, "the value comes back"


def test_rotation():
    old, new = FieldCipher(KEYS, 1), FieldCipher(KEYS, 2)
    text = old.encrypt("flu", PLACE)
    assert new.outdated(text) and not old.outdated(text), "the old key is recognised"
    fresh = new.refresh(text, PLACE)
    assert new.decrypt(text, PLACE) == new.decrypt(fresh, PLACE) == "flu", "both can be read"
    assert new.refresh(fresh, PLACE) == fresh, "a current value stays"


@pytest.mark.parametrize("keys, current", [({1: b"short"}, 1), ({1: bytes(32)}, 2), ({}, 1)])
def test_bad_keys(keys, current):
    with pytest.raises(ValueError):
        FieldCipher(keys, current)


@pytest.mark.parametrize("text", ["", "plain", "9:AAAA", "1:%%%", "1:AAAA"])
def test_foreign_text(text):
    with pytest.raises(FieldError):
        FieldCipher(KEYS, 1).decrypt(text, PLACE)
