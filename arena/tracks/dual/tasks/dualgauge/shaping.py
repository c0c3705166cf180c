"""The `io` block that all tests of a task share: from the prompt, and from the inputs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.reading import MISSING, Original
from arena.tracks.dual.tasks.dualgauge.urls import is_request
from arena.tracks.dual.tasks.schema import FunctionSpec, Io

# Keys of an input that name the function that is called.
CALLED = ("function", "function_name", "functionName", "func")
REQUEST_KEYS = frozenset(("path", "url", "endpoint", "route", "uri"))
MAX_PARAMETERS = 50
_IDENTIFIER = re.compile(r"-{0,2}[A-Za-z_$][A-Za-z0-9_$-]{0,99}")


@dataclass(frozen=True)
class TaskShape:
    """io, and how inputs are passed. `why`: the reason why no test can be typed, or "".

    passing: of functions: "names" (an object's keys are parameters), "spread" (a list's items are), or
    "whole" (the input is a single argument).
    """

    io: Io
    passing: str = "whole"
    why: str = ""


def parameter(key: str) -> str:
    """A key as the name of a parameter: "--dry-run" is dry_run."""
    return key.lstrip("-").replace("-", "_")


def shape(
    original: Original, facts: TestFacts, inputs: list[Any], annotated_io: Io | None = None
) -> TaskShape:
    """The shape of a task whose tests have these inputs (MISSING ones are left out)."""
    present = [value for value in inputs if value is not MISSING]
    # A person has settled it: nothing is read from the text.
    if annotated_io is not None:
        return TaskShape(annotated_io, _passing(facts, present, annotated_io))
    if _is_http(facts, present):
        return TaskShape(Io(shape="http"))
    called = called_names(present)
    if called:
        io = Io(shape="function", functions=tuple(FunctionSpec(name=name) for name in called))
        return TaskShape(io, "called")
    named = facts.functions
    if not named and facts.takes_arguments:
        return TaskShape(Io(shape="cli"), "words")
    # Before the question whether a function is asked for: prompts for C and C++ speak of functions as well as
    # of `main`.
    if not named and facts.languages == ("cpp",) and facts.reads_stdin:
        return TaskShape(Io(shape="stdin"))
    if not named and not facts.asks_for_function:
        if facts.reads_stdin:
            return TaskShape(Io(shape="stdin"))
        return TaskShape(Io(shape="cli"), "words" if facts.is_cli else _guess_passing(present))
    return _function(facts, present)


def called_names(values: list[Any]) -> tuple[str, ...]:
    """The functions that over half of the inputs name: {"function": "read", ...}; () where they do not."""
    names = [
        str(value[key])
        for value in values
        if isinstance(value, dict)
        for key in CALLED
        if isinstance(value.get(key), str) and _IDENTIFIER.fullmatch(value[key])
    ]
    # More than half: in a suite written by hand a few inputs are of another form.
    return tuple(dict.fromkeys(names)) if values and 2 * len(names) > len(values) else ()


def _guess_passing(values: list[Any]) -> str:
    """Passing without a stated input: "assumed" (arguments in key order) if all agree, else "unknown"."""
    flat = all(
        isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
        for value in values
    )
    same = len({tuple(value) for value in values if isinstance(value, dict)}) == 1
    return "assumed" if values and flat and same else "unknown"


def _is_http(facts: TestFacts, values: list[Any]) -> bool:
    texts = [value for value in values if isinstance(value, str)]
    requests = [value for value in texts if is_request(value)]
    keyed = [v for v in values if isinstance(v, dict) and REQUEST_KEYS & v.keys() and "method" in v]
    if values and len(keyed) * 2 > len(values):
        return True
    if not facts.is_web:
        return False
    if texts and 2 * len(requests) >= len(texts):
        return True
    return bool(facts.routes) or (not facts.functions and not facts.asks_for_function)


def _function(facts: TestFacts, values: list[Any]) -> TaskShape:
    names = facts.functions or ("",)
    keys = _parameter_names(values)
    chosen = _choose_function(facts, names, values, keys)
    functions = tuple(
        FunctionSpec(
            name=name, parameters=facts.signatures.get(name) or (keys if name == chosen else ())
        )
        for name in names
    )
    io = Io(shape="function", functions=functions)
    passing = _passing(facts, values, io)
    # The keys are then parts of one argument, and no parameters.
    if passing != "names":
        bare = tuple(
            FunctionSpec(name=function.name, parameters=facts.signatures.get(function.name, ()))
            for function in functions
        )
        io = Io(shape="function", functions=bare)
    if facts.needs_dom and any(isinstance(v, dict) and "html" in v for v in values):
        return TaskShape(io, passing, "needs a DOM")
    # C++ has no way to list the functions of a program; in Python and JavaScript the only function is found.
    if names == ("",) and facts.languages == ("cpp",):
        return TaskShape(io, passing, "the function's name is not told, which C and C++ need")
    if (
        facts.makes_helpers
        and len(names) == 1
        and not _has_as_many_parameters(facts, names[0], values)
    ):
        return TaskShape(
            io, passing, "which of the functions that it returns a test calls is not told"
        )
    if chosen is None:
        return TaskShape(io, passing, f"which of {', '.join(names)} a test calls is not told")
    first = [function for function in io.functions if function.name == chosen]
    rest = [function for function in io.functions if function.name != chosen]
    return TaskShape(Io(shape="function", functions=(*first, *rest)), passing)


def _has_as_many_parameters(facts: TestFacts, name: str, values: list[Any]) -> bool:
    """Whether the specification has the function with as many parameters as the tests pass."""
    parameters = facts.signatures.get(name)
    return parameters is not None and len(parameters) == len(_parameter_names(values) or ("",))


def _parameter_names(values: list[Any]) -> tuple[str, ...]:
    """Keys of the inputs that are objects, as parameters, in order of first appearance."""
    counts = Counter(key for value in values if isinstance(value, dict) for key in value)
    names = (parameter(key) for key in counts if _IDENTIFIER.fullmatch(key))
    return tuple(dict.fromkeys(names))[:MAX_PARAMETERS]


def _choose_function(
    facts: TestFacts, names: tuple[str, ...], values: list[Any], keys: tuple[str, ...]
) -> str | None:
    """The function that tests call: the only function, or the only match for their arguments."""
    if len(names) == 1:
        return names[0]
    wanted = len(keys) if keys else 1
    if any(isinstance(value, dict) and {"function", "method"} & value.keys() for value in values):
        return names[0]
    signatures = facts.signatures
    fitting = [name for name in names if name in signatures and len(signatures[name]) == wanted]
    return fitting[0] if len(fitting) == 1 else None


def _passing(facts: TestFacts, values: list[Any], io: Io) -> str:
    if io.shape != "function":
        return "whole"
    parameter_names = facts.signatures.get(io.functions[0].name, ())
    objects = [value for value in values if isinstance(value, dict)]
    lists = [value for value in values if isinstance(value, list)]
    if lists and not objects and len(parameter_names) > 1:
        return "spread" if all(len(value) <= len(parameter_names) for value in lists) else "whole"
    if not objects or facts.one_object:
        return "whole"
    keys = Counter(key for value in objects for key in value)
    if len(keys) > MAX_PARAMETERS or not all(_IDENTIFIER.fullmatch(key) for key in keys):
        return "whole"
    if parameter_names:
        flat = {_flat(name) for name in parameter_names}
        fits = sum(1 for key in keys if _flat(key) in flat)
        return "names" if 2 * fits >= len(keys) else "whole"
    shared = sum(1 for count in keys.values() if 2 * count >= len(objects))
    named = sum(1 for key in keys if facts.names_field(key))
    return "names" if 2 * max(shared, named) >= len(keys) else "whole"


def _flat(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
