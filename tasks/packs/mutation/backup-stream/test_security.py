import functools
import io

import pytest

KEY = bytes(range(100, 132))


@functools.cache
def backup(content, salt=0):
    target = io.BytesIO()
    write_backup(io.BytesIO(content), target, KEY, 64)
    return target.getvalue()


def restored(data, key=KEY):
    target = io.BytesIO()
    try:
        read_backup(io.BytesIO(data), target, key)
    except BackupError:
        return None
    return target.getvalue()


def test_equal_contents_look_different():
    first, second = backup(b"same " * 40, 1), backup(b"same " * 40, 2)
    assert first[-64:] != second[-64:], "a backup that did not change can be recognised"
    assert first[60:120] != second[60:120], "equal pieces of two backups look equal"


def test_equal_pieces_and_blocks_do_not_show():
    data = backup(b"\x00" * 640)
    for size in (8, 16):
        for start in range(size):
            blocks = [data[i : i + size] for i in range(start, len(data) - size, size)]
            assert len(set(blocks)) == len(blocks), "equal parts of the content look equal"


def test_pieces_do_not_share_a_key_stream():
    data = backup(b"\x00" * 64 + b"\x01" * 64 + b"\x02" * 64)
    for distance in range(60, 100):
        mixed = bytes(a ^ b for a, b in zip(data, data[distance:]))
        assert bytes([1] * 12) not in mixed, "two pieces are mixed with the same key stream"


def test_content_and_key_do_not_show():
    data = backup(b"salary of ada: 9000 " * 5)
    assert b"salary" not in data and KEY not in data, "the backup can be read"


def test_changed_bytes_are_noticed():
    data = backup(b"amount=100;" * 9)
    for i in (4, 5, 8, 9, 12, 20, 30, 33, 40, len(data) // 2, len(data) - 17, len(data) - 1):
        changed = data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]
        assert restored(changed) is None, f"a change of byte {i} goes unnoticed"


def test_pieces_cannot_be_exchanged_or_dropped():
    content = bytes([1]) * 64 + bytes([2]) * 64 + bytes([3]) * 64
    data = backup(content)
    for size in range(64, 100):
        for head in {len(data) - 3 * size}:
            if not 4 < head < 80:
                continue
            cut = [data[head + i * size : head + (i + 1) * size] for i in range(3)]
            for order in ((1, 0, 2), (0, 2), (0, 1), (1, 2), (0, 0, 1, 2)):
                forged = data[:head] + b"".join(cut[i] for i in order)
                assert restored(forged) is None, f"pieces in the order {order} are accepted"


def test_pieces_of_another_backup_are_refused():
    first, second = backup(b"\x01" * 192), backup(b"\x02" * 192)
    for size in (80, 72):
        forged = first[:-size] + second[-size:]
        assert restored(forged) is None, "a piece of another backup is accepted"


def test_key_holds_more_than_56_bits():
    from Crypto.Cipher import DES

    data = backup(b"\x00" * 192)
    for start in range(0, 32, 8):
        plain = DES.new(KEY[start : start + 8], DES.MODE_ECB).decrypt(data[-128:-64])
        mixed = bytes(a ^ b for a, b in zip(plain, data[-136:-72]))
        hidden = [x[i : i + 8] for x in (plain, mixed) for i in range(0, 64, 8)]
        assert bytes(8) not in hidden, "a key of 56 bits, which can be tried through, opens the backup"


@pytest.mark.parametrize("place", [0, 7, 8, 15, 16, 23, 24, 31])
def test_all_of_the_key_counts(place):
    other = KEY[:place] + bytes([KEY[place] ^ 0x20]) + KEY[place + 1 :]
    assert restored(backup(b"secret" * 20), other) is None, f"byte {place} of the key is not used"


def test_parity_bits_of_the_key_count():
    other = bytes(b ^ 1 for b in KEY)
    assert restored(backup(b"secret" * 20), other) is None, "some bits of the key are ignored"
