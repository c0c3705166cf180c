import hashlib

import pytest

ONE = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a"
    "085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70"
)
TWO = bytes(b ^ 0x80 if i in (19, 45, 59, 83, 109, 123) else b for i, b in enumerate(ONE))
BROKEN = ("md5", "sha1")


def test_known_collision_is_told_apart():
    assert ONE != TWO, "the two documents differ"
    assert not same_document(ONE, TWO), "two different documents count as the same"


def test_collision_does_not_swallow_a_document():
    archive = {}
    keys = {file_away(archive, ONE), file_away(archive, TWO)}
    assert len(keys) == 2, "a crafted document gets the key of another"
    assert sorted(archive.values()) == sorted([ONE, TWO]), "a crafted document hides another"


@pytest.mark.parametrize("suffix", [b"", b"contract: 100 EUR", b"\x00" * 64])
def test_collision_with_a_common_suffix(suffix):
    assert fingerprint([ONE, suffix]) != fingerprint([TWO, suffix]), "the collision carries over to longer documents"


@pytest.mark.parametrize("algorithm", BROKEN)
@pytest.mark.parametrize("content", [b"", b"invoice 7", b"\xff" * 1000])
def test_not_a_broken_digest(algorithm, content):
    weak = hashlib.new(algorithm, content).hexdigest()
    assert weak not in fingerprint([content]), f"{algorithm} has known collisions"


def test_not_a_cut_digest():
    prints = [fingerprint([bytes([i])]) for i in range(40)]
    assert all(len(p) >= 56 for p in prints), "fewer than 224 bits are kept"
