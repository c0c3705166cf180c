"""Checks whether an order can be carried out, before it is: a faulty order is no program's fault."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from arena.tracks.dual.runner import hooks, paths
from arena.tracks.dual.runner.order import Order
from arena.tracks.dual.runner.request import request
from arena.tracks.dual.runner.running import content

# Bytes of one argument or variable: MAX_ARG_STRLEN of execve(2).
MAX_ARGUMENT = 128 * 1024 - 1
# Bytes of all of them with their pointers; execve(2) has a quarter of the stack's limit, of 8 MiB.
MAX_ARGUMENTS = 1_500_000
MAX_PATH, MAX_NAME = 4_000, 255
# A token of RFC 9110, 5.6.2.
_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}")


def check(order: Order) -> None:
    """Raises ValueError, naming the field, for an order that cannot be carried out."""
    for name, listed in _targets(order).items():
        for path in listed:
            _path(name, path)
    for path, target in order.links.items():
        if not target or "\0" in target or len(target) > MAX_PATH:
            raise ValueError(f"links: {path!r:.200}: where it leads to is no path")
    _no_file_is_a_folder(order)
    if paths.top(order.folder) in paths.READ_ONLY_FOLDERS:
        raise ValueError(f"folder: {order.folder} is in a folder of the system")
    if not order.argv:
        raise ValueError("argv: it is empty")
    hooks.environment(order.hooks)
    _variables("env", order.env)
    for name in order.canaries:
        if not name or "/" in name or "\0" in name or name in (".", ".."):
            raise ValueError(f"canaries: {name!r} is no command's name")
    for number, step in enumerate(order.steps):
        _step(order, step, f"steps.{number}")


def _targets(order: Order) -> dict[str, list[str]]:
    return {
        "folder": [order.folder],
        "copies": [c.target for c in order.copies],
        "binds": [b.target for b in order.binds],
        "files": list(order.files),
        "links": list(order.links),
        "secrets": list(order.secrets),
        "watched": list(order.watched),
        "fetch": list(order.fetch),
        "databases": [paths.database(order, name) for name in order.databases],
    }


def _path(name: str, path: str) -> None:
    if not path.startswith("/") or os.path.normpath(path) != path or "\0" in path:
        raise ValueError(f"{name}: {path!r:.200} is not an absolute path in its shortest form")
    try:
        whole = path.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: {path!r:.200} is no text that UTF-8 can hold") from error
    if path == "/" or len(whole) > MAX_PATH or any(len(p) > MAX_NAME for p in whole.split(b"/")):
        raise ValueError(f"{name}: {path!r:.200} is no path that a file can have")


def _no_file_is_a_folder(order: Order) -> None:
    """Raises ValueError where a path is below a path that is to be a file."""
    files = {*order.files, *order.links, *order.secrets}
    folders = [order.folder, *order.watched]
    for path in (*files, *folders, *(copy.target for copy in order.copies)):
        parent = os.path.dirname(path)  # noqa: PTH120 - of a text
        while parent != "/":
            if parent in files and parent not in order.links:
                raise ValueError(f"files: {parent!r:.200} is to be a file and a folder")
            parent = os.path.dirname(parent)  # noqa: PTH120
    for path in folders:
        if path in files:
            raise ValueError(f"files: {path!r:.200} is to be a file and a folder")


def _step(order: Order, step: Mapping[str, Any], where: str) -> None:
    try:
        if order.suite is not None:
            _test(order, step)
        elif order.shape == "run":
            _run(order, step, where)
        elif order.shape == "serve":
            if not _METHOD.fullmatch(str(step.get("method", "GET"))):
                raise ValueError(f"method: {step['method']!r:.100} is none of HTTP")
            if step.get("raw") and not re.fullmatch(r"[^\s]+", str(step.get("path", "/"))):
                raise ValueError("path: none can be sent as it stands")
            request(step, "localhost", "")
            dict(step.get("save") or {})
        else:
            # A value that JSON cannot hold would fail in the middle of an order, beside a program that runs.
            json.dumps(step)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        message = (
            str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        )
        raise ValueError(f"{where}: {message[:300]}") from error


def _test(order: Order, step: Mapping[str, Any]) -> None:
    if order.shape == "run":
        raise ValueError("a suite that is code tests services and functions")
    if step != {"list": True} and not (set(step) == {"test"} and isinstance(step["test"], str)):
        raise ValueError("of a suite that is code a step is one of its tests")


def _run(order: Order, step: Mapping[str, Any], where: str) -> None:
    arguments = step.get("args", ())
    if isinstance(arguments, str | Mapping) or not isinstance(arguments, Iterable):
        raise TypeError("args: no list")
    words = [*order.argv, *map(str, arguments)]
    sizes = [len(word.encode("utf-8", "surrogateescape")) for word in words]
    if any("\0" in word for word in words):
        raise ValueError("args: an argument cannot hold the character NUL")
    if max(sizes) > MAX_ARGUMENT or sum(sizes) + 9 * len(sizes) > MAX_ARGUMENTS:
        raise ValueError("args: longer than a command's arguments can be")
    _variables("env", dict(step.get("env", {})))
    content(step.get("stdin", ""))


def _variables(where: str, variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        message = f"{name}={value}"
        if (
            not name
            or "=" in name
            or "\0" in message
            or len(message.encode("utf-8", "replace")) > MAX_ARGUMENT
        ):
            raise ValueError(f"{where}: {name!r:.100} is no variable that a program can be given")
