"""A call: what it is worth, and a line in the record."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import cast

from arena.tracks.exposure.flow import building, options, propagators, sources
from arena.tracks.exposure.flow.access import attribute, element
from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.core import MAX_CHECKS, Class, FlowReader, Frame
from arena.tracks.exposure.flow.facts import UNKNOWN, CallFact, Constant, Value
from arena.tracks.exposure.flow.functions import follow
from arena.tracks.exposure.flow.library_calls import result_of
from arena.tracks.exposure.flow.names import dotted_name, last_name
from arena.tracks.exposure.flow.tainting import mark_tainted

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
_LIBRARY = re.compile(r"[a-zA-Z]\w*(?:\.\w+)+|functools\.partial\(\)")
# Items that a library's function is applied to by map().
MAX_MAPPED = 16
# What `request.args.get("n", type=int)` and the like make of the data.
_NUMBERS = ("int", "float", "bool", "complex", "uuid.UUID", "decimal.Decimal")


def call(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    """Read a call: its parts, then the function of the program, or what a library's function returns."""
    node = cast(ast.Call, node)
    receiver, function = _function(reader, node.func, frame)
    arguments = _arguments(reader, node.args, frame)
    keywords = _keywords(reader, node.keywords, frame)
    function, arguments, keywords = _complete_partial(function, arguments, keywords)
    _note_handlers(reader, node)
    options.note(reader, node, arguments, keywords)
    return _apply_function(reader, node, receiver, function, arguments, keywords, frame)


def _apply_function(
    reader: FlowReader,
    node: ast.Call,
    receiver: Value,
    function: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value:
    """The result of a function for arguments, with a line in the record."""
    paths = function.paths
    # Sorted: the record's order decides which finding is reported first, and a set of texts has another order
    # in each process.
    matching = [
        path for path in sorted(paths) if path in reader.functions or path in reader.classes
    ]
    if matching:
        result = building.join(
            *(follow(reader, path, node, receiver, arguments, keywords, frame) for path in matching)
        )
        # With several candidates none of the checks is certain to have been made.
        if len(matching) == 1:
            # What a function of the program has checked before it came back holds for what follows.
            frame.checks.extend(reader.checks_after.pop(id(node), ()))
    elif (plain := _plain(reader, function, arguments, keywords, frame)) is not None:
        result = plain
    elif (value := _apply_to_items(reader, node, function, arguments, keywords, frame)) is not None:
        result = value
    else:
        _call_back(reader, node, arguments, keywords, frame)
        result = mark_tainted(
            result_of(node, function, receiver, arguments, keywords), node, receiver
        )
        _change(reader, node, receiver, arguments, keywords, frame)
    reader.calls.append(
        CallFact(
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
    reader: FlowReader,
    function: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value | None:
    """The value of a conversion to a number, of locals() or of namedtuple(); None for any different call."""
    if keywords.get("type", UNKNOWN).is_(*_NUMBERS):
        return Value(paths=frozenset(("int()",)))
    if function.is_("map") and arguments and arguments[0].is_(*_NUMBERS):
        return Value(paths=frozenset(("map()",)))
    if function.is_("locals", "vars") and not arguments:
        # Names with a dot are the reader's own, such as "self.path".
        names: dict[Constant, Value] = {
            name: value for name, value in frame.names.items() if "." not in name
        }
        return Value(pairs=names, flows=building.flows_of(names.values()))
    return _named_tuple(reader, function, arguments)


def _apply_to_items(
    reader: FlowReader,
    node: ast.Call,
    function: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value | None:
    """map() of a library's function over listed items, and the default of a dataclass' field(); else None."""
    if function.is_(*_FIELDS):
        factory = keywords.get("default_factory")
        if factory is None:
            return keywords.get("default")
        return _apply_function(reader, node, UNKNOWN, factory, (), {}, frame)
    if not function.is_("map") or len(arguments) != 2 or not arguments[1].items:
        return None
    work, items = arguments[0], arguments[1].items
    is_own = any(path in reader.functions or path in reader.classes for path in work.paths)
    if is_own or not work.paths or len(items) > MAX_MAPPED:
        return None
    # Counted as steps, which bound the time: each item is read as a call of its own.
    reader.steps += len(items)
    results = [_apply_function(reader, node, UNKNOWN, work, (item,), {}, frame) for item in items]
    return Value(items=tuple(results), flows=building.flows_of(results))


def _named_tuple(reader: FlowReader, function: Value, arguments: tuple[Value, ...]) -> Value | None:
    """namedtuple("Point", "x y") is a class with these attributes."""
    if not function.is_("collections.namedtuple") or len(arguments) < 2 or not arguments[0].texts:
        return None
    names = [text for item in (arguments[1].items or (arguments[1],)) for text in item.texts[:1]]
    fields = " ".join(names).replace(",", " ").split()[: building.MAX_ITEMS]
    name = arguments[0].texts[0]
    path = f"<{name}>"
    result = Class(name, path, frozenset(), attributes=dict.fromkeys(fields, UNKNOWN))
    reader.classes.setdefault(path, result)
    return Value(paths=frozenset((path,)))


def _complete_partial(
    function: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> tuple[Value, tuple[Value, ...], dict[str, Value]]:
    """Resolve a call of a functools.partial to a call of its function, with all bound arguments."""
    # A partial of a partial too.
    while function.is_("functools.partial()") and function.items:
        before = {key: pair for key, pair in (function.pairs or {}).items() if isinstance(key, str)}
        function, *rest = function.items
        arguments, keywords = (*rest, *arguments), {**before, **keywords}
    return function, arguments, keywords


def _function(reader: FlowReader, node: ast.expr, frame: Frame) -> tuple[Value, Value]:
    if not isinstance(node, ast.Attribute):
        return UNKNOWN, reader.evaluate(node, frame)
    written = dotted_name(node)
    receiver = reader.evaluate(node.value, frame)
    # An attribute that the program itself has set, such as `self.run = subprocess.run`.
    if written and (value := frame.look(written)) is not None and value.paths:
        return receiver, value
    value = attribute(reader, receiver, node.attr, node)
    if not value.paths:
        textual = receiver.texts or receiver.pieces
        value = Value(paths=frozenset((f"str.{node.attr}" if textual else f".{node.attr}",)))
    return receiver, value


def _arguments(reader: FlowReader, nodes: list[ast.expr], frame: Frame) -> tuple[Value, ...]:
    values: list[Value] = []
    for node in nodes[: building.MAX_ITEMS]:
        value = reader.evaluate(node, frame)
        frame.checks.extend(reader.checks_after.pop(id(node), ()))
        spread = isinstance(node, ast.Starred) and value.items is not None
        values.extend(value.items or () if spread else (value,))
    return tuple(values)


def _keywords(reader: FlowReader, nodes: list[ast.keyword], frame: Frame) -> dict[str, Value]:
    keywords: dict[str, Value] = {}
    for node in nodes[: building.MAX_ITEMS]:
        value = reader.evaluate(node.value, frame)
        if node.arg is not None:
            keywords[node.arg] = value
            continue
        for key, pair in (value.pairs or {}).items():
            keywords[key if isinstance(key, str) else ""] = pair
        # `**options` of unknown content: any keyword may be among them, which detectors see by the empty
        # name.
        if value.pairs is None:
            keywords[""] = value
    return keywords


def _note_handlers(reader: FlowReader, node: ast.Call) -> None:
    name = last_name(node.func)
    if name in sources.REGISTERING:
        every = [*node.args, *(keyword.value for keyword in node.keywords)]
        reader.handlers |= {item.id for item in every if isinstance(item, ast.Name)}


def _call_back(
    reader: FlowReader,
    node: ast.Call,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> None:
    """A function of the program that is handed over with its data is called with it."""
    name = last_name(node.func)
    if name not in _CALLBACKS and name not in _STARTING:
        return
    handed = [*arguments, *(keywords[key] for key in ("target", "func") if key in keywords)]
    for number, value in enumerate(handed):
        rest = arguments[number + 1 :] if value in arguments else ()
        call_arguments = tuple(keywords["args"].items or () if "args" in keywords else rest)
        if name in _CALLBACKS:
            call_arguments = tuple(element(item) for item in call_arguments)
        for path in sorted(value.paths & reader.functions.keys()):
            follow(reader, path, node, UNKNOWN, call_arguments, {}, frame)
        # A partial only binds: the call happens where its result is called.
        if name != "partial" and call_arguments and any(map(_is_library_path, value.paths)):
            work, call_arguments, more = _complete_partial(value, call_arguments, {})
            _apply_function(reader, node, UNKNOWN, work, call_arguments, more, frame)


def _is_library_path(path: str) -> bool:
    """Whether a path is that of a function that a library or the language itself defines."""
    return path in propagators.BUILTINS or _LIBRARY.fullmatch(path) is not None


def _merge_pairs(
    pairs: Mapping[Constant, Value], arguments: tuple[Value, ...]
) -> Mapping[Constant, Value]:
    """The pairs of a dict after an update from another dict."""
    more = next((argument.pairs for argument in arguments if argument.pairs is not None), None)
    if more is None:
        return building.with_unknown_keys(pairs, arguments[0]) if arguments else pairs
    return {**pairs, **more}


def _change(
    reader: FlowReader,
    node: ast.Call,
    receiver: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> None:
    """A method that puts something into what it is called on."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _ADDING:
        return
    written = dotted_name(node.func.value)
    if not written or frame.look(written) is None:
        return
    items, pairs = receiver.items, receiver.pairs
    if node.func.attr == "update" and pairs is not None:
        pairs = {**_merge_pairs(pairs, arguments), **building.pairs_by_name(keywords)}
    elif items is not None and arguments:
        added = arguments[-1]
        extended = node.func.attr in ("extend", "update") and added.items is not None
        items = (*items, *((added.items or ()) if extended else (added,)))[: building.MAX_ITEMS]
    flows = building.flows_of((receiver, *arguments, *keywords.values()))
    changed = Value(
        receiver.constants, receiver.exact, receiver.paths, flows, receiver.pieces, items, pairs
    )
    holder: Frame | None = frame
    # In the frame that has the name: a function may add to a list of the module.
    while holder is not None and written not in holder.names:
        holder = holder.outer
    (holder or frame).bind_dotted(written, changed)
