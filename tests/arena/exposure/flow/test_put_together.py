"""Calls and addresses that are put together from parts."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.flow.calls import MAX_MAPPED
from arena.tracks.exposure.flow.reading import read


@pytest.mark.parametrize(
    "made, asked",
    [
        ("functools.partial(lib.run, 'a')", "work('b', c='c')"),
        ("functools.partial(lib.run, 'a', c='d')", "work('b', c='c')"),
        ("functools.partial(functools.partial(lib.run, 'a'), c='c')", "work('b')"),
    ],
)
def test_a_call_of_a_partial_is_one_of_its_function(made: str, asked: str) -> None:
    program = f"import functools, lib\nwork = {made}\ndef f():\n    {asked}\n"
    (call,) = read(program).calls_of("lib.run")
    assert [one.texts for one in call.arguments] == [("a",), ("b",)]
    assert {name: one.texts for name, one in call.keywords.items()} == {"c": ("c",)}


def _pieces(parts: str) -> list[tuple[str, ...]]:
    program = (
        f"from urllib.parse import urlunparse\ndef f(host, path):\n    sink(urlunparse({parts}))\n"
    )
    (call,) = read(program).calls_of("?sink")
    return [piece.texts for piece in call.arguments[0].pieces]


def test_an_address_with_a_known_host_has_it_in_front() -> None:
    known = _pieces("('https', 'example.com', path, '', '', '')")
    assert known[:5] == [("https",), ("://",), ("example.com",), ("/",), ()]


@pytest.mark.parametrize(
    "parts",
    ["(path, host, path, '', '', '')", "('https', '', path, '', '', '')", "path", "('https',)"],
)
def test_an_address_without_one_has_no_order(parts: str) -> None:
    assert _pieces(parts) == []


def test_a_function_is_called_for_each_item_of_a_map() -> None:
    facts = read("import re\nfor one in map(re.compile, ('a', 'b')):\n    sink(one)\n")
    assert [call.arguments[0].texts for call in facts.calls_of("re.compile")] == [("a",), ("b",)]
    (call,) = facts.calls_of("?sink")
    assert call.arguments[0].texts == ("a", "b")


def test_many_items_are_mapped_as_one() -> None:
    words = ["input()"] * (MAX_MAPPED + 1)
    facts = read(f"import lib\nsink(list(map(str, [{', '.join(words)}])))\n")
    (call,) = facts.calls_of("?sink")
    assert call.arguments[0].untrusted_flows


@pytest.mark.parametrize("given", ["default='a'", "default_factory=lambda: 'a'"])
def test_a_field_is_worth_its_default(given: str) -> None:
    program = (
        "from dataclasses import dataclass, field\n@dataclass\nclass One:\n"
        f"    name: str = field({given})\n    def f(self):\n        sink(self.name)\n"
    )
    (call,) = read(program).calls_of("?sink")
    assert call.arguments[0].texts == ("a",)
