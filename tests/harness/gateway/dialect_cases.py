"""Replies, bodies and chunks for the tests of the dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from harness.gateway.neutral import Reply, Tokens, ToolCall
from parsers.registry import lookup

DIALECTS = ("chat", "responses", "messages")


def dialect(name: str) -> Any:
    return lookup("harness.gateway.dialects", name)


TEXT = st.text(max_size=200) | st.sampled_from(
    [
        "",
        " ",
        "\n",
        "\r\n\r\n",
        "data: x\n\n",
        "\u2028\u2029\x85",
        '"\\{}',
        "\x00",
        "😀" * 40,
        "[DONE]",
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3).map(lambda o: json.dumps(o, ensure_ascii=False))
NAMES = st.text(min_size=1, max_size=20)
BROKEN = st.sampled_from(
    ['{"a": ', "[1]", "nonsense", '"text"', "5", "[" * 300, '{"a": 1e999}', '{"a": NaN}']
)


@st.composite
def tokens(draw: st.DrawFn) -> Tokens | None:
    if draw(st.booleans()):
        return None
    counts = st.integers(0, 1_000_000)
    plain, cached, written, output = draw(counts), draw(counts), draw(counts), draw(counts)
    reasoning = draw(st.integers(0, output))
    total = plain + cached + written
    return Tokens(total, output, cached, written, reasoning) if total or output else None


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    calls = tuple(
        ToolCall(draw(NAMES), draw(NAMES), draw(OBJECTS | BROKEN))
        for _ in range(draw(st.integers(0, 3)))
    )
    stop = draw(st.sampled_from(["length", "tools" if calls else "end"]))
    return Reply(draw(TEXT), calls, draw(TEXT), stop, draw(tokens()))


def cut(data: bytes, sizes: list[int]) -> Iterator[bytes]:
    """The bytes in pieces of the sizes, taken round and round."""
    start = turn = 0
    while start < len(data):
        size = sizes[turn % len(sizes)]
        yield data[start : start + size]
        start, turn = start + size, turn + 1
