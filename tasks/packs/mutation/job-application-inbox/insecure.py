from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

MAX_SIZE = 300_000
MAX_FILES = 5
OTHER_KINDS = {".mp3", ".mp4", ".png", ".jpg", ".exe"}


class Refused(ValueError):
    """A document that is not taken."""


class Inbox:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sent: dict[str, list[str]] = {}
        self._stored: set[str] = set()

    def add(self, applicant: str, filename: str, data: bytes) -> str:
        extension = PurePosixPath(filename).suffix.lower()
        if not extension or extension in OTHER_KINDS:
            raise Refused("documents are PDF, Word or plain text files")
        if not 0 < len(data) <= MAX_SIZE:
            raise Refused(f"a file has 1 to {MAX_SIZE} bytes")
        sent = self._sent.setdefault(applicant, [])
        if len(sent) >= MAX_FILES:
            raise Refused(f"at most {MAX_FILES} files for each applicant")
        name = f"{hashlib.sha256(data).hexdigest()}{extension}"
        (self._folder / name).write_bytes(data)
        self._stored.add(name)
        sent.append(filename)
        return name

    def documents(self, applicant: str) -> list[str]:
        return list(self._sent.get(applicant, ()))

    def read(self, name: str) -> bytes:
        if name not in self._stored:
            raise KeyError(name)
        return (self._folder / name).read_bytes()
