import pytest

PURPOSES = ["cookies", "exports", "webhooks"]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_round_trip(purpose):
    text = new_key_text(purpose)
    assert "=" not in text and "+" not in text and "/" not in text, f"not URL-safe: {text}"
    assert isinstance(load_key(purpose, text), bytes), "a key is bytes"


def test_keys_are_new():
    assert len({new_key("cookies") for _ in range(20)}) == 20, "each key is new"


def test_unknown_purpose():
    with pytest.raises(KeyError):
        new_key("party")


@pytest.mark.parametrize("text", ["", "!!!", "ab cd"])
def test_no_key(text):
    with pytest.raises(ValueError):
        load_key("cookies", text)
