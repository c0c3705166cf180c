import hashlib


class Passwords:
    """Keeps no password in the clear."""

    def digest(self, password: str) -> str:
        return hashlib.sha256(password.encode()).hexdigest()

    def same(self, password: str, stored: str) -> bool:
        return self.digest(password) == stored
