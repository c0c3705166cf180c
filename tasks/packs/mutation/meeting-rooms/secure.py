import secrets
import uuid
from dataclasses import dataclass, field


def _dial_in() -> str:
    return str(10**8 + secrets.randbelow(9 * 10**8))


def _room_id() -> str:
    return str(uuid.uuid4())


@dataclass
class Room:
    title: str
    host: str
    id: str = field(default_factory=_room_id)
    dial_in: str = field(default_factory=_dial_in)


def open_room(title: str, host: str) -> Room:
    title = title.strip()
    if not title:
        raise ValueError("a room needs a title")
    return Room(title, host)


def invitation(room: Room) -> str:
    return f"{room.title}: https://meet.example/{room.id} or dial {room.dial_in}"
