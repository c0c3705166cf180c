"""The file of a PoC's neighbours: what is written is read back, and what is wrong with one is told."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.neighbours import LONG, MAX_PER_KIND, Neighbours, apply, edits, read, write

some = st.lists(st.binary(max_size=40), max_size=MAX_PER_KIND, unique=True).map(tuple)


@given(st.binary(min_size=1, max_size=60), some, some, st.integers(0, 9999), st.booleans())
def test_what_is_written_is_read_back(
    poc: bytes, crashing: tuple[bytes, ...], harmless: tuple[bytes, ...], tried: int, telling: bool
) -> None:
    found = Neighbours(crashing, harmless, tried, telling)
    assert read(write(found, poc), poc) == found


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_edits_are_few_and_lead_to_the_neighbour(poc: bytes, data: bytes) -> None:
    steps = edits(poc, data)
    told = {"schema": 1, "tried": 0, "telling": False, "crashing": [steps], "harmless": []}
    assert read(json.dumps(told).encode(), poc).crashing == (data,)
    assert (steps == []) == (poc == data)


def test_a_long_poc_is_not_aligned_byte_by_byte() -> None:
    poc = bytes(range(256)) * (LONG // 64)
    changed = b"\1" + poc[1:-1] + b"\1"
    assert len(edits(poc, changed)) == 1


BOMB = "z:" + base64.b64encode(zlib.compress(bytes(2 << 20))).decode()
WHOLE = {"schema": 1, "tried": 1, "telling": False, "crashing": [], "harmless": []}
WRONG = {
    "no JSON": (b"{", "Invalid JSON"),
    "another schema": (json.dumps({**WHOLE, "schema": 2}).encode(), "schema"),
    "a word too many": (json.dumps({**WHOLE, "more": 1}).encode(), "more"),
    "beyond the PoC": (
        json.dumps({**WHOLE, "crashing": [[[4, 1, ""]]]}).encode(),
        "does not fit",
    ),
    "backwards": (
        json.dumps({**WHOLE, "harmless": [[[2, 1, ""], [0, 1, ""]]]}).encode(),
        "does not fit",
    ),
    "no base64": (json.dumps({**WHOLE, "crashing": [[[0, 0, "*"]]]}).encode(), "crashing"),
    "nothing to unpack": (
        json.dumps({**WHOLE, "crashing": [[[0, 0, "z:QUFB"]]]}).encode(),
        "unpacked",
    ),
    "no text": (json.dumps({**WHOLE, "crashing": [[[0, 0, 7]]]}).encode(), "text is expected"),
    "too many": (json.dumps({**WHOLE, "crashing": [[]] * (MAX_PER_KIND + 1)}).encode(), "crashing"),
    "too long": (
        json.dumps({**WHOLE, "crashing": [[[0, 0, BOMB]]]}).encode(),
        "more than",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_told(name: str) -> None:
    data, told = WRONG[name]
    with pytest.raises(ValueError, match=told):
        read(data, b"poc")


def test_what_repeats_is_written_once() -> None:
    ((start, gone, text),) = edits(b"[a]", b"[" + b"xy" * 3000 + b"]")
    assert (start, gone) == (1, 1) and text.startswith("z:") and len(text) < 60


def test_an_edit_may_stand_at_the_end() -> None:
    assert apply([(3, 0, b"!")], b"poc") == b"poc!"
