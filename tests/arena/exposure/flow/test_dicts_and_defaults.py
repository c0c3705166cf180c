"""What a dict says that is asked by a method, and what a parameter is worth that nothing gives."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.flow.facts import Constant
from arena.tracks.exposure.flow.reading import read


@pytest.mark.parametrize(
    "asked, known",
    [
        ("WORDS[name]", {"x", "y"}),
        ("WORDS.get(name)", {"x", "y", None}),
        ("WORDS.get(name, 'z')", {"x", "y", "z"}),
        ("WORDS.get('a')", {"x"}),
        ("WORDS.pop(name)", {"x", "y", None}),
        ("next(one for one in WORDS.values())", set()),
        ("[one for one in WORDS.values()][0]", {"x", "y"}),
        ("[one for _, one in WORDS.items()][0]", {"x", "y"}),
        ("[one for one, _ in WORDS.items()][0]", {"a", "b"}),
    ],
)
def test_a_dict_says_what_it_holds(asked: str, known: set[Constant]) -> None:
    program = f"WORDS = {{'a': 'x', 'b': 'y'}}\ndef f(name):\n    sink({asked})\n"
    (call,) = read(program).calls_of("?sink")
    assert call.arguments[0].constants == known


@pytest.mark.parametrize(
    "parameter, known",
    [
        ("flag=False", {False}),
        ("flag: bool = False", {False}),
        ("flag=7", {7}),
        ("flag='x'", {"x"}),
        ("flag=None", set()),
        ("flag", set()),
    ],
)
def test_a_parameter_can_be_its_default(parameter: str, known: set[Constant]) -> None:
    (call,) = read(f"def f({parameter}):\n    sink(flag)\n").calls_of("?sink")
    value = call.arguments[0]
    assert value.constants == known
    assert not value.exact


def test_each_part_of_a_target_is_assigned() -> None:
    facts = read("a.x, (b, c['k']) = 1, ('y', z)\n")
    assert [(one.target, sorted(one.value.constants, key=repr)) for one in facts.assignments] == [
        ("a.x", [1]),
        ("b", ["y"]),
        ("c['k']", []),
    ]


@pytest.mark.parametrize(
    "row, untrusted",
    [
        ("{'a': input(), 'b': 'c'}", False),
        ("{'a': 'c', **input()}", True),
        ("{'a': 'c', **{'b': input()}}", False),
    ],
)
def test_a_key_that_is_written_there_is_nobody_elses(row: str, untrusted: bool) -> None:
    (call,) = read(f"for name in {row}:\n    sink(name)\n").calls_of("?sink")
    assert bool(call.arguments[0].untrusted_flows) is untrusted


@pytest.mark.parametrize(
    "change, untrusted",
    [("update(input())", True), ("update({'b': input()})", False), ("update(b=input())", False)],
)
def test_an_update_brings_its_keys(change: str, untrusted: bool) -> None:
    program = f"row = {{'a': 'c'}}\nrow.{change}\nfor name in row:\n    sink(name)\n"
    (call,) = read(program).calls_of("?sink")
    assert bool(call.arguments[0].untrusted_flows) is untrusted


def test_a_setting_is_what_was_put_there() -> None:
    program = "app.config['a'] = 'x'\ndef f():\n    sink(app.config['a'], app.config['b'])\n"
    (call,) = read(program).calls_of("?sink")
    assert [one.texts for one in call.arguments] == [("x",), ()]


def test_a_setting_is_gone_when_its_owner_is_another() -> None:
    program = "app.config['a'] = 'x'\napp = other()\nsink(app.config['a'])\n"
    (call,) = read(program).calls_of("?sink")
    assert call.arguments[0].texts == ()
