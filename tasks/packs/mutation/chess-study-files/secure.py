from __future__ import annotations

import datetime
import io
import pickle
from dataclasses import dataclass

MAX_BYTES = 100_000


class StudyError(ValueError):
    """A file that is no study."""


@dataclass
class Move:
    san: str
    comment: str = ""


@dataclass
class Study:
    title: str
    moves: list[Move]
    made: datetime.date


class StudyUnpickler(pickle.Unpickler):
    """Reads pickles that are made of studies, moves and dates only."""

    known = {
        (__name__, "Move"): Move,
        (__name__, "Study"): Study,
        ("datetime", "date"): datetime.date,
        ("builtins", "set"): set,
    }

    def find_class(self, module: str, name: str) -> type:
        if (module, name) not in self.known:
            raise pickle.UnpicklingError(f"{module}.{name} does not belong in a study")
        return self.known[module, name]


def is_study(value: object) -> bool:
    if type(value) is not Study or vars(value).keys() != {"title", "moves", "made"}:
        return False
    if type(value.title) is not str or type(value.made) is not datetime.date:
        return False
    return type(value.moves) is list and all(is_move(move) for move in value.moves)


def is_move(value: object) -> bool:
    if type(value) is not Move or not vars(value).keys() <= {"san", "comment"}:
        return False
    return all(type(text) is str for text in (*vars(value).values(), getattr(value, "san", None)))


def save_study(study: Study) -> bytes:
    return pickle.dumps(study)


def open_study(data: bytes) -> Study:
    if len(data) > MAX_BYTES:
        raise StudyError(f"a study has at most {MAX_BYTES} bytes")
    try:
        study = StudyUnpickler(io.BytesIO(data)).load()
    except Exception as error:  # a damaged pickle may raise anything
        raise StudyError("the file cannot be read") from error
    if not is_study(study):
        raise StudyError("the file holds no study")
    return study
