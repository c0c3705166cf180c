"""A test's input -> the steps of the runner, by the task's shape."""

from __future__ import annotations

import json
import re
from typing import Any

from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.requests import Step, Untypable, requests
from arena.tracks.dual.tasks.dualgauge.shaping import CALLED, TaskShape, parameter

# Functions that the drivers know by name, and which a text may stand for.
CALLABLES = frozenset((
    "no_shuffle", "noop", "identity", "random.shuffle", "reverse", "failing", "true", "false",
    "zero", "add", "double",
))  # fmt: skip
SAFE = 2**53
# Characters of an argument that a command can be given (execve(2) takes 128 KiB).
LONGEST = 100_000
_ARGS = ("args", "arguments", "params", "parameters", "input", "inputs")
DEPTH = 60


def value(item: Any) -> Any:
    """JSON as a tagged value: keys that begin with `$` and large numbers are no tags."""
    return _value(item, 0)


def _value(item: Any, depth: int) -> Any:
    if depth > DEPTH:
        raise Untypable(f"a value is deeper than {DEPTH} levels")
    # Before the check for int, which `bool` is a kind of.
    if isinstance(item, bool):
        return item
    if isinstance(item, int) and abs(item) > SAFE:
        return {"$int": str(item)}
    if isinstance(item, list):
        return [_value(element, depth + 1) for element in item]
    if isinstance(item, dict):
        plain = {key: _value(element, depth + 1) for key, element in item.items()}
        return {"$escape": plain} if any(key.startswith("$") for key in plain) else plain
    return item


def steps(test_input: Any, shaped: TaskShape, facts: TestFacts) -> list[Step]:
    """The steps of a test. Raises Untypable."""
    match shaped.io.shape:
        case "function":
            if shaped.why:
                raise Untypable(shaped.why)
            return [_call(test_input, shaped, facts)]
        case "http":
            return requests(test_input, facts)
        case "stdin":
            return [{"stdin": _lines(test_input)}]
        case "file":
            return [{"content": _lines(test_input)}]
        case "cli":
            return [_check_arguments(_arguments(test_input, shaped, facts))]


def _call(test_input: Any, shaped: TaskShape, facts: TestFacts) -> Step:
    functions = shaped.io.functions
    if shaped.passing == "called":
        return _call_step(test_input, {function.name for function in functions})
    named = _named_call(test_input, {function.name for function in functions})
    if named is not None:
        return named
    step: Step = {"call": functions[0].name, "args": [], "kwargs": {}}
    if shaped.passing == "names" and isinstance(test_input, dict):
        step["kwargs"] = _keywords(test_input, functions[0].parameters, facts)
    elif shaped.passing == "spread" and isinstance(test_input, list):
        step["args"] = [value(item) for item in test_input]
    else:
        step["args"] = [value(test_input)]
    return step


def _call_step(test_input: Any, names: set[str]) -> Step:
    """An input that names the function, and whose remaining keys are its arguments. Raises Untypable."""
    arguments_left = dict(test_input) if isinstance(test_input, dict) else {}
    name = next((str(arguments_left.pop(key)) for key in CALLED if key in arguments_left), "")
    if name not in names:
        raise Untypable("the input does not tell which function is called")
    if len(arguments_left) == 1 and next(iter(arguments_left)) in _ARGS:
        arguments = next(iter(arguments_left.values()))
        if isinstance(arguments, dict):
            arguments_left = arguments
        else:
            listed = arguments if isinstance(arguments, list) else [arguments]
            return {"call": name, "args": [value(item) for item in listed], "kwargs": {}}
    kwargs = {parameter(str(key)): value(item) for key, item in arguments_left.items()}
    return {"call": name, "args": [], "kwargs": kwargs}


def _named_call(test_input: Any, names: set[str]) -> Step | None:
    """An input that names the function to call: {"function": name, "args": [..] or {..}}."""
    if not isinstance(test_input, dict):
        return None
    name = test_input.get("function", test_input.get("method"))
    arguments = test_input.get("args", test_input.get("arguments", test_input.get("params", [])))
    # More keys than name and arguments: then these are fields of an argument that happen to be called so.
    if name not in names or len(test_input) > 2 or not isinstance(arguments, list | dict):
        return None
    if isinstance(arguments, dict):
        kwargs = {parameter(key): value(argument) for key, argument in arguments.items()}
        return {"call": name, "args": [], "kwargs": kwargs}
    return {"call": name, "args": [value(argument) for argument in arguments], "kwargs": {}}


def _keywords(
    test_input: dict[str, Any], parameters: tuple[str, ...], facts: TestFacts
) -> dict[str, Any]:
    """Keyword arguments. JavaScript has none: gaps before a later argument are undefined there."""
    named = {
        parameter(key): _argument(parameter(key), item, facts) for key, item in test_input.items()
    }
    if facts.languages != ("javascript",):
        return named
    positional_names = [name for name in parameters if name in named]
    last = parameters.index(positional_names[-1]) if positional_names else -1
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


def _lines(test_input: Any) -> str:
    if isinstance(test_input, str):
        return test_input
    if (
        isinstance(test_input, dict)
        and len(test_input) == 1
        and set(test_input) <= {"stdin", "input"}
    ):
        return _lines(next(iter(test_input.values())))
    if isinstance(test_input, list) and all(
        isinstance(item, str | int | float) for item in test_input
    ):
        return "".join(f"{_word(item)}\n" for item in test_input)
    if isinstance(test_input, bool | int | float):
        return json.dumps(test_input)
    if isinstance(test_input, dict) and all(
        isinstance(item, str | int | float) for item in test_input.values()
    ):
        return "".join(f"{_word(item)}\n" for item in test_input.values())
    raise Untypable("how the input stands on standard input is not told")


def _word(item: Any) -> str:
    return item if isinstance(item, str) else json.dumps(item)


def _check_arguments(step: Step) -> Step:
    """The step. Raises Untypable for arguments that no command can receive."""
    if any("\0" in word or len(word) > LONGEST for word in step["args"]):
        raise Untypable("the input is no argument that a command can be given")
    return step


def _arguments(test_input: Any, shaped: TaskShape, facts: TestFacts) -> Step:
    if shaped.passing == "unknown":
        raise Untypable("no way of input is told")
    if isinstance(test_input, str):
        # Marks that a shell would treat in a special way belong to a payload, which must arrive in one piece.
        whole = facts.one_argument or re.search(r"[^\w\s./:=-]|[\r\n\t]", test_input)
        return {"args": [test_input] if whole else test_input.split()}
    if isinstance(test_input, bool | int | float):
        return {"args": [json.dumps(test_input)]}
    if isinstance(test_input, list) and all(
        isinstance(item, str | int | float) for item in test_input
    ):
        return {"args": [_word(item) for item in test_input]}
    if isinstance(test_input, dict):
        args = test_input.get("args", test_input.get("argv"))
        if isinstance(args, list) and set(test_input) <= {"args", "argv", "stdin"}:
            extra = {"stdin": _lines(test_input["stdin"])} if "stdin" in test_input else {}
            return {"args": [_word(arg) for arg in args], **extra}
        if all(isinstance(item, str | int | float) for item in test_input.values()):
            return {"args": [_word(item) for item in test_input.values()]}
    raise Untypable("how the input stands on the command line is not told")
