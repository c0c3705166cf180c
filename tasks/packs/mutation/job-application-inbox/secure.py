from __future__ import annotations

import hashlib
import io
import unicodedata
import zipfile
from pathlib import Path, PurePosixPath

MAX_SIZE = 300_000
MAX_FILES = 5
MAX_MEMBERS = 500
LINE_BREAKS = "\t\r\n"


class Refused(ValueError):
    """A document that is not taken."""


def is_pdf(data: bytes) -> bool:
    return data.startswith(b"%PDF-")


def is_text(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(unicodedata.category(c) == "Cc" and c not in LINE_BREAKS for c in text)


def is_word_file(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
    if len(names) > MAX_MEMBERS or any("vbaproject" in name.lower() for name in names):
        return False
    return data.startswith(b"PK") and "word/document.xml" in names


KINDS = {".pdf": is_pdf, ".docx": is_word_file, ".txt": is_text}


class Inbox:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sent: dict[str, list[str]] = {}
        self._stored: set[str] = set()

    def add(self, applicant: str, filename: str, data: bytes) -> str:
        extension = PurePosixPath(filename).suffix.lower()
        if extension not in KINDS:
            raise Refused("documents are PDF, Word or plain text files")
        if not 0 < len(data) <= MAX_SIZE:
            raise Refused(f"a file has 1 to {MAX_SIZE} bytes")
        if not KINDS[extension](data):
            raise Refused("the file is not what its name says")
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
