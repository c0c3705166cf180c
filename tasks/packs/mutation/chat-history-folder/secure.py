import json
import os
import re
from pathlib import Path

ROOM = re.compile(r"[a-z0-9-]{1,40}")


class ChatHistory:
    def __init__(self, home: Path) -> None:
        self.folder = Path(home) / "chats"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)

    def _path(self, room: str) -> Path:
        if not ROOM.fullmatch(room):
            raise ValueError(f"bad name of a room: {room!r}")
        return self.folder / f"{room}.jsonl"

    def add(self, room: str, author: str, text: str) -> None:
        path = self._path(room)
        path.touch()
        path.chmod(0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"author": author, "text": text}) + "\n")

    def read(self, room: str) -> list[dict]:
        path = self._path(room)
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def rooms(self) -> list[str]:
        return sorted(entry.name.removesuffix(".jsonl") for entry in os.scandir(self.folder))
