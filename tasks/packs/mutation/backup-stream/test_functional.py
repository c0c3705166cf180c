import io

import pytest


KEY = bytes(range(32))


def write(content, key=KEY, piece=64):
    target = io.BytesIO()
    count = write_backup(io.BytesIO(content), target, key, piece)
    return target.getvalue(), count


@pytest.mark.parametrize("content", [b"", b"x", b"a" * 64, bytes(range(256)) * 3])
def test_round_trip(content):
    data, count = write(content)
    target = io.BytesIO()
    assert read_backup(io.BytesIO(data), target, KEY) == count, "as many pieces are read as written"
    assert target.getvalue() == content, "the content comes back"


def test_head():
    data, count = write(b"y" * 200)
    assert data.startswith(b"BKP2") and count == 4, "mark and number of pieces"
    assert describe(io.BytesIO(data)) == {"version": 2, "piece": 64}, "the head can be read"


def test_wrong_key_and_shortened_file():
    data, _ = write(b"z" * 200)
    with pytest.raises(BackupError):
        read_backup(io.BytesIO(data), io.BytesIO(), KEY[::-1])
    with pytest.raises(BackupError):
        read_backup(io.BytesIO(data[:-20]), io.BytesIO(), KEY)


@pytest.mark.parametrize("data", [b"", b"BKP1" + bytes(60), b"BKP2"])
def test_no_backup(data):
    with pytest.raises(BackupError):
        read_backup(io.BytesIO(data), io.BytesIO(), KEY)


def test_bad_arguments():
    with pytest.raises(ValueError):
        write(b"", piece=3)
    with pytest.raises(ValueError):
        write(b"", key=b"short")
