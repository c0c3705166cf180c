import json
from dataclasses import dataclass
from pathlib import Path

import bcrypt


@dataclass(frozen=True)
class Member:
    email: str
    name: str


def fits(password: str) -> bool:
    """Whether bcrypt takes all of the password."""
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
        verifier = bcrypt.hashpw(password.encode(), bcrypt.gensalt(10))
        self._records[email] = {"email": email, "name": name, "verifier": verifier.decode()}
        self._save()

    def login(self, email: str, password: str) -> Member | None:
        record = self._records.get(email)
        if record is None or not fits(password):
            return None
        if not bcrypt.checkpw(password.encode(), record["verifier"].encode()):
            return None
        return Member(record["email"], record["name"])

    def rename(self, email: str, name: str) -> None:
        self._records[email]["name"] = name
        self._save()

    def members(self) -> list[Member]:
        return [Member(r["email"], r["name"]) for _, r in sorted(self._records.items())]

    def _save(self) -> None:
        self.path.write_text(json.dumps(list(self._records.values()), indent=1))
