"""Looks at hostile objects neither run long nor raise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.runner import texts

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.binary(max_size=9),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=3), below),
    max_leaves=12,
)


@given(st.lists(st.integers() | st.text(max_size=8), max_size=5), st.integers(1, 500))
def test_shown_is_repr_cut(value: list[Any], limit: int) -> None:
    assert texts.shorten_repr(value, limit) == repr(value)[:limit] or limit < 12


@pytest.mark.slow
@given(plain, st.integers(1, 300))
def test_shown_is_never_longer_than_its_limit(value: Any, limit: int) -> None:
    assert len(texts.shorten_repr(value, limit)) <= limit


@given(plain)
def test_inside_is_longest_first_without_empty_texts(value: Any) -> None:
    found = texts.inside((value,))
    assert list(found) == sorted(found, key=len, reverse=True)
    assert "" not in found and len(set(found)) == len(found)


def test_inside_finds_texts_of_objects_and_bytes() -> None:
    class Request:
        def __init__(self) -> None:
            self.args = {"id": ["' OR 1=1"], b"raw": b"bytes"}

    assert texts.inside((Request(), "x")) == ("' OR 1=1", "bytes", "raw", "id", "x")


def test_an_object_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert texts.shorten_repr(loop, 100).startswith("[[[") and texts.inside((loop,)) == ()


def test_a_lying_class_is_named_by_its_own_name() -> None:
    class Meta(type):
        __name__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]

    class Liar(Exception, metaclass=Meta):
        def __str__(self) -> str:
            raise SystemExit(0)

        __repr__ = __str__

    assert texts.kind(Liar()) == "Liar"
    assert texts.message(Liar(), 100) == "<no message: __str__ raised SystemExit>"
    assert texts.shorten_repr(Liar(), 100) == "<Liar: __repr__ raised SystemExit>"


def test_a_number_of_many_digits_is_not_written_out() -> None:
    assert texts.shorten_repr(1 << 200_000, 100) == "<int of 200001 bits>"


def test_objects_without_a_repr_show_what_they_hold() -> None:
    class User:
        def __init__(self) -> None:
            self.role = "admin"
            self.me = self

    class Named(User):
        def __repr__(self) -> str:
            return "named"

    class Hostile:
        def __getattribute__(self, name: str) -> Any:
            raise SystemExit

    shown = texts.shorten_repr(User(), 300)
    assert shown.startswith("<User {'role': 'admin', 'me': <User {") and "..." in shown
    assert texts.shorten_repr([Named()], 300) == "[named]"
    assert "Hostile" in texts.shorten_repr(Hostile(), 300)
