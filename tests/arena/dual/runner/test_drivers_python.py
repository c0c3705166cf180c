"""The Python driver: loading, names, arguments, results. One order carries many calls, to be quick."""

from __future__ import annotations

from typing import Any

import pytest

from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.driven import called, order, refused

ODD = """
import asyncio, collections, datetime, decimal, enum, functools, sys
def traced(f):
    @functools.wraps(f)
    def inner(*a, **k): return f(*a, **k)
    return inner
class Own(KeyError): pass
class Colour(enum.Enum):
    RED = 1
class Evil:
    def __init__(self): self.a, self._b, self.me = 1, 2, self
    def __repr__(self): raise RuntimeError
class Mute(Exception):
    def __str__(self): raise ValueError
Pair = collections.namedtuple("Pair", "a b")
def größe(x): return x
async def later(x): await asyncio.sleep(0); return x
async def many():
    yield 1
    yield 2
@traced
def decorated(x, y=2): return [x, y]
def shout(): print("to stdout"); return 1
def leave(): sys.exit(3)
def own(): raise Own("k")
def mute(): raise Mute()
def endless():
    n = 0
    while True:
        yield n
        n += 1
def nan(): return [float("nan"), float("-inf"), 2**80, 10**5000, True]
def circular():
    x = [1]
    x.append(x)
    return x
def deep():
    x = []
    for _ in range(500): x = [x]
    return x
def evil(): return Evil()
def keys(): return {1: "a", None: "b", "$c": (1, {3, 2})}
def kinds(): return [b"\\x00", Pair(1, 2), datetime.date(2026, 1, 2), decimal.Decimal("1.50"), Colour.RED, range(2), {}.keys()]
def surrogate(): return "\\ud800"
def echo(x): return x
def shapes(a, b, c, d): return [type(v).__name__ for v in (a, b, c, d)]
def apply(f, x): return f(x)
def forked():
    import os
    if os.fork() == 0: return "child"
    os.wait()
    return "parent"
def reach():
    import os
    try: os.write(4, b'{"value": "forged"}\\n')
    except OSError: pass
    return "honest"
"""
CALLS: list[tuple[str, list[Any], Any]] = [
    ("größe", [1], 1),
    ("later", ["x"], "x"),
    ("many", [], {"$iterator": [1, 2]}),
    ("decorated", [1], [1, 2]),
    ("nan", [], None),
    ("circular", [], [1, {"$object": "list", "text": "<circular>"}]),
    ("keys", [], {"$escape": {"1": "a", "null": "b", "$c": {"$tuple": [1, {"$set": [2, 3]}]}}}),
    ("surrogate", [], "\ud800"),
    (
        "echo",
        [{"$tuple": [{"$set": [1]}, {"$bytes": "AA=="}]}],
        {"$tuple": [{"$set": [1]}, {"$bytes": "AA=="}]},
    ),
    ("echo", [{"$float": "inf"}], {"$float": "inf"}),
    ("echo", [{"$int": "18446744073709551616"}], {"$int": "18446744073709551616"}),
    ("echo", [{"$escape": {"$bytes": 1}}], {"$escape": {"$bytes": 1}}),
    ("echo", [{"$iterator": [1, 2]}], {"$iterator": [1, 2]}),
    ("echo", [{"$date": "2026-01-02T03:04:05"}], {"$date": "2026-01-02T03:04:05"}),
    (
        "shapes",
        [
            {"$date": "2026-01-02"},
            {"$decimal": "1.5"},
            {"$undefined": True},
            {"$callable": "identity"},
        ],
        ["date", "Decimal", "NoneType", "function"],
    ),
    ("apply", [{"$callable": "upper"}, "x"], "X"),
    ("forked", [], "parent"),
    ("reach", [], "honest"),
]


def test_odd_functions_and_values(runner: ProgramRunner) -> None:
    names = list(dict.fromkeys(name for name, _, _ in CALLS))
    steps = [{"call": name, "args": args} for name, args, _ in CALLS]
    steps += [
        {"call": n} for n in ("shout", "leave", "own", "mute", "endless", "deep", "evil", "kinds")
    ]
    seen = runner.run(order("python", ODD, names, steps))
    assert seen.ended is ProcessEnded.OK, seen.why
    for step, (name, _, expected) in zip(seen.steps, CALLS, strict=False):
        if name != "nan":
            assert (name, step.value) == (name, expected)
    values = {step["call"]: told for step, told in zip(steps, seen.steps, strict=True)}
    nan = values["nan"].value
    assert nan[:3] == [{"$float": "nan"}, {"$float": "-inf"}, {"$int": str(2**80)}]
    assert nan[3]["$object"] == "int" and nan[4] is True
    assert (values["shout"].value, values["shout"].stdout) == (1, "to stdout\n")
    assert (values["leave"].raised, values["leave"].text) == ("SystemExit", "3")
    assert values["own"].bases[:3] == ("KeyError", "LookupError", "Exception")
    assert values["mute"].raised == "Mute"
    assert (
        values["endless"].value["more"] is True
        and len(values["endless"].value["$iterator"]) == 10_000
    )
    assert "<too large>" in str(values["deep"].value)
    assert values["evil"].value["fields"] == {
        "a": 1,
        "me": {"$object": "Evil", "text": "<circular>"},
    }
    assert values["kinds"].value == [
        {"$bytes": "AA=="}, {"$tuple": [1, 2]}, {"$date": "2026-01-02"}, {"$decimal": "1.50"},
        {"$object": "Colour", "text": "<Colour.RED: 1>"}, [0, 1], [],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "asked", "found"),
    [
        ("def getPasswordHash(x): return 'it'", "get_password_hash", "it"),
        ("class Vault:\n  def open_it(self, x): return 'it'", "openIt", "it"),
        (
            "class Vault:\n  @staticmethod\n  def open(x): return 'it'\n  def __init__(self, k): pass",
            "open",
            "it",
        ),
        ("from os.path import join\ndef only(x): return 'it'\ndef _helper(): pass", "other", "it"),
        ("def f(x): return 'no'\ndef F(x): return 'it'", "F", "it"),
    ],
)
def test_names_are_found_by_reading(
    runner: ProgramRunner, source: str, asked: str, found: str
) -> None:
    assert called(runner, "python", source, asked, 1).value == found


@pytest.mark.parametrize(
    ("signature", "kwargs", "expected"),
    [
        ("a, b", {"b": 1, "a": 2}, [2, 1]),
        ("user_name, n=5", {"userName": 1}, [1, 5]),
        ("x, y", {"a": 1, "b": 2}, [1, 2]),
        ("options, y=0", {"a": 1, "b": 2, "c": 3}, [{"a": 1, "b": 2, "c": 3}, 0]),
    ],
)
def test_arguments_by_name(
    runner: ProgramRunner, signature: str, kwargs: Any, expected: Any
) -> None:
    names = ", ".join(part.partition("=")[0] for part in signature.split(", "))
    source = f"def f({signature}): return [{names}]"
    assert called(runner, "python", source, "f", **kwargs).value == expected


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def f(:", "syntax-error: SyntaxError"),
        ("f = 1\0", "syntax-error"),
        ("import no_such_thing\ndef f(): pass", "missing-dependency: no_such_thing"),
        ("1 / 0", "import-error: ZeroDivisionError"),
        ("import sys; sys.exit(4)", "died"),
        ("import os; os._exit(4)", "died"),
        ("def g(): pass\ndef h(): pass", "no-entry-point: f"),
    ],
)
def test_what_cannot_be_loaded_is_named(runner: ProgramRunner, source: str, why: str) -> None:
    assert refused(runner, "python", source, ["f"]).startswith(why)


def test_no_entry_point_tells_which_functions_there_are(runner: ProgramRunner) -> None:
    assert "there are: g, h" in refused(runner, "python", "def g(): pass\ndef h(): pass", ["f"])


def test_state_lasts_from_call_to_call_and_the_main_part_is_not_run(runner: ProgramRunner) -> None:
    source = "class C:\n  n = 0\n  def add(self): self.n += 1; return self.n\nif __name__ == '__main__': 1/0"
    steps = [{"call": "add"}, {"call": "add"}]
    seen = runner.run(order("python", source, ["add"], steps))
    assert [step.value for step in seen.steps] == [1, 2]


def test_a_thread_left_behind_does_not_hold_the_order(runner: ProgramRunner) -> None:
    source = "import threading, time\ndef f(): threading.Thread(target=time.sleep, args=(60,)).start(); return 1"
    seen = runner.run(order("python", source, ["f"], [{"call": "f"}]))
    assert seen.steps[0].value == 1 and seen.seconds < 5


def test_a_call_that_a_function_does_not_take_is_told_from_its_own_errors(
    runner: ProgramRunner,
) -> None:
    source = """
def one(a): return len(a)
def two(a, b=1): raise TypeError("mine")
"""
    steps = [
        {"call": "one", "args": [], "kwargs": {}},
        {"call": "one", "args": [1, 2]},
        {"call": "one", "kwargs": {"x": 1, "y": 2}},
        {"call": "two", "args": [1]},
        {"call": "one", "args": [None]},
    ]
    seen = runner.run(order("python", source, ["one", "two"], steps))
    raised = [step.raised for step in seen.steps]
    assert raised == ["CallMismatch"] * 3 + ["TypeError"] * 2
    assert all("TypeError" in step.bases for step in seen.steps[:3])
