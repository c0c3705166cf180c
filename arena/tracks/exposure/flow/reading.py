"""The order in which a program is read: the module, then its handlers, then functions that nothing called."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

from arena.tracks.exposure.flow import sources
from arena.tracks.exposure.flow.core import FlowReader, Frame, Function, TooLong
from arena.tracks.exposure.flow.expressions import EVALUATORS
from arena.tracks.exposure.flow.facts import NotPython, ProgramFacts
from arena.tracks.exposure.flow.functions import begin
from arena.tracks.exposure.flow.statements import EXECUTORS
from parsers.python_syntax import syntax_tree

# Python 3.11 compiles a text full of f-strings in quadratic time: some seconds at this length.
MAX_BYTES = 1 << 17


def compile_program(source: str | bytes) -> ast.Module:
    """The tree of a program that compiles, as py_compile would say; nothing is run. Raises NotPython."""
    if len(source) > MAX_BYTES:
        raise NotPython(f"longer than {MAX_BYTES} bytes")
    try:
        with warnings.catch_warnings():
            # A program's invalid escapes would be warned of on our terminal.
            warnings.simplefilter("ignore")
            tree = syntax_tree(source)
            # Also compiled, since `return` outside of a function, for one, is a mistake that parsing lets
            # pass.
            compile(source, "<program>", "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f" (line {error.lineno})" if error.lineno else ""
        raise NotPython(f"{error.msg}{place}", error.lineno or 0) from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise NotPython(f"{type(error).__name__}: {error}"[:200]) from error
    return tree


def read(source: str | bytes) -> ProgramFacts:
    """Read a program without running it. Raises NotPython where it does not compile."""
    tree = compile_program(source)
    reader = FlowReader(EVALUATORS, EXECUTORS)
    cut = False
    try:
        _through(reader, tree)
    except (TooLong, RecursionError):
        # What was read until then stays: a weakness that was found is one.
        cut = True
    return ProgramFacts(
        tree,
        _text(source),
        tuple(reader.calls),
        tuple(reader.returns),
        tuple(reader.comparisons),
        tuple(reader.assignments),
        frozenset(reader.imports),
        cut,
    )


def _text(source: str | bytes) -> str:
    if isinstance(source, str):
        return source
    try:
        # By the program's own declaration, as Python reads it.
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:
        encoding = "utf-8"
    return source.decode(encoding, "replace")


def _through(reader: FlowReader, tree: ast.Module) -> None:
    module = Frame()
    reader.execute(tree.body, module)
    done: set[str] = set()
    names = _called_names(tree)
    waiting = [
        function for function in _unread_functions(reader, done) if _name(function) not in names
    ]
    # First functions that nothing calls: following their calls gives the arguments of the others.
    for chosen in (waiting, None):
        # Reading a function may define further ones.
        for _ in range(4):
            todo = chosen if chosen is not None else _unread_functions(reader, done)
            fresh = [item for item in todo if item.path not in done]
            for item in fresh:
                done.add(item.path)
                handler, rule = _handler(reader, item)
                if handler or not _is_settled(reader, item):
                    begin(reader, item, handler, rule)
            if not fresh:
                break


def _unread_functions(reader: FlowReader, done: set[str]) -> list[Function]:
    """Functions that were not read yet: handlers first, makers of objects before the remaining methods."""
    fresh = [function for function in reader.functions.values() if function.path not in done]
    return sorted(
        fresh, key=lambda item: (item.name != "__init__", isinstance(item.node, ast.Lambda))
    )


def _name(function: Function) -> str:
    """What a call of it is written with: a class is called for its `__init__`."""
    if function.name == "__init__" and function.owner:
        return function.owner.strip("<>").rpartition(".")[2]
    return function.name


def _called_names(tree: ast.Module) -> frozenset[str]:
    """Names, and last parts of dotted ones, that the program calls."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(getattr(call, "id", getattr(call, "attr", "")) for call in calls)


def _is_settled(reader: FlowReader, function: Function) -> bool:
    """Whether the program itself decides a function's arguments.

    Constants alone are an example of its use; an object that is constructed with them is as it will be.
    """
    if function.name == "__init__":
        return function.path in reader.called
    return bool(reader.called.get(function.path))


def _handler(reader: FlowReader, function: Function) -> tuple[bool, str]:
    """Whether a function answers web requests, and the route that it answers."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return False, ""
    for decorator in node.decorator_list:
        rule = sources.route_of(decorator)
        if rule is not None:
            return True, rule
    owner = reader.classes.get(function.owner)
    if (
        owner is not None
        and node.name in sources.VIEW_METHODS
        and (node.name.isupper() or sources.is_view_class(owner.bases))
    ):
        return True, ""
    arguments = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    first = arguments[:1]
    return node.name in reader.handlers or first in (["request"], ["req"]), ""
