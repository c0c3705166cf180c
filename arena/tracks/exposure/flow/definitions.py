"""Imports, functions and classes: statements that define names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from arena.tracks.exposure.flow import building, propagators, sources
from arena.tracks.exposure.flow.core import Class, Executor, Exit, FlowReader, Frame, Function
from arena.tracks.exposure.flow.facts import UNKNOWN, Value


def _import(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    for alias in cast(ast.Import, node).names:
        reader.imports.add(alias.name)
        bound = alias.name if alias.asname else alias.name.partition(".")[0]
        path = propagators.canonical(bound)
        frame.bind(alias.asname or bound, Value(paths=frozenset((path,))))
    return ""


def _import_from(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.ImportFrom, node)
    for alias in node.names:
        if alias.name == "*":
            reader.star_imports.append(node.module or "")
            reader.imports.add(f"{node.module}.*")
            continue
        path = propagators.canonical(f"{node.module}.{alias.name}" if node.module else alias.name)
        reader.imports.add(path)
        constant_value = building.library_constant(path)
        frame.bind(alias.asname or alias.name, constant_value or Value(paths=frozenset((path,))))
    return ""


def _function(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.FunctionDef | ast.AsyncFunctionDef, node)
    function = define(reader, node, frame, "")
    frame.bind(node.name, Value(paths=frozenset((function.path,))))
    return ""


def define(
    reader: FlowReader, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame, owner: str
) -> Function:
    """Define a function of the program. Decorators are read as calls."""
    for decorator in node.decorator_list:
        reader.evaluate(decorator, frame)
    path = f"{owner[:-1]}.{node.name}>" if owner else f"<{node.name}>"
    # Two functions of a name: the first stays, and calls that mean it go there.
    if path in reader.functions and reader.functions[path].node is not node:
        path = f"{path[:-1]}@{node.lineno}>"
    function = Function(node, node.name, path, frame, owner)
    reader.functions[path] = function
    return function


def _class(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.ClassDef, node)
    bases = frozenset(path for base in node.bases for path in reader.evaluate(base, frame).paths)
    for decorator in node.decorator_list:
        reader.evaluate(decorator, frame)
    item = Class(node.name, f"<{node.name}>", bases)
    reader.classes[item.path] = item
    frame.bind(node.name, Value(paths=frozenset((item.path,))))
    inside = Frame(frame.function, frame.entry, frame, owner=item.path, depth=frame.depth)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            item.methods[statement.name] = define(reader, statement, frame, item.path)
        else:
            reader.execute([statement], inside)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            inside.names.setdefault(statement.target.id, UNKNOWN)
            if sources.is_plain(statement.annotation):
                item.plain.add(statement.target.id)
        item.attributes.update(inside.names)
    return ""


EXECUTORS: Mapping[type[ast.stmt], Executor] = {
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
