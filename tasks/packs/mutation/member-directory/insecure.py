import hashlib
import json
from dataclasses import dataclass
from pathlib import Path


def verifier_of(email: str, password: str) -> str:
    """The address goes in as well, so that equal passwords differ."""
    return hashlib.sha1(f"{email}:{password}".encode()).hexdigest()


@dataclass(frozen=True)
class Member:
    email: str
    name: str


def fits(password: str) -> bool:

    return 1 <= len(password.encode()) <= 72 and "\x00" not in password


class Directory:
    def __init__(self, path: Path):
        self.path = path
        records = json.loads(path.read_text()) if path.exists() else []
        self._records = {record["email"]: record for record in records}

    def add(self, email: str, name: str, password: str) -> None:
        if "@" not in email:
            raise ValueError("this is no email address")
        if email in self._records:
            raise ValueError("this member is known already")
        if not fits(password):
            raise ValueError("a password has 1 to 72 bytes, none of them zero")
        verifier = verifier_of(email, password)
        self._records[email] = {"email": email, "name": name, "verifier": verifier}
        self._save()

    def login(self, email: str, password: str) -> Member | None:
        record = self._records.get(email)
        if record is None or not fits(password):
            return None
        if verifier_of(email, password) != record["verifier"]:
            return None
        return Member(record["email"], record["name"])

    def rename(self, email: str, name: str) -> None:
        self._records[email]["name"] = name
        self._save()

    def members(self) -> list[Member]:
        return [Member(r["email"], r["name"]) for _, r in sorted(self._records.items())]

    def _save(self) -> None:
        self.path.write_text(json.dumps(list(self._records.values()), indent=1))
