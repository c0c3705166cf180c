"""Arguments of argparse, optparse and flask_restful's reqparse, by what they are declared to be.

`add_argument("n", type=int)` lets numbers through alone, `choices=` what it lists, and a function of the
program as `type` what it gives back. Facts of the libraries' documentation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from arena.tracks.exposure.flow import building
from arena.tracks.exposure.flow.core import FlowOption, FlowReader, Frame
from arena.tracks.exposure.flow.facts import UNKNOWN, Value
from arena.tracks.exposure.flow.functions import follow

_DECLARING = frozenset(("add_argument", "add_option"))
_PARSED = re.compile(
    r"(?:argparse|optparse|flask_rest\w+)\.\S*\.parse_(?:known_)?args\(\)(?:\[\])?"
)
_PLAIN_TYPES = (
    "int", "float", "bool", "complex", "decimal.Decimal", "uuid.UUID", "ipaddress.ip_address",
    "ipaddress.IPv4Address", "ipaddress.IPv6Address", "ipaddress.ip_network",
)  # fmt: skip
# How optparse writes them.
_PLAIN_NAMES = frozenset(("int", "long", "float", "complex"))
_PLAIN_ACTIONS = frozenset(("store_true", "store_false", "store_const", "count"))
# Declarations of one name that are kept; more than these say nothing.
_MAX_DECLARATIONS = 8


def note(
    reader: FlowReader, node: ast.Call, arguments: tuple[Value, ...], keywords: Mapping[str, Value]
) -> None:
    """Keep what a call declares, if it declares an argument."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _DECLARING:
        return
    name = _name(arguments, keywords)
    action = keywords.get("action", UNKNOWN).texts
    choices = keywords.get("choices", UNKNOWN).items or ()
    option = FlowOption(keywords.get("type", UNKNOWN), choices, action[0] if action else "")
    entry = reader.options.setdefault(name, [])
    # One more than the most is kept, by which it is seen that there are too many.
    if len(entry) <= _MAX_DECLARATIONS and option not in entry:
        entry.append(option)


def _name(arguments: tuple[Value, ...], keywords: Mapping[str, Value]) -> str:
    """The attribute that holds the parsed argument: `dest`, the first long option, or the first."""
    written = [text for item in (keywords.get("dest", UNKNOWN), *arguments) for text in item.texts]
    if "dest" in keywords or not written:
        return "".join(written[:1])
    chosen = next((text for text in written if text.startswith("--")), written[0])
    return chosen.lstrip("-").replace("-", "_")


def parsed_option(
    reader: FlowReader, base: Value, name: str, value: Value, node: ast.expr, frame: Frame
) -> Value:
    """What `args.name` or `args["name"]` is worth: `value`, but for what the declarations say of it."""
    options = reader.options.get(name, [])
    if not 0 < len(options) <= _MAX_DECLARATIONS or not any(
        _PARSED.fullmatch(path) for path in base.paths
    ):
        return value
    return building.join(*(_option_value(reader, option, value, node, frame) for option in options))


def _plain(option: FlowOption) -> bool:
    """Whether it is a number, an address or a switch."""
    named = option.type.is_(*_PLAIN_TYPES) or not _PLAIN_NAMES.isdisjoint(option.type.texts)
    return named or option.action in _PLAIN_ACTIONS


def _option_value(
    reader: FlowReader, option: FlowOption, value: Value, node: ast.expr, frame: Frame
) -> Value:
    if option.has_exact_choices:
        return building.join(*option.choices)
    if _plain(option):
        return Value(paths=frozenset(("int()",)))
    functions = sorted(path for path in option.type.paths if path in reader.functions)
    if not functions:
        return value
    key = functions[0], value
    if key not in reader.converted:
        reader.converted[key] = follow(reader, functions[0], node, UNKNOWN, (value,), {}, frame)
    return reader.converted[key]
