import pytest

KEY = bytes(range(1, 33))


def opened(blob, key=KEY):
    try:
        return unlock_note(key, blob)
    except ValueError:
        return None


def test_repeated_text_does_not_show():
    blob = lock_note(KEY, "sixteen letters!" * 64)
    for size in (8, 16):
        for start in range(size):
            blocks = [blob[i : i + size] for i in range(start, len(blob) - size, size)]
            assert len(set(blocks)) == len(blocks), "equal parts of the note look equal when locked"


def test_equal_notes_look_different():
    blobs = [lock_note(KEY, "meet at noon, at the bridge") for _ in range(8)]
    assert len({b[:16] for b in blobs}) == 8, "equal notes begin alike"
    assert len({b[-16:] for b in blobs}) == 8, "equal notes end alike"


def test_two_notes_do_not_share_a_key_stream():
    one, two = "a" * 64, "b" * 64
    first, second = lock_note(KEY, one), lock_note(KEY, two)
    difference = bytes(x ^ y for x, y in zip(first, second))
    assert bytes([3] * 16) not in difference, "two locked notes together give their texts away"


def test_every_changed_byte_is_noticed():
    blob = lock_note(KEY, "pay 100 to bob")
    for i in range(len(blob)):
        changed = blob[:i] + bytes([blob[i] ^ 1]) + blob[i + 1 :]
        assert opened(changed) is None, f"a change of byte {i} goes unnoticed"


@pytest.mark.parametrize("change", [
    lambda b: b[:-1], lambda b: b[:-16], lambda b: b + b"\0", lambda b: b + b[-16:], lambda b: b[16:],
    lambda b: b[:-32] + b[-16:] + b[-32:-16],
])
def test_cut_or_rearranged_note_is_noticed(change):
    blob = lock_note(KEY, "a note that has more than one block of sixteen bytes, surely.")
    assert opened(change(blob)) is None, "parts of a locked note can be moved about"


def test_text_and_key_are_not_in_the_blob():
    blob = lock_note(KEY, "open sesame 12345")
    assert b"sesame" not in blob and KEY not in blob, "the locked note shows its text or key"


@pytest.mark.parametrize("place", [0, 7, 8, 15, 16, 31])
def test_all_of_the_key_counts(place):
    other = KEY[:place] + bytes([KEY[place] ^ 0x10]) + KEY[place + 1 :]
    assert opened(lock_note(KEY, "text"), other) is None, f"byte {place} of the key is not used"
