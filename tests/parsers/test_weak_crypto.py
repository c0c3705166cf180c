from __future__ import annotations

import re

import pytest

from arena.tracks.dual.runner.hooks import SOURCES
from arena.tracks.exposure.detect._crypto_facts import BROKEN_CIPHER, BROKEN_DIGEST
from parsers import weak_crypto


@pytest.mark.parametrize(
    "name", ["MD5", "sha-1", "SHA1", "sha", "RSA-RIPEMD160", "rmd160", "openssl_md5", "md5-sha1"]
)
def test_a_broken_hash_is_known_however_it_is_spelled(name: str) -> None:
    assert weak_crypto.is_broken_hash(name)


@pytest.mark.parametrize(
    "name", ["sha256", "sha512", "SHA3-256", "blake2b", "RSA-SHA256", "", "md"]
)
def test_a_sound_hash_is_not_broken(name: str) -> None:
    assert not weak_crypto.is_broken_hash(name)


@pytest.mark.parametrize(
    "name", ["DES3", "TripleDES", "des-ede3-cbc", "bf-cbc", "aes-128-ecb", "ECB", "RC4"]
)
def test_a_broken_cipher_or_mode_is_known(name: str) -> None:
    assert weak_crypto.is_broken_cipher(name)


@pytest.mark.parametrize("name", ["AES", "aes-256-gcm", "CBC", "chacha20-poly1305", "NoneType", ""])
def test_a_sound_cipher_is_not_broken(name: str) -> None:
    assert not weak_crypto.is_broken_cipher(name)


@pytest.mark.parametrize(
    ("vector", "fixed"),
    [(bytes(16), True), (b"aaaaaaaa", True), (bytearray(12), True), (b"abcdefgh", False), (b"", False), (None, False), (b"a", False)],
)  # fmt: skip
def test_a_fixed_vector_is_one_byte_repeated(vector: object, fixed: bool) -> None:
    assert weak_crypto.is_fixed_vector(vector) == fixed


def test_every_row_has_a_source() -> None:
    rows = (*weak_crypto.BROKEN_HASHES, *weak_crypto.BROKEN_CIPHERS)
    assert all(row.names and row.why and row.source for row in rows)
    minima = (*weak_crypto.MIN_KEY_SIZES.values(), *weak_crypto.MIN_COSTS.values())
    assert all(minimum.value > 0 and minimum.source for minimum in minima)


@pytest.mark.parametrize("path", ["hashlib.md5", "Crypto.Hash.RIPEMD160.new", "Cryptodome.Hash.MD2.new", "sha-1", "md5-sha1", "cryptography.hazmat.primitives.hashes.SHA1"])  # fmt: skip
def test_detectors_have_the_broken_hashes_of_the_table(path: str) -> None:
    assert BROKEN_DIGEST.fullmatch(path)


def test_detectors_have_the_broken_ciphers_of_the_table() -> None:
    algorithms = "cryptography.hazmat.primitives.ciphers.algorithms"
    paths = [
        "Crypto.Cipher.DES3.new",
        "Crypto.Cipher.XOR.new",
        f"{algorithms}.TripleDES",
        f"{algorithms}.RC2",
    ]
    assert all(map(BROKEN_CIPHER.fullmatch, paths))
    assert not any(map(BROKEN_CIPHER.fullmatch, ("Crypto.Cipher.AES.new", f"{algorithms}.AES")))


def test_native_hooks_have_a_function_for_each_row() -> None:
    """MD2, SHA-0 and MDC-2 are no part of today's OpenSSL, and XOR needs no library."""
    source = (SOURCES / "native.c").read_text()
    hooked = {
        name.replace("_ede3_", "3_").split("_")[1]
        for name in re.findall(r"\((?:\"[\w-]+\", )?(EVP_\w+)\)", source)
    }
    hashes = {row.names for row in weak_crypto.BROKEN_HASHES} - {("md2",), ("sha",), ("mdc2",)}
    ciphers = {row.names for row in weak_crypto.BROKEN_CIPHERS} - {("xor",)}
    assert [names for names in hashes | ciphers if not hooked & {*names}] == []
