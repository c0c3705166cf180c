"""A test's input -> the steps of the runner, by the task's shape."""

from __future__ import annotations

import json
import re
from typing import Any

from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.requests import Step, Untypable, requests
from arena.tracks.dual.tasks.dualgauge.shaping import CALLED, Shaped, parameter

CALLABLES = frozenset((
    "no_shuffle", "noop", "identity", "random.shuffle", "reverse", "failing", "true", "false",
    "zero", "add", "double",
))  # fmt: skip
"""Functions that the drivers know by name, and which a text may stand for."""
SAFE = 2**53
LONGEST = 100_000
"""Characters of an argument that a command can be given (execve(2) takes 128 KiB)."""
_ARGS = ("args", "arguments", "params", "parameters", "input", "inputs")
DEPTH = 60


def value(item: Any) -> Any:
    """JSON as a tagged value: keys that begin with `$` and large numbers are no tags."""
    return _value(item, 0)


def _value(item: Any, depth: int) -> Any:
    if depth > DEPTH:
        raise Untypable(f"a value is deeper than {DEPTH} levels")
    if isinstance(item, bool):
        return item
    if isinstance(item, int) and abs(item) > SAFE:
        return {"$int": str(item)}
    if isinstance(item, list):
        return [_value(one, depth + 1) for one in item]
    if isinstance(item, dict):
        plain = {key: _value(one, depth + 1) for key, one in item.items()}
        return {"$escape": plain} if any(key.startswith("$") for key in plain) else plain
    return item


def steps(given: Any, shaped: Shaped, facts: TestFacts) -> list[Step]:
    """The steps of one test. Raises Untypable."""
    match shaped.io.shape:
        case "function":
            if shaped.why:
                raise Untypable(shaped.why)
            return [_call(given, shaped, facts)]
        case "http":
            return requests(given, facts)
        case "stdin":
            return [{"stdin": _lines(given)}]
        case "file":
            return [{"content": _lines(given)}]
        case "cli":
            return [_check_arguments(_arguments(given, shaped, facts))]


def _call(given: Any, shaped: Shaped, facts: TestFacts) -> Step:
    functions = shaped.io.functions
    if shaped.passing == "called":
        return _call_step(given, {one.name for one in functions})
    named = _named_call(given, {one.name for one in functions})
    if named is not None:
        return named
    step: Step = {"call": functions[0].name, "args": [], "kwargs": {}}
    if shaped.passing == "names" and isinstance(given, dict):
        step["kwargs"] = _keywords(given, functions[0].parameters, facts)
    elif shaped.passing == "spread" and isinstance(given, list):
        step["args"] = [value(one) for one in given]
    else:
        step["args"] = [value(given)]
    return step


def _call_step(given: Any, names: set[str]) -> Step:
    """An input that names the function, and whose other keys are its arguments. Raises Untypable."""
    told = dict(given) if isinstance(given, dict) else {}
    name = next((str(told.pop(key)) for key in CALLED if key in told), "")
    if name not in names:
        raise Untypable("the input does not tell which function is called")
    if len(told) == 1 and next(iter(told)) in _ARGS:
        arguments = next(iter(told.values()))
        if isinstance(arguments, dict):
            told = arguments
        else:
            listed = arguments if isinstance(arguments, list) else [arguments]
            return {"call": name, "args": [value(one) for one in listed], "kwargs": {}}
    kwargs = {parameter(str(key)): value(one) for key, one in told.items()}
    return {"call": name, "args": [], "kwargs": kwargs}


def _named_call(given: Any, names: set[str]) -> Step | None:
    """An input that tells which function is called: {"function": name, "args": [..] or {..}}."""
    if not isinstance(given, dict):
        return None
    name = given.get("function", given.get("method"))
    arguments = given.get("args", given.get("arguments", given.get("params", [])))
    if name not in names or len(given) > 2 or not isinstance(arguments, list | dict):
        return None
    if isinstance(arguments, dict):
        kwargs = {parameter(key): value(one) for key, one in arguments.items()}
        return {"call": name, "args": [], "kwargs": kwargs}
    return {"call": name, "args": [value(one) for one in arguments], "kwargs": {}}


def _keywords(
    given: dict[str, Any], parameters: tuple[str, ...], facts: TestFacts
) -> dict[str, Any]:
    """Keyword arguments. JavaScript has none: what is left out before another one is undefined there."""
    named = {parameter(key): _argument(parameter(key), one, facts) for key, one in given.items()}
    if facts.languages != ("javascript",):
        return named
    known = [name for name in parameters if name in named]
    last = parameters.index(known[-1]) if known else -1
    filled = {name: named.get(name, {"$undefined": True}) for name in parameters[: last + 1]}
    return {**filled, **named}


def _argument(name: str, item: Any, facts: TestFacts) -> Any:
    if not isinstance(item, str) or not _is_callable(re.escape(name), facts):
        return value(item)
    if item not in CALLABLES:
        raise Untypable(f"the input names a function {item[:40]!r} that nobody defines")
    return {"$callable": item}


def _is_callable(name: str, facts: TestFacts) -> bool:
    """Is the parameter `name` a function by the specification's words?"""
    before = rf"(?:callable|callback|function)\s{{0,3}}\(?[`'\"]?{name}\b"
    return facts.says(rf"{before}|\b{name}\b.{{0,40}}\bcallable")


def _lines(given: Any) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, dict) and len(given) == 1 and set(given) <= {"stdin", "input"}:
        return _lines(next(iter(given.values())))
    if isinstance(given, list) and all(isinstance(one, str | int | float) for one in given):
        return "".join(f"{_word(one)}\n" for one in given)
    if isinstance(given, bool | int | float):
        return json.dumps(given)
    if isinstance(given, dict) and all(
        isinstance(one, str | int | float) for one in given.values()
    ):
        return "".join(f"{_word(one)}\n" for one in given.values())
    raise Untypable("how the input stands on standard input is not told")


def _word(item: Any) -> str:
    return item if isinstance(item, str) else json.dumps(item)


def _check_arguments(step: Step) -> Step:
    """The step. Raises Untypable for arguments that no command can be given."""
    if any("\0" in word or len(word) > LONGEST for word in step["args"]):
        raise Untypable("the input is no argument that a command can be given")
    return step


def _arguments(given: Any, shaped: Shaped, facts: TestFacts) -> Step:
    if shaped.passing == "unknown":
        raise Untypable("no way of input is told")
    if isinstance(given, str):
        whole = facts.one_argument or re.search(r"[^\w\s./:=-]|[\r\n\t]", given)
        return {"args": [given] if whole else given.split()}
    if isinstance(given, bool | int | float):
        return {"args": [json.dumps(given)]}
    if isinstance(given, list) and all(isinstance(one, str | int | float) for one in given):
        return {"args": [_word(one) for one in given]}
    if isinstance(given, dict):
        args = given.get("args", given.get("argv"))
        if isinstance(args, list) and set(given) <= {"args", "argv", "stdin"}:
            extra = {"stdin": _lines(given["stdin"])} if "stdin" in given else {}
            return {"args": [_word(one) for one in args], **extra}
        if all(isinstance(one, str | int | float) for one in given.values()):
            return {"args": [_word(one) for one in given.values()]}
    raise Untypable("how the input stands on the command line is not told")
