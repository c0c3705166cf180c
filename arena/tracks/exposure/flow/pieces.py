"""Functions that put paths and addresses together, as text in pieces."""

from __future__ import annotations

from arena.tracks.exposure.flow import building
from arena.tracks.exposure.flow.facts import UNKNOWN, Value

_SAME_PATH = ("os.path.abspath", "os.path.realpath", "os.path.normpath", "os.path.expanduser")


def path_pieces(
    function: Value, name: str, receiver: Value, arguments: tuple[Value, ...]
) -> tuple[Value, ...]:
    """os.path.join and Path put text together as well, with a separator between, and urlunparse."""
    if function.is_("urllib.parse.urlunparse", "urllib.parse.urlunsplit") and arguments:
        return _address_pieces(arguments[0].items or ())
    if function.is_("os.path.join", "pathlib.Path", "pathlib.PurePath") or name == "joinpath":
        parts = (receiver, *arguments) if name == "joinpath" else arguments
        spread = [piece for part in parts for piece in (building.constant("/"), part)][1:]
        return building.text(spread).pieces if len(parts) > 1 else ()
    if function.is_(*_SAME_PATH) and len(arguments) == 1:
        return arguments[0].pieces
    if name in building.METHODS and receiver.pieces:
        return receiver.pieces
    return ()


def _address_pieces(parts: tuple[Value, ...]) -> tuple[Value, ...]:
    """The pieces of an address with a fixed host: a slash comes after it, whatever the path is."""
    host = parts[1] if len(parts) > 1 else UNKNOWN
    if not host.exact or not host.texts or "" in host.texts:
        return ()
    spread = (parts[0], building.constant("://"), host, building.constant("/"), *parts[2:])
    return building.text(spread).pieces
