"""Neighbours of a PoC: further inputs by which a patch is judged (`<task>/oracle/neighbours.json`).

    {"schema": 1, "tried": 4096, "telling": false,
     "crashing": [[[12, 1, "AA=="]], ...], "harmless": [...]}

A neighbour is written as edits of the PoC, from the left: at this offset, so many bytes are replaced by these
(in base64, behind `z:` packed by zlib). `tried` says how many inputs the campaign looked at, `telling`
whether the fuzz target ends or prints differently for different inputs, so that a refusal shows.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tasks.whole_file import first_mistake

FILE = "oracle/neighbours.json"
# How many of each kind a task has at most.
MAX_PER_KIND = 32
# With fewer crashing ones than this a task says so.
FEW = 4
MAX_INPUT = 1 << 20
PACKED = "z:"
TOO_LONG = f"a neighbour has more than {MAX_INPUT} bytes"
# PoCs beyond this size are not aligned: only what both ends share is left out.
LONG = 1024


def _unpack_edit(text: object) -> bytes:
    """The bytes of an edit. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("text is expected")
    data = base64.b64decode(text.removeprefix(PACKED), validate=True)
    if not text.startswith(PACKED):
        return data
    try:
        unpacked = zlib.decompressobj().decompress(data, MAX_INPUT + 1)
    except zlib.error as error:
        raise ValueError(f"it cannot be unpacked: {error}") from error
    if len(unpacked) > MAX_INPUT:
        raise ValueError(TOO_LONG)
    return unpacked


Count = Annotated[int, Field(ge=0, le=MAX_INPUT)]
Edit = tuple[Count, Count, Annotated[bytes, BeforeValidator(_unpack_edit)]]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)
    schema_: Literal[1] = Field(alias="schema")
    tried: int = Field(ge=0)
    telling: bool
    crashing: tuple[tuple[Edit, ...], ...] = Field(max_length=MAX_PER_KIND)
    harmless: tuple[tuple[Edit, ...], ...] = Field(max_length=MAX_PER_KIND)


@dataclass(frozen=True)
class Neighbours:
    """Inputs near a PoC: those that crash gold as it does, and those that gold handles well."""

    crashing: tuple[bytes, ...] = ()
    harmless: tuple[bytes, ...] = ()
    tried: int = 0
    telling: bool = False


def read(data: bytes, poc: bytes) -> Neighbours:
    """The neighbours in a file. Raises ValueError with the reason."""
    try:
        stored = _File.model_validate_json(data)
    except ValidationError as error:
        raise ValueError(first_mistake(error, "the file")) from error
    crashing = tuple(apply(edits, poc) for edits in stored.crashing)
    harmless = tuple(apply(edits, poc) for edits in stored.harmless)
    return Neighbours(crashing, harmless, stored.tried, stored.telling)


def write(neighbours: Neighbours, poc: bytes) -> bytes:
    """The content of a file with these neighbours, as `read` returns them."""
    content = {
        "schema": 1,
        "tried": neighbours.tried,
        "telling": neighbours.telling,
        "crashing": [edits(poc, data) for data in neighbours.crashing],
        "harmless": [edits(poc, data) for data in neighbours.harmless],
    }
    rows = (f" {json.dumps(key)}: {_rows(value)}" for key, value in content.items())
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode()


def _rows(value: object) -> str:
    """JSON with a neighbour on each line."""
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]"


def apply(changes: Sequence[Edit], poc: bytes) -> bytes:
    """The neighbour. Raises ValueError where an edit is outside the PoC or before the previous edit."""
    parts, at = [], 0
    for offset, removed, added in changes:
        if not at <= offset <= offset + removed <= len(poc):
            raise ValueError(f"an edit at {offset} does not fit the PoC")
        parts += [poc[at:offset], added]
        at = offset + removed
    result = b"".join((*parts, poc[at:]))
    if len(result) > MAX_INPUT:
        raise ValueError(TOO_LONG)
    return result


def edits(poc: bytes, data: bytes) -> list[tuple[int, int, str]]:
    """Edits that make `data` of `poc`."""
    start = _common_prefix_length(poc, data)
    end = _common_prefix_length(poc[start:][::-1], data[start:][::-1])
    old, new = poc[start : len(poc) - end], data[start : len(data) - end]
    if max(len(old), len(new)) > LONG:
        return [(start, len(old), _pack_edit(new))]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (start + i, j - i, _pack_edit(new[k:m])) for step, i, j, k, m in steps if step != "equal"
    ]


def _common_prefix_length(left: bytes, right: bytes) -> int:
    """How many bytes two begin with alike."""
    pairs = zip(left, right, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _pack_edit(data: bytes) -> str:
    small = zlib.compress(data, 9)
    if len(small) < len(data):
        return PACKED + base64.b64encode(small).decode()
    return base64.b64encode(data).decode()
