import pytest

KEY = bytes(range(32))


@pytest.mark.parametrize("text", ["", "buy milk", "Grüße, 世界", "x" * 5000])
def test_round_trip(text):
    assert unlock_note(KEY, lock_note(KEY, text)) == text, "the text comes back"


@pytest.mark.parametrize("key", [b"", b"short", bytes(33)])
def test_key_length(key):
    with pytest.raises(ValueError):
        lock_note(key, "text")
    with pytest.raises(ValueError):
        unlock_note(key, lock_note(KEY, "text"))


@pytest.mark.parametrize("blob", [b"", b"abc"])
def test_no_note(blob):
    with pytest.raises(ValueError):
        unlock_note(KEY, blob)
