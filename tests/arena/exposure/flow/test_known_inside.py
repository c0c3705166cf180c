"""What is known at a call: by helpers in its arguments, by any(...), by a parameter's Enum, by a compiled pattern."""

from __future__ import annotations

from arena.tracks.exposure.flow.facts import CallFact
from arena.tracks.exposure.flow.reading import read


def only(source: str, path: str) -> CallFact:
    (call,) = (call for call in read(source).calls if call.is_(path))
    return call


def test_a_helper_among_the_arguments_tells_what_it_checked() -> None:
    source = "def inside(n):\n    if '..' in n:\n        raise ValueError\n    return n\nname = input()\nopen(inside(name))\n"
    checks = [check for check in only(source, "open").checks if check.operator == "in"]
    assert [(check.left.texts, check.holds) for check in checks] == [(("..",), False)]


def test_any_that_is_true_tells_it_of_one_constant() -> None:
    source = "name = input()\nif any(name.endswith(e) for e in ('.png', '.jpg')):\n    open(name)\n"
    (check,) = only(source, "open").checks
    assert check.holds and set((check.right.items or ())[0].texts) == {".png", ".jpg"}


def test_any_that_is_true_tells_nothing_of_all_data() -> None:
    source = "name = input()\nif any(c in 'abc' for c in name):\n    open(name)\n"
    assert not only(source, "open").checks


def test_a_parameter_of_an_enum_is_nobodys_choice() -> None:
    source = (
        "from enum import Enum\nclass Kind(str, Enum):\n    cat = 'cat'\n"
        "def show(kind: Kind, other: str):\n    open(kind)\n    print(other)\n"
    )
    assert not only(source, "open").arguments[0].untrusted_flows
    assert only(source, "print").arguments[0].untrusted_flows


def test_a_compiled_pattern_is_known_by_its_text() -> None:
    source = "import re\np = re.compile('[a-z]+', re.I)\nname = input()\nif p.fullmatch(name):\n    open(name)\n"
    (check,) = only(source, "open").checks
    assert check.left.texts == ("[a-z]+",)


def test_bytes_that_are_encoded_stop_nothing() -> None:
    assert only("print(b'a'.encode())\n", "print")
