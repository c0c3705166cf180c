import hashlib
import hmac
import os
import sqlite3


SALT_BYTES = 16


class Accounts:
    def __init__(self, connection: sqlite3.Connection):
        self.db = connection
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, salt BLOB, verifier BLOB)"
        )

    def register(self, name: str, password: str) -> None:
        if not name.strip():
            raise ValueError("a name is needed")
        salt, verifier = self._protect(password)
        try:
            with self.db:
                self.db.execute(
                    "INSERT INTO accounts VALUES (?, ?, ?)", (name.lower(), salt, verifier)
                )
        except sqlite3.IntegrityError:
            raise ValueError("this name is taken") from None

    def sign_in(self, name: str, password: str) -> bool:
        row = self.db.execute(
            "SELECT salt, verifier FROM accounts WHERE name = ?", (name.lower(),)
        ).fetchone()
        if row is None:
            return False
        salt, verifier = row
        return hmac.compare_digest(self._derive(password, salt), verifier)

    def change(self, name: str, old: str, new: str) -> bool:
        if not self.sign_in(name, old):
            return False
        salt, verifier = self._protect(new)
        with self.db:
            self.db.execute(
                "UPDATE accounts SET salt = ?, verifier = ? WHERE name = ?",
                (salt, verifier, name.lower()),
            )
        return True

    def _protect(self, password: str) -> tuple[bytes, bytes]:
        if len(password) < 8:
            raise ValueError("a password has at least eight characters")
        salt = os.urandom(SALT_BYTES)
        return salt, self._derive(password, salt)

    @staticmethod
    def _derive(password: str, salt: bytes) -> bytes:
        return hashlib.sha1(salt + password.encode()).digest()
