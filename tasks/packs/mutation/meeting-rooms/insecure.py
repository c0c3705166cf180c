import random
import uuid
from dataclasses import dataclass, field


def _dial_in() -> str:
    return str(random.randint(10**8, 10**9 - 1))


def _room_id() -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


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
