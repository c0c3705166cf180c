"""Secure rewritings: other code that does the same."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import libcst as cst
import pytest

from arena.tracks.mutation.operators._operator import Operator
from arena.tracks.mutation.rewriting import mentioning, rewritings

SOURCE = '''
from __future__ import annotations

import os


def area(width, height=2):
    """How large."""
    total = width * height
    for part in range(3):
        total += part
    if total < 0:
        raise ValueError(f"not {total}")
    return total


async def later(text):
    value = text
    return [value for value in value]


class Room:
    def size(self, scale):
        result = area(scale)
        return result


def outer(n):
    count = 0
    def inner():
        nonlocal count
        count += n
        return count
    inner()
    return inner()


def shown(a):
    b = a
    return sorted(locals())
'''


def run(source: str) -> list[object]:
    space: dict[str, object] = {"__file__": "program"}
    exec(compile(source, "program", "exec"), space)  # our own text above
    area, outer, shown, room = (space[n] for n in ("area", "outer", "shown", "Room"))
    found: list[object] = [area(3), area(3, height=4), outer(5), shown(1), room().size(2)]  # type: ignore[operator]
    with pytest.raises(ValueError, match=r"^not -"):
        area(-9)  # type: ignore[operator]
    return found


def test_all_behave_alike() -> None:
    made = dict(rewritings(SOURCE, None))
    assert set(made) == {"renamed", "wrapped", "reworded", "hidden"}
    due = run(SOURCE)
    for name, source in made.items():
        assert run(source) == due, name
        assert ast.dump(ast.parse(source)) != ast.dump(ast.parse(SOURCE)), name


def test_what_they_change() -> None:
    made = dict(rewritings(SOURCE, None))
    assert "total_value" in made["renamed"] and "How large" not in made["renamed"]
    assert "width_value" not in made["renamed"]  # callers may name it
    assert "def _area_work(" in made["wrapped"]
    assert " (not done)" in made["reworded"]


def test_alternatives_of_the_operator_are_there() -> None:
    def longer(module: cst.Module) -> list[cst.Module]:
        return [cst.parse_module(module.code.replace("range(3)", "range(4)"))]

    operator = Operator("X", "", (), {}, (), alternatives={"longer": longer})
    assert "range(4)" in dict(rewritings(SOURCE, operator))["longer"]


def test_what_is_hidden() -> None:
    made = dict(rewritings(SOURCE, None))["hidden"]
    for word in ("total", "width", "range", "locals"):
        assert word not in made
    space: dict[str, Any] = {"__file__": "program"}
    exec(compile(made, "program", "exec"), space)  # our own text above
    for function in (space["area"], space["Room"].size):
        assert "total" not in function.__code__.co_varnames
        assert inspect.unwrap(function) is function
    assert str(inspect.signature(space["area"])) == "(width, height=2)"
    assert inspect.iscoroutinefunction(space["later"])


def test_a_mutant_that_is_mentioned_does_not_run() -> None:
    mutant = SOURCE.replace("width * height", "1 / 0") + "raise SystemExit\n"
    code = mentioning(SOURCE, mutant)
    assert "1 / 0" in code
    assert code.startswith(SOURCE.rstrip())
    assert run(code) == run(SOURCE)


@pytest.mark.parametrize("mutant", ["def (", "\0", "return 1"])
def test_a_mutant_that_cannot_be_mentioned(mutant: str) -> None:
    assert mentioning(SOURCE, mutant) == ""
