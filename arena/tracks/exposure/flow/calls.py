"""A call: what it is worth, and a line in the record."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from arena.tracks.exposure.flow import building, library, sources
from arena.tracks.exposure.flow.access import attribute, dotted, element, of_pairs
from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.core import MAX_CHECKS, Frame, Reader
from arena.tracks.exposure.flow.facts import UNKNOWN, Call, Constant, Flow, Value
from arena.tracks.exposure.flow.functions import follow
from arena.tracks.exposure.flow.marking import marked

_ADDING = words(
    """
    append add extend insert appendleft update write setdefault push
    """
)
_CALLBACKS = frozenset(("map", "filter"))
_STARTING = words(
    """
    Thread Process Timer submit run_in_executor to_thread partial run_sync
    """
)
_NUMBERS = ("int", "float", "bool", "complex", "uuid.UUID", "decimal.Decimal")
"""What `request.args.get("n", type=int)` and the like make of the data."""


def call(reader: Reader, node: ast.expr, frame: Frame) -> Value:
    """Read a call: its parts, then the function of the program, or what is known of a library's."""
    node = cast(ast.Call, node)
    receiver, function = _function(reader, node.func, frame)
    arguments = _arguments(reader, node.args, frame)
    keywords = _keywords(reader, node.keywords, frame)
    paths = function.paths
    _note_handlers(reader, node)
    own = [path for path in sorted(paths) if path in reader.functions or path in reader.classes]
    if own:
        result = building.either(
            *(follow(reader, path, node, receiver, arguments, keywords, frame) for path in own)
        )
        if len(own) == 1:
            frame.checks.extend(reader.checks_after.pop(id(node), ()))
    elif (plain := _plain(function, arguments, keywords, frame)) is not None:
        result = plain
    else:
        _call_back(reader, node, arguments, keywords, frame)
        result = marked(_library(node, function, receiver, arguments, keywords), node, receiver)
        _change(reader, node, receiver, arguments, keywords, frame)
    reader.calls.append(
        Call(
            node,
            paths,
            receiver,
            arguments,
            keywords,
            tuple(frame.checks[-MAX_CHECKS:]),
            frame.function,
            frame.entry,
            node.lineno,
            result,
        )
    )
    return result


def _plain(
    function: Value, arguments: tuple[Value, ...], keywords: dict[str, Value], frame: Frame
) -> Value | None:
    """Numbers, and the names that are known here; None for a call that gives anything else."""
    if keywords.get("type", UNKNOWN).is_(*_NUMBERS):
        return Value(paths=frozenset(("int()",)))
    if function.is_("map") and arguments and arguments[0].is_(*_NUMBERS):
        return Value(paths=frozenset(("map()",)))
    if function.is_("locals", "vars") and not arguments:
        names: dict[Constant, Value] = {
            name: value for name, value in frame.names.items() if "." not in name
        }
        return Value(pairs=names, flows=building.collected(names.values()))
    return None


def _function(reader: Reader, node: ast.expr, frame: Frame) -> tuple[Value, Value]:
    if not isinstance(node, ast.Attribute):
        return UNKNOWN, reader.evaluate(node, frame)
    written = dotted(node)
    receiver = reader.evaluate(node.value, frame)
    if written and (found := frame.look(written)) is not None and found.paths:
        return receiver, found
    found = attribute(reader, receiver, node.attr, node)
    if not found.paths:
        textual = receiver.texts or receiver.pieces
        found = Value(paths=frozenset((f"str.{node.attr}" if textual else f".{node.attr}",)))
    return receiver, found


def _arguments(reader: Reader, nodes: list[ast.expr], frame: Frame) -> tuple[Value, ...]:
    found: list[Value] = []
    for node in nodes[: building.MAX_ITEMS]:
        value = reader.evaluate(node, frame)
        frame.checks.extend(reader.checks_after.pop(id(node), ()))
        spread = isinstance(node, ast.Starred) and value.items is not None
        found.extend(value.items or () if spread else (value,))
    return tuple(found)


def _keywords(reader: Reader, nodes: list[ast.keyword], frame: Frame) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for node in nodes[: building.MAX_ITEMS]:
        value = reader.evaluate(node.value, frame)
        if node.arg is not None:
            found[node.arg] = value
            continue
        for key, one in (value.pairs or {}).items():
            found[key if isinstance(key, str) else ""] = one
        if value.pairs is None:
            found[""] = value
    return found


def _note_handlers(reader: Reader, node: ast.Call) -> None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in sources.REGISTERING:
        every = [*node.args, *(one.value for one in node.keywords)]
        reader.handlers |= {one.id for one in every if isinstance(one, ast.Name)}


def _call_back(
    reader: Reader,
    node: ast.Call,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> None:
    """A function of the program that is handed over with its data is called with it."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in _CALLBACKS and name not in _STARTING:
        return
    handed = [*arguments, *(keywords[key] for key in ("target", "func") if key in keywords)]
    for number, value in enumerate(handed):
        for path in sorted(value.paths & reader.functions.keys()):
            rest = arguments[number + 1 :] if value in arguments else ()
            given = keywords["args"].items or () if "args" in keywords else rest
            if name in _CALLBACKS:
                given = tuple(element(one) for one in given)
            follow(reader, path, node, UNKNOWN, tuple(given), {}, frame)


def _library(
    node: ast.Call,
    function: Value,
    receiver: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """What a function gives that is not the program's own."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    built = _text_method(name, receiver, arguments, keywords)
    if built is None and receiver.pairs is not None:
        built = _looked_up(name, receiver.pairs, arguments)
    if built is not None:
        return built
    paths = frozenset(path + "()" for path in sorted(function.paths) if len(path) < 190)
    constants, exact = _folded(name, function, receiver, arguments)
    given = (*arguments, *keywords.values())
    flows = _flows(name, function, receiver, given)
    made = _container(function, arguments, keywords)
    if made is not None:
        return Value(constants, exact, paths, flows, items=made.items, pairs=made.pairs)
    pieces = _path_pieces(function, name, receiver, arguments) if not exact else ()
    return Value(constants, exact, paths, flows, pieces)


def _text_method(
    name: str, receiver: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Value | None:
    if name == "format" and (receiver.texts or receiver.pieces):
        return building.formatted(receiver, arguments, keywords)
    if name == "format_map" and receiver.texts and arguments and arguments[0].pairs is not None:
        pairs = {str(key): value for key, value in arguments[0].pairs.items()}
        return building.formatted(receiver, (), pairs)
    if name == "split" and receiver.exact and len(receiver.texts) == 1 and not arguments:
        return Value(items=tuple(map(building.constant, receiver.texts[0].split())))
    if name == "join" and receiver.constants and len(arguments) == 1:
        return building.separated(receiver, arguments[0])
    return None


def _looked_up(
    name: str, pairs: Mapping[Constant, Value], arguments: tuple[Value, ...]
) -> Value | None:
    """What a dict of the program says when it is asked by a method."""
    if name == "values":
        return Value(items=tuple(pairs.values()), flows=building.collected(pairs.values()))
    if name == "items":
        items = (Value(items=(_key(key), value)) for key, value in pairs.items())
        return Value(items=tuple(items), flows=building.collected(pairs.values()))
    if name not in ("get", "pop", "setdefault") or not arguments:
        return None
    found = of_pairs(pairs, arguments[0])
    if found is None or (arguments[0].exact and found is not pairs.get(None)):
        return found
    return building.either(found, *arguments[1:] or (building.constant(None),))


def _key(key: Constant) -> Value:
    return UNKNOWN if key is None else building.constant(key)


def _folded(
    name: str, function: Value, receiver: Value, arguments: tuple[Value, ...]
) -> tuple[frozenset[Constant], bool]:
    for path in function.paths:
        if path in building.FOLDED and arguments:
            return building.folded(building.FOLDED[path], *arguments)
        if path == "re.compile" and arguments:
            return arguments[0].constants, arguments[0].exact
        if path in ("os.environ.get", "os.getenv", "dict.get") and len(arguments) > 1:
            return arguments[1].constants, False
    if name in building.METHODS and receiver.constants:
        return building.folded(building.method(name), receiver, *arguments)
    return frozenset(), False


def _flows(
    name: str, function: Value, receiver: Value, given: tuple[Value, ...]
) -> frozenset[Flow]:
    through = sorted(function.paths)[:2] or [f".{name}"]
    steps = (
        [f".{name}"] if name and receiver is not UNKNOWN and not _is_module(through[0]) else through
    )
    flows: frozenset[Flow] = frozenset()
    if receiver.flows and not library.drops(name):
        flows |= building.passed(receiver.flows, *steps)
    if any(library.hands_on(path) for path in function.paths) or (name and library.carries(name)):
        flows |= building.passed(building.collected(given), *steps)
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
        return Value(pairs=building.named(keywords))
    if function.is_("list", "tuple", "set", "frozenset", "sorted", "reversed") and arguments:
        return arguments[0] if arguments[0].items is not None else None
    if function.is_("list", "set", "tuple"):
        return Value(items=())
    return None


def _path_pieces(
    function: Value, name: str, receiver: Value, arguments: tuple[Value, ...]
) -> tuple[Value, ...]:
    """os.path.join and Path put text together as well, with a separator between."""
    if function.is_("os.path.join", "pathlib.Path", "pathlib.PurePath") or name == "joinpath":
        parts = (receiver, *arguments) if name == "joinpath" else arguments
        spread = [piece for part in parts for piece in (building.constant("/"), part)][1:]
        return building.text(spread).pieces if len(parts) > 1 else ()
    if name in building.METHODS and receiver.pieces:
        return receiver.pieces
    return ()


def _change(
    reader: Reader,
    node: ast.Call,
    receiver: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> None:
    """A method that puts something into what it is called on."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _ADDING:
        return
    written = dotted(node.func.value)
    if not written or frame.look(written) is None:
        return
    items, pairs = receiver.items, receiver.pairs
    if node.func.attr == "update" and pairs is not None:
        more = next((one.pairs for one in arguments if one.pairs is not None), {})
        named = building.named(keywords)
        pairs = {**pairs, **(more or {}), **named}
    elif items is not None and arguments:
        added = arguments[-1]
        extended = node.func.attr in ("extend", "update") and added.items is not None
        items = (*items, *((added.items or ()) if extended else (added,)))[: building.MAX_ITEMS]
    flows = building.collected((receiver, *arguments, *keywords.values()))
    changed = Value(
        receiver.constants, receiver.exact, receiver.paths, flows, receiver.pieces, items, pairs
    )
    holder: Frame | None = frame
    while holder is not None and written not in holder.names:
        holder = holder.outer
    (holder or frame).bind_dotted(written, changed)
