import os
from pathlib import Path

import jwt

MIN_KEY = 32
ALGORITHM = "HS256"


class TokenDesk:
    def __init__(self, lifetime: int = 300) -> None:
        self.lifetime = lifetime

    def issue(self, meter: str, now: int) -> str:
        claims = {"sub": meter, "iat": now, "exp": now + self.lifetime}
        return jwt.encode(claims, self._key(), algorithm=ALGORITHM)

    def meter_of(self, token: str) -> str:
        key = self._key()
        try:
            claims = jwt.decode(
                token, key, algorithms=[ALGORITHM], options={"require": ["sub", "exp"]}
            )
        except jwt.InvalidTokenError:
            raise PermissionError("the token is not valid") from None
        return claims["sub"]

    def _key(self) -> str:
        key = self._from_file() or os.environ.get("GATEWAY_KEY")
        if not key or len(key) < MIN_KEY:
            raise RuntimeError(f"a key of {MIN_KEY} characters is needed")
        return key

    @staticmethod
    def _from_file() -> str | None:
        path = os.environ.get("GATEWAY_KEY_FILE")
        if not path:
            return None
        try:
            return Path(path).read_text().strip()
        except OSError as error:
            raise RuntimeError(f"the key file cannot be read: {error.strerror}") from error
