"""What tests of a pack are, as text for people: what goes in, and what is expected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tracks.dual.results import Result
from arena.tracks.dual.tasks.pack import DualPack, load_dual
from arena.tracks.dual.tasks.schema import Expectation, TestSpec
from tasks.loader import TaskError

MAX_TEXT = 4_000
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True)
class TestFacts:
    """One test: its title, what goes in (steps, files, links), and what must hold."""

    __test__ = False

    title: str
    input: str
    expected: str


Facts = Mapping[str, Mapping[str, TestFacts]]
"""Task -> test -> facts."""


def facts_of(pack: DualPack) -> dict[str, dict[str, TestFacts]]:
    """The facts of all tests of a pack; long ones are cut."""
    return {task.id: {test.id: _facts(test) for _, test in task.tests} for task in pack.tasks}


def _facts(test: TestSpec) -> TestFacts:
    given: list[str] = [_json(step) for step in test.steps]
    for name in ("files", "links", "secrets"):
        if value := getattr(test, name):
            given.append(f"{name}: {_json(value)}")
    wanted = [_expectation(one) for one in test.expect]
    if test.judge:
        wanted.append(f"a model is asked: {test.judge}")
    if test.untyped:
        wanted.append(f"untyped: {test.untyped}")
    return TestFacts(test.title, _cut("\n".join(given)), _cut("\n".join(wanted)))


def _expectation(one: Expectation) -> str:
    where = "" if one.step is None else f" (step {one.step})"
    return f"{one.oracle}{where} {_json(one.parameters) if one.parameters else ''}".rstrip()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} [...]"


def facts_for(results: Sequence[Result], pack: str, say: Callable[[str], None]) -> Facts:
    """The facts of a pack that a user names, else of the shipped packs that the results name.

    A result is no trusted file: of its words only a plain name is looked up. Raises TaskError for a pack
    that the user names and that is not there; `say` tells what is not known otherwise.
    """
    if pack:
        return facts_of(load_dual(pack))
    found: dict[str, Mapping[str, TestFacts]] = {}
    for name in dict.fromkeys(result.pack for result in results):
        if not PLAIN_NAME.fullmatch(name):
            say(
                f"inputs and expected values are not shown: give --pack (the result names {name!r})"
            )
            continue
        try:
            found |= facts_of(load_dual(name))
        except TaskError as error:
            say(f"inputs and expected values are not shown: give --pack ({error})")
    return found
