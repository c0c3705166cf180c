import functools
import hashlib
import hmac
import random
import time

import jwt
import pytest

PHRASE, SALT = "correct horse battery", b"saltsalt"


def new_desk():
    return TokenDesk("shop", clock=lambda: 1000.0)


@functools.cache
def phrase_key():
    desk = new_desk()
    return desk.export_key(desk.rotate_from_phrase(PHRASE, SALT))


@pytest.mark.parametrize("length", [1, 4, 5, 8, 15, 16, 24, 31])
def test_short_secret_is_refused(length):
    desk = new_desk()
    with pytest.raises(DeskError):
        desk.rotate(bytes(range(length)))
        raise AssertionError(f"a key of {length} bytes was taken for HS256")


def test_empty_secret_is_not_used():
    desk = new_desk()
    try:
        kid = desk.rotate(b"")
    except DeskError:
        return
    assert len(desk.export_key(kid)) >= 32, "an empty key signs tokens"


def test_new_secret_has_256_bits():
    desk = new_desk()
    keys = [desk.export_key(desk.rotate()) for _ in range(20)]
    assert all(len(k) >= 32 for k in keys), "a new key is shorter than its hash"
    changing = sum(len({k[i] for k in keys}) > 8 for i in range(32))
    assert changing >= 32, f"only {changing} bytes of a new key vary"


def test_secret_from_phrase_has_256_bits():
    assert len(phrase_key()) >= 32, "a key made from a phrase is shorter than its hash"
    assert len(set(phrase_key())) > 12, "a key made from a phrase is padded"


def test_token_is_not_signed_with_a_guessable_key():
    desk = new_desk()
    desk.rotate_from_phrase(PHRASE, SALT)
    token = desk.issue("ada")
    signed, _, signature = token.rpartition(".")
    for name in ("md5", "sha1", "sha256", "sha512"):
        for text in (PHRASE.encode(), SALT + PHRASE.encode(), PHRASE.encode() + SALT):
            digest = hashlib.new(name, text).digest()
            for key in (digest, digest[:5], digest[:8], digest[:16], digest.hex().encode(), text):
                mac = hmac.new(key, signed.encode(), hashlib.sha256).digest()
                assert jwt.utils.base64url_encode(mac).decode() != signature, (
                    f"one {name} of the phrase is the key, so phrases can be tried against a token"
                )


@pytest.mark.parametrize("rounds", [1, 10, 100, 1000, 4096])
def test_phrase_takes_more_than_few_rounds(rounds):
    for name in ("sha1", "sha256", "sha512"):
        quick = hashlib.pbkdf2_hmac(name, PHRASE.encode(), SALT, rounds, dklen=32)
        assert quick != phrase_key()[:32], f"{rounds} rounds of {name} make the key"


def test_a_guess_of_the_phrase_costs_real_work():
    begun = time.process_time()
    new_desk().rotate_from_phrase("wrong horse battery", SALT)
    assert time.process_time() - begun > 0.004, "phrases can be tried by the million"


@pytest.mark.parametrize("key", [b"", b"\0" * 5, b"secret", b"k" * 32])
def test_token_of_a_guessed_key_is_refused(key):
    desk = new_desk()
    kid = desk.rotate()
    claims = {"iss": "shop", "sub": "root", "iat": 1000, "exp": 2000}
    text = [jwt.utils.base64url_encode(p).decode() for p in (
        f'{{"alg":"HS256","kid":"{kid}"}}'.encode(), str(claims).replace("'", '"').encode())]
    mac = hmac.new(key, ".".join(text).encode(), hashlib.sha256).digest()
    with pytest.raises(DeskError):
        desk.read(".".join([*text, jwt.utils.base64url_encode(mac).decode()]))


def test_new_secret_cannot_be_foretold():
    desk, keys = new_desk(), []
    for _ in range(2):
        random.seed(7)
        keys.append(desk.export_key(desk.rotate()))
    assert keys[0] != keys[1], "who knows the generator's state knows the key"


@pytest.mark.parametrize(("phrase", "salt"), [
    ("", SALT), ("a", SALT), ("letmein", SALT), ("elevenchars", SALT), (PHRASE, b""), (PHRASE, b"s"), (PHRASE, b"seven77"),
])
def test_short_phrases_and_salts_are_refused(phrase, salt):
    desk = new_desk()
    with pytest.raises(DeskError):
        desk.rotate_from_phrase(phrase, salt)
        raise AssertionError(f"a key was made of {len(phrase)} characters and a salt of {len(salt)} bytes")
