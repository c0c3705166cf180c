from __future__ import annotations

import base64
import binascii
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12


class FieldError(Exception):
    """A text that is not an encrypted value of this place."""


class FieldCipher:
    """Values look like `<key number>:<Base64>`."""

    def __init__(self, keys: dict[int, bytes], current: int) -> None:
        if any(len(key) != KEY_BYTES for key in keys.values()):
            raise ValueError(f"keys have {KEY_BYTES} bytes")
        if current not in keys:
            raise ValueError("the current key is missing")
        self._keys = dict(keys)
        self._current = current

    def encrypt(self, value: str, place: str) -> str:
        nonce = os.urandom(NONCE_BYTES)
        sealed = AESGCM(self._keys[self._current]).encrypt(nonce, value.encode(), place.encode())
        return f"{self._current}:{base64.b64encode(nonce + sealed).decode()}"

    def decrypt(self, text: str, place: str) -> str:
        number, raw = self._split(text)
        nonce, sealed = raw[:NONCE_BYTES], raw[NONCE_BYTES:]
        try:
            value = AESGCM(self._keys[number]).decrypt(nonce, sealed, place.encode())
            return value.decode()
        except (InvalidTag, ValueError) as error:
            raise FieldError("this value does not belong here") from error

    def outdated(self, text: str) -> bool:
        number, _ = self._split(text)
        return number != self._current

    def refresh(self, text: str, place: str) -> str:
        if not self.outdated(text):
            return text
        return self.encrypt(self.decrypt(text, place), place)

    def _split(self, text: str) -> tuple[int, bytes]:
        number, _, body = text.partition(":")
        if not number.isdecimal() or int(number) not in self._keys:
            raise FieldError("no such key")
        try:
            return int(number), base64.b64decode(body, validate=True)
        except binascii.Error as error:
            raise FieldError("not an encrypted value") from error
