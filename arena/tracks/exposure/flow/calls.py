"""A call: what it is worth, and a line in the record."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from arena.tracks.exposure.flow import building, library, options, sources
from arena.tracks.exposure.flow.access import attribute, dotted, element, of_pairs
from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.core import MAX_CHECKS, Class, Frame, Reader
from arena.tracks.exposure.flow.facts import UNKNOWN, Call, Constant, Flow, Value
from arena.tracks.exposure.flow.functions import follow
from arena.tracks.exposure.flow.joining import path_pieces
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
_FIELDS = ("dataclasses.field", "attr.ib", "attr.field", "attrs.field", "pydantic.Field")
MAX_MAPPED = 16
"""Items that a library's function is applied to by map()."""
_NUMBERS = ("int", "float", "bool", "complex", "uuid.UUID", "decimal.Decimal")
"""What `request.args.get("n", type=int)` and the like make of the data."""


def call(reader: Reader, node: ast.expr, frame: Frame) -> Value:
    """Read a call: its parts, then the function of the program, or what is known of a library's."""
    node = cast(ast.Call, node)
    receiver, function = _function(reader, node.func, frame)
    arguments = _arguments(reader, node.args, frame)
    keywords = _keywords(reader, node.keywords, frame)
    function, arguments, keywords = _completed(function, arguments, keywords)
    _note_handlers(reader, node)
    options.note(reader, node, arguments, keywords)
    return _applied(reader, node, receiver, function, arguments, keywords, frame)


def _applied(
    reader: Reader,
    node: ast.Call,
    receiver: Value,
    function: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value:
    """What a function gives for arguments, with a line in the record."""
    paths = function.paths
    own = [path for path in sorted(paths) if path in reader.functions or path in reader.classes]
    if own:
        result = building.either(
            *(follow(reader, path, node, receiver, arguments, keywords, frame) for path in own)
        )
        if len(own) == 1:
            frame.checks.extend(reader.checks_after.pop(id(node), ()))
    elif (plain := _plain(reader, function, arguments, keywords, frame)) is not None:
        result = plain
    elif (made := _of_items(reader, node, function, arguments, keywords, frame)) is not None:
        result = made
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
    reader: Reader,
    function: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value | None:
    """Numbers, the names that are known here, a class of named tuples; None for what gives anything else."""
    if keywords.get("type", UNKNOWN).is_(*_NUMBERS):
        return Value(paths=frozenset(("int()",)))
    if function.is_("map") and arguments and arguments[0].is_(*_NUMBERS):
        return Value(paths=frozenset(("map()",)))
    if function.is_("locals", "vars") and not arguments:
        names: dict[Constant, Value] = {
            name: value for name, value in frame.names.items() if "." not in name
        }
        return Value(pairs=names, flows=building.collected(names.values()))
    return _named_tuple(reader, function, arguments)


def _of_items(
    reader: Reader,
    node: ast.Call,
    function: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value | None:
    """map() of a library's function over known items, and the default of a dataclass' field(); else None."""
    if function.is_(*_FIELDS):
        factory = keywords.get("default_factory")
        if factory is None:
            return keywords.get("default")
        return _applied(reader, node, UNKNOWN, factory, (), {}, frame)
    if not function.is_("map") or len(arguments) != 2 or not arguments[1].items:
        return None
    work, items = arguments[0], arguments[1].items
    own = any(path in reader.functions or path in reader.classes for path in work.paths)
    if own or not work.paths or len(items) > MAX_MAPPED:
        return None
    reader.steps += len(items)
    results = [_applied(reader, node, UNKNOWN, work, (item,), {}, frame) for item in items]
    return Value(items=tuple(results), flows=building.collected(results))


def _named_tuple(reader: Reader, function: Value, arguments: tuple[Value, ...]) -> Value | None:
    """namedtuple("Point", "x y") is a class with these attributes."""
    if not function.is_("collections.namedtuple") or len(arguments) < 2 or not arguments[0].texts:
        return None
    names = [text for one in (arguments[1].items or (arguments[1],)) for text in one.texts[:1]]
    fields = " ".join(names).replace(",", " ").split()[: building.MAX_ITEMS]
    name = arguments[0].texts[0]
    path = f"<{name}>"
    made = Class(name, path, frozenset(), attributes=dict.fromkeys(fields, UNKNOWN))
    reader.classes.setdefault(path, made)
    return Value(paths=frozenset((path,)))


def _completed(
    function: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, tuple[Value, ...], dict[str, Value]]:
    """A call of what functools.partial made is one of its function, with all that it is given."""
    while function.is_("functools.partial()") and function.items:
        before = {key: one for key, one in (function.pairs or {}).items() if isinstance(key, str)}
        function, *rest = function.items
        arguments, keywords = (*rest, *arguments), {**before, **keywords}
    return function, arguments, keywords


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
    pieces = path_pieces(function, name, receiver, arguments) if not exact else ()
    return Value(constants, exact, paths, flows, pieces)


def _text_method(
    name: str, receiver: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Value | None:
    if name == "format" and (receiver.texts or receiver.pieces):
        return building.formatted(receiver, arguments, keywords)
    if name == "format_map" and receiver.texts and arguments and arguments[0].pairs is not None:
        pairs = {str(key): value for key, value in arguments[0].pairs.items()}
        return building.formatted(receiver, (), pairs)
    if name == "split" and receiver.exact and len(receiver.texts) == 1 and len(arguments) < 2:
        return _split(receiver.texts[0], *arguments)
    if name == "join" and receiver.constants and len(arguments) == 1:
        return building.separated(receiver, arguments[0])
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
    if function.is_("functools.partial"):
        return Value(items=arguments, pairs=building.named(keywords))
    if function.is_("list", "tuple", "set", "frozenset", "sorted", "reversed") and arguments:
        return arguments[0] if arguments[0].items is not None else None
    if function.is_("zip") and all(one.items is not None for one in arguments):
        rows = zip(*(one.items or () for one in arguments), strict=False)
        return Value(items=tuple(Value(items=row, flows=building.collected(row)) for row in rows))
    if function.is_("list", "set", "tuple"):
        return Value(items=())
    return None


def _merged(
    pairs: Mapping[Constant, Value], arguments: tuple[Value, ...]
) -> Mapping[Constant, Value]:
    """The pairs of a dict after an update from another one."""
    more = next((one.pairs for one in arguments if one.pairs is not None), None)
    if more is None:
        return building.open_ended(pairs, arguments[0]) if arguments else pairs
    return {**pairs, **more}


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
        pairs = {**_merged(pairs, arguments), **building.named(keywords)}
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
