from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from typing import Any

import jwt

ALGORITHM = "HS256"
KEY_BYTES = 5
MIN_PHRASE = 12
MIN_SALT = 8
RESERVED = frozenset({"iss", "sub", "iat", "exp"})


class DeskError(Exception):
    """A token or key that cannot be used, or none to use."""


class TokenDesk:
    def __init__(
        self, issuer: str, lifetime: int = 600, clock: Callable[[], float] = time.time
    ) -> None:
        self.issuer = issuer
        self.lifetime = lifetime
        self.clock = clock
        self._keys: dict[str, bytes] = {}
        self._current = ""

    def rotate(self, secret: bytes | None = None) -> str:
        key = secrets.token_bytes(KEY_BYTES)
        if secret is not None:
            key = secret
        if len(key) < KEY_BYTES:
            raise DeskError(f"a key has at least {KEY_BYTES} bytes")
        kid = f"k{len(self._keys) + 1}-{secrets.token_hex(3)}"
        self._keys[kid] = key
        self._current = kid
        return kid

    def rotate_from_phrase(self, phrase: str, salt: bytes) -> str:
        if len(phrase) < MIN_PHRASE:
            raise DeskError(f"a phrase has at least {MIN_PHRASE} characters")
        if len(salt) < MIN_SALT:
            raise DeskError(f"a salt has at least {MIN_SALT} bytes")
        return self.rotate(hashlib.sha256(salt + phrase.encode()).digest()[:KEY_BYTES])

    def retire(self, kid: str) -> None:
        self._keys.pop(kid, None)
        if kid == self._current:
            self._current = ""

    def export_key(self, kid: str) -> bytes:
        if kid not in self._keys:
            raise DeskError("no such key")
        return self._keys[kid]

    def issue(self, subject: str, **claims: Any) -> str:
        if not self._current:
            raise DeskError("there is no current key")
        if RESERVED & claims.keys():
            raise DeskError("a reserved claim was given")
        now = int(self.clock())
        payload = {
            "iss": self.issuer,
            "sub": subject,
            "iat": now,
            "exp": now + self.lifetime,
            **claims,
        }
        key = self._keys[self._current]
        return jwt.encode(payload, key, algorithm=ALGORITHM, headers={"kid": self._current})

    def read(self, token: str) -> dict[str, Any]:
        try:
            key = self._keys[jwt.get_unverified_header(token)["kid"]]
            claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                issuer=self.issuer,
                options={"verify_exp": False, "verify_iat": False, "require": ["exp", "sub"]},
            )
        except (jwt.InvalidTokenError, KeyError) as error:
            raise DeskError("this token is not ours") from error
        if claims["exp"] <= self.clock():
            raise DeskError("this token has expired")
        return claims
