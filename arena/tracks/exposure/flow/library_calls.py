"""Results of functions that the program does not define."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from arena.tracks.exposure.flow import building, propagators
from arena.tracks.exposure.flow.access import look_up_pair
from arena.tracks.exposure.flow.facts import UNKNOWN, Constant, Flow, Value
from arena.tracks.exposure.flow.pieces import path_pieces

# Functions whose value is what they are given, as far as anybody asks where it comes from.
_SAME = (
    "str",
    "unicode",
    "repr",
    "list",
    "tuple",
    "sorted",
    "reversed",
    "next",
    "iter",
    "max",
    "min",
)


def result_of(
    node: ast.Call,
    function: Value,
    receiver: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """The result of a function that the program does not define."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    built = _text_method(name, receiver, arguments, keywords)
    if built is None and receiver.pairs is not None:
        built = _looked_up(name, receiver.pairs, arguments)
    if built is not None:
        return built
    # Chains of calls would grow without end.
    paths = frozenset(path + "()" for path in sorted(function.paths) if len(path) < 190)
    if function.is_(*_SAME) and arguments and not arguments[0].flows:
        paths |= {path for path in arguments[0].paths if path.startswith(building.UNDEFINED)}
    constants, exact = _fold_call(name, function, receiver, arguments)
    all_arguments = (*arguments, *keywords.values())
    flows = _flows(name, function, receiver, all_arguments)
    value = _container(function, arguments, keywords)
    if value is not None:
        return Value(constants, exact, paths, flows, items=value.items, pairs=value.pairs)
    pieces = path_pieces(function, name, receiver, arguments) if not exact else ()
    return Value(constants, exact, paths, flows, pieces)


def _text_method(
    name: str, receiver: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Value | None:
    if name == "format" and (receiver.texts or receiver.pieces):
        return building.format_template(receiver, arguments, keywords)
    if name == "format_map" and receiver.texts and arguments and arguments[0].pairs is not None:
        pairs = {str(key): value for key, value in arguments[0].pairs.items()}
        return building.format_template(receiver, (), pairs)
    if name == "split" and receiver.exact and len(receiver.texts) == 1 and len(arguments) < 2:
        return _split(receiver.texts[0], *arguments)
    if name == "join" and receiver.constants and len(arguments) == 1:
        return building.join_items(receiver, arguments[0])
    return None


def _split(text: str, mark: Value = UNKNOWN) -> Value | None:
    """The parts of a constant text; None where it is split by something unknown."""
    marks = (None,) if mark is UNKNOWN else mark.texts if mark.exact else ()
    if len(marks) != 1 or marks[0] == "":
        return None
    parts = text[: building.MAX_TEXT].split(marks[0], building.MAX_ITEMS - 1)
    return Value(items=tuple(map(building.constant, parts)))


def _looked_up(
    name: str, pairs: Mapping[Constant, Value], arguments: tuple[Value, ...]
) -> Value | None:
    """The result of a method that looks a key up in a dict of the program."""
    if name == "values":
        return Value(items=tuple(pairs.values()), flows=building.flows_of(pairs.values()))
    if name == "items":
        items = (Value(items=(_key(key), value)) for key, value in pairs.items())
        return Value(items=tuple(items), flows=building.flows_of(pairs.values()))
    if name not in ("get", "pop", "setdefault") or not arguments:
        return None
    pair = look_up_pair(pairs, arguments[0])
    if pair is None or (arguments[0].exact and pair is not pairs.get(None)):
        return pair
    return building.join(pair, *arguments[1:] or (building.constant(None),))


def _key(key: Constant) -> Value:
    return UNKNOWN if key is None else building.constant(key)


def _fold_call(
    name: str, function: Value, receiver: Value, arguments: tuple[Value, ...]
) -> tuple[frozenset[Constant], bool]:
    for path in function.paths:
        if path in building.FOLDED and arguments:
            return building.fold_constants(building.FOLDED[path], *arguments)
        # A compiled pattern is used as its text is.
        if path == "re.compile" and arguments:
            return arguments[0].constants, arguments[0].exact
        # The default is one of the values that it may be, but not the only one.
        if path in ("os.environ.get", "os.getenv", "dict.get") and len(arguments) > 1:
            return arguments[1].constants, False
    if name in building.METHODS and receiver.constants:
        return building.fold_constants(building.method(name), receiver, *arguments)
    return frozenset(), False


def _flows(
    name: str, function: Value, receiver: Value, values: tuple[Value, ...]
) -> frozenset[Flow]:
    through = sorted(function.paths)[:2] or [f".{name}"]
    steps = (
        [f".{name}"] if name and receiver is not UNKNOWN and not _is_module(through[0]) else through
    )
    flows: frozenset[Flow] = frozenset()
    if receiver.flows and not propagators.drops_receiver(name):
        flows |= building.propagate_flows(receiver.flows, *steps)
    if any(propagators.propagates(path) for path in function.paths) or (
        name and propagators.propagates_arguments(name)
    ):
        flows |= building.propagate_flows(building.flows_of(values), *steps)
    return flows


def _is_module(path: str) -> bool:
    """Whether a path is that of a library's function: no call, subscript or unknown name in it."""
    return not any(mark in path for mark in ("(", "[", "$", "?", "<")) and not path.startswith(
        (".", "str.")
    )


def _container(
    function: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Value | None:
    if function.is_("dict") and not arguments:
        return Value(pairs=building.pairs_by_name(keywords))
    if function.is_("functools.partial"):
        return Value(items=arguments, pairs=building.pairs_by_name(keywords))
    if function.is_("list", "tuple", "set", "frozenset", "sorted", "reversed") and arguments:
        return arguments[0] if arguments[0].items is not None else None
    if function.is_("zip") and all(argument.items is not None for argument in arguments):
        rows = zip(*(argument.items or () for argument in arguments), strict=False)
        return Value(items=tuple(Value(items=row, flows=building.flows_of(row)) for row in rows))
    if function.is_("list", "set", "tuple"):
        return Value(items=())
    return None
