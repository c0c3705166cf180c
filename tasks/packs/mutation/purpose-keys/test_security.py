import base64
import random

import pytest

PURPOSES = ["cookies", "exports", "webhooks"]


def text_of(purpose, length):
    """A text with the beginning of a key of this purpose, cut to `length` bytes."""
    return base64.urlsafe_b64encode(new_key(purpose)[:length]).decode().rstrip("=")


@pytest.mark.parametrize("purpose", PURPOSES)
def test_new_keys_have_at_least_128_bits(purpose):
    assert len(new_key(purpose)) >= 16, f"a key for {purpose} can be found by trying"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_key_texts_have_at_least_128_bits(purpose):
    text = new_key_text(purpose)
    assert len(text) >= 22, f"the text {text} holds fewer than 128 bits"
    assert len(load_key(purpose, text)) >= 16, "the loaded key is short"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_all_bytes_of_a_key_are_random(purpose):
    keys = [new_key(purpose) for _ in range(30)]
    changing = sum(len({k[i] for k in keys}) > 15 for i in range(min(map(len, keys))))
    assert changing >= 16, f"only {changing} bytes of a key for {purpose} vary"


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("length", [1, 5, 7, 8, 10, 13])
def test_short_keys_are_not_loaded(purpose, length):
    with pytest.raises(ValueError):
        load_key(purpose, text_of(purpose, length))
        raise AssertionError(f"a key of {length} bytes was taken for {purpose}")


@pytest.mark.parametrize("purpose", PURPOSES)
def test_loaded_key_is_not_shortened(purpose):
    text = new_key_text(purpose)
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert load_key(purpose, text) == raw, "part of the key is thrown away"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_keys_cannot_be_foretold(purpose):
    keys = []
    for _ in range(2):
        random.seed(7)
        keys.append(new_key(purpose))
    assert keys[0] != keys[1], f"who knows the generator's state knows the key for {purpose}"
