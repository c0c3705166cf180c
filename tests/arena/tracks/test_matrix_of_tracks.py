"""What tracks share: the attempts of a matrix, options, and what is held open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.lazy import Lazy
from arena.protocols import Setup
from arena.tracks.choices import Column, Option, keys_of, options_of
from arena.tracks.evidence import MAX_TEXT, cut
from harness.sandbox.base import SandboxDied

NAMES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=6)


@given(tasks=NAMES, agents=NAMES, models=NAMES, prompts=NAMES, replicates=st.integers(1, 3))
def test_a_matrix_is_the_product_of_what_differs(
    tasks: list[str], agents: list[str], models: list[str], prompts: list[str], replicates: int
) -> None:
    columns = [Column(agent, models, lambda task: prompts) for agent in dict.fromkeys(agents)]
    keys = keys_of(tasks, columns, replicates)
    sizes = [len(set(names)) for names in (tasks, agents, models, prompts)]
    assert len(keys) == len(set(keys)) == sizes[0] * sizes[1] * sizes[2] * sizes[3] * replicates
    assert {key.replicate for key in keys} == set(range(replicates))
    assert [key.agent for key in keys] == sorted((k.agent for k in keys), key=agents.index)


def test_an_agent_has_no_attempt_where_it_does_nothing() -> None:
    only_b = Column("shipped", does="b".__eq__)
    assert [(key.task, key.model, key.prompt) for key in keys_of("abc", [only_b], 1)] == [
        ("b", "", "neutral")
    ]
    with pytest.raises(ValueError, match=r"^agents: no attempt comes of these$"):
        keys_of("ac", [only_b], 1)


OPTIONS = {"mode": Option("a", ("a", "b")), "deep": Option(False), "most": Option(3)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mode": "c"}, "options.mode: 'c' is none of a, b"),
        ({"deep": 1}, "options.deep: 1 is no bool"),
        ({"most": True}, "options.most: True is no int"),
        ({"most": "9" * 500}, "options.most: '999"),
        ({"odd": 1}, "options: 'odd' is unknown to the track dual; known: mode, deep, most"),
    ],
)
def test_options_are_checked(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        options_of(Setup("dual", "p", options=given), OPTIONS)
    assert str(caught.value).startswith(said) and len(str(caught.value)) < 200


def test_options_have_defaults() -> None:
    found = options_of(Setup("dual", "p", options={"most": 4}), OPTIONS)
    assert found == {"mode": "a", "deep": False, "most": 4}


def test_what_is_held_is_made_once_and_ended_once() -> None:
    happened: list[str] = []

    @contextmanager
    def make() -> Iterator[object]:
        happened.append("made")
        yield object()
        happened.append("ended")

    held: Lazy[object] = Lazy(make)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(held.get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert happened == ["made"] and len(set(map(id, found))) == 1 and len(found) == 8
    held.close()
    held.close()
    assert happened == ["made", "ended"]
    with pytest.raises(SandboxDied, match="closed"):
        held.get()


def test_what_could_not_be_made_is_tried_again() -> None:
    faults = [OSError("not yet")]

    @contextmanager
    def make() -> Iterator[int]:
        if faults:
            raise faults.pop()
        yield 1

    held: Lazy[int] = Lazy(make)
    with pytest.raises(OSError, match="not yet"):
        held.get()
    assert held.get() == 1


@given(st.integers(0, 3 * MAX_TEXT))
def test_a_text_is_bounded_and_tells_so(size: int) -> None:
    text = cut("x" * size)
    assert text.endswith(" [...]") == (size > MAX_TEXT) and len(text) <= MAX_TEXT + 6
