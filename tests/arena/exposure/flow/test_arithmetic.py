"""What is left of somebody's text in a sum: nothing where the outcome is a number."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.flow.reading import read


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("text - total", False),
        ("text // 2", False),
        ("2 ** text", False),
        ("price(total) * text", False),
        ("text + total", True),
        ("text * 3", True),
        ("set([text]) - {total}", True),
        ("[text] * total", True),
    ],
)
def test_a_number_holds_no_text(expression: str, kept: bool) -> None:
    (call,) = read(f"total = load()\ntext = input()\nuse({expression})\n").calls_of("?use")
    assert bool(call.arguments[0].untrusted_flows) is kept


def test_numbers_mapped_from_text_hold_none_of_it() -> None:
    (call,) = read("text = input()\nuse(list(map(int, text.split(','))))\n").calls_of("?use")
    assert not call.arguments[0].untrusted_flows


def test_local_names_can_be_asked_by_name() -> None:
    program = "def f(name, other):\n    use('{name}'.format(**locals()), '%(x)s' % vars())\n"
    (call,) = read(program).calls_of("?use")
    assert [flow.source.name for flow in call.arguments[0].untrusted_flows] == ["name"]
