import base64
import functools
import hashlib
import itertools
import time

import pytest

NAMES = ("md5", "sha1", "sha224", "sha256", "sha512", "blake2b")


@functools.cache
def kept_text(pin="1234", copy=1):
    return protect_pin(pin)


def parts(kept):
    """The kept text and what it decodes to, whole and in every usual cut of salt and digest."""
    raw = [kept.encode()]
    for piece in [kept, *kept.replace("$", ":").split(":")]:
        for decode in (lambda t: base64.b64decode(t + "==", validate=False), bytes.fromhex):
            try:
                raw.append(decode(piece))
            except ValueError:
                continue
    salts = {b""} | {r[:n] for r in raw for n in (4, 8, 12, 16, 32)} | {r[-16:] for r in raw}
    return raw, salts


def recovered(kept, pins):
    raw, salts = parts(kept)
    for pin, salt in itertools.product(pins, salts):
        word = pin.encode()
        for name, text in itertools.product(NAMES, (word, salt + word, word + salt)):
            digest = hashlib.new(name, text)
            if any(digest.digest() in r or digest.hexdigest().encode() in r for r in raw):
                return pin
        for name, rounds in itertools.product(("sha1", "sha256"), (1, 10, 100)):
            if any(hashlib.pbkdf2_hmac(name, word, salt, rounds) in r for r in raw):
                return pin
    return None


@pytest.mark.parametrize("pin", ["1234", "20240229"])
def test_quick_hashes_do_not_recover_the_pin(pin):
    assert recovered(kept_text(pin), [pin]) is None, "a table of quick hashes gives the PIN"


def test_pin_cannot_be_read():
    raw, _ = parts(kept_text("20240229"))
    assert not any(b"20240229" in r for r in raw), "the PIN stands in the kept text"


def test_equal_pins_are_kept_differently():
    kept = {kept_text("1234", copy) for copy in (1, 2)}
    assert len(kept) == 2, "equal PINs can be recognised, so one table opens all doors"


def test_kept_text_holds_enough():
    raw, _ = parts(kept_text())
    assert max(map(len, raw[1:] or raw)) >= 28, "salt and digest are too short"


def test_no_broken_hash_takes_part(monkeypatch):
    asked = []

    def watched(function, name_of):
        def call(*args, **kwargs):
            asked.append(str(name_of(args, kwargs)).lower().replace("-", ""))
            return function(*args, **kwargs)

        return call

    for name in ("md5", "sha1"):
        monkeypatch.setattr(hashlib, name, watched(getattr(hashlib, name), lambda a, k, n=name: n))
    first = {"new": "name", "pbkdf2_hmac": "hash_name"}
    for name, keyword in first.items():
        monkeypatch.setattr(
            hashlib, name, watched(getattr(hashlib, name), lambda a, k, w=keyword: a[0] if a else k[w])
        )
    kept = protect_pin("4711")
    assert pin_matches("4711", kept), "the right PIN is not accepted"
    assert not {"md5", "sha1", "md4", "ripemd160"} & set(asked), f"what is kept rests on {asked}"


def test_matching_costs_real_work():
    kept = kept_text()
    begun = time.process_time()
    pin_matches("4321", kept)
    assert time.process_time() - begun > 0.004, "all ten thousand PINs can be tried in a moment"


@pytest.mark.parametrize("change", [lambda k: k[:-4], lambda k: k[:24], lambda k: ""])
def test_shortened_text_matches_nothing(change):
    assert not pin_matches("1234", change(kept_text())), "part of the kept text is enough"
