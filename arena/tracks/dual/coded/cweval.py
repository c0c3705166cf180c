"""CWEval's Python tasks: <name>_task.py is the reference, <name>_test.py has the tests and unsafe functions.

The files are read, not run. An unsafe function becomes a separate program: its source under the requested
name, with the imports and the further definitions that it uses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from arena.tracks.dual.coded.benchmark import CodedTask, read_text
from arena.tracks.dual.tasks.imported.brought import BroughtProgram, BroughtPrograms
from arena.tracks.dual.tasks.schema import FunctionSpec, Io, OracleSpec
from parsers.python_syntax import syntax_tree
from tasks.loader import TaskError

TASK, TEST = "_task", "_test"
FOLDER = Path("benchmark", "core", "py")
UNSAFE = "_unsafe"
# Imports of a test module that are of its tests, and not of the functions in it.
NOT_OURS = ("pytest", "wrapt_timeout_decorator")
INSTRUCTION = "Write a Python module that defines this function:\n\n```python\n{source}\n```\n"
LIMITS = {"seconds": 30.0, "start": 30.0, "cpu": 60.0, "memory": 1024}


def read_cweval(source: Path) -> tuple[list[CodedTask], dict[str, str]]:
    """The tasks of a folder (a checkout, or the folder of the files), and those left out, with the reason.

    Raises TaskError where there is none.
    """
    folder = source / FOLDER if (source / FOLDER).is_dir() else source
    paths = sorted(folder.glob(f"*{TASK}.py")) if folder.is_dir() else []
    if not paths:
        raise TaskError(f"{source}: no file {FOLDER}/*{TASK}.py of CWEval")
    tasks, refused = [], {}
    for path in paths:
        name = path.name.removesuffix(f"{TASK}.py")
        try:
            tasks.append(_task(folder, path, name))
        # All that Python's parser raises for hostile source: NUL bytes, and nesting too deep for it.
        except (TaskError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            refused[_id(name)] = str(error) or type(error).__name__
    return tasks, refused


def _id(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "task"


def _task(folder: Path, path: Path, name: str) -> CodedTask:
    source, test_path = read_text(folder, path), path.with_name(f"{name}{TEST}.py")
    tests = read_text(folder, test_path)
    module, suite = syntax_tree(source), syntax_tree(tests)
    function = _imported_function(module, suite, f"{name}{TASK}")
    number = re.match(r"cwe_0*(\d+)_", name)
    unsafe = (
        BroughtProgram(
            f"{definition.name}.py",
            "python",
            _program(module, suite, definition, function).encode(),
        )
        for definition in _definitions(suite)
        if isinstance(definition, ast.FunctionDef)
        and definition.name.startswith(f"{function.name}{UNSAFE}")
    )
    reference = BroughtProgram(path.name, "python", source.encode())
    return CodedTask(
        id=_id(name),
        origin=f"CWEval {name}",
        oracle=OracleSpec(form="pytest", module=f"{name}{TEST}", program=f"{name}{TASK}"),
        files={test_path.name: tests.encode()},
        io=Io(shape="function", functions=(_spec(function),)),
        language="python",
        instruction=INSTRUCTION.format(source=_signature(module, function)),
        cwe=f"CWE-{number[1]}" if number else "",
        limits=LIMITS,
        programs=BroughtPrograms((reference,), {}, tuple(unsafe)),
    )


def _imported_function(module: ast.Module, suite: ast.Module, imported: str) -> ast.FunctionDef:
    """The function that the tests import. Raises TaskError."""
    names = {
        alias.name
        for node in ast.walk(suite)
        if isinstance(node, ast.ImportFrom) and node.module == imported
        for alias in node.names
    }
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            return node
    raise TaskError(f"the tests import no function of {imported}")


def _spec(function: ast.FunctionDef) -> FunctionSpec:
    return FunctionSpec(name=function.name, parameters=tuple(a.arg for a in function.args.args))


def _signature(module: ast.Module, function: ast.FunctionDef) -> str:
    """The function without its body, after the module's imports."""
    docstring = ast.get_docstring(function)
    if not docstring:
        raise TaskError(f"{function.name} has no docstring, which is the task's specification")
    empty = ast.FunctionDef(
        **{**vars(function), "body": [function.body[0]]}  # the docstring
    )
    return "\n\n\n".join([*_imports(module), ast.unparse(empty)])


def _imports(module: ast.Module) -> list[str]:
    lines = [
        ast.unparse(node) for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return ["\n".join(lines)] if lines else []


def _program(
    module: ast.Module, suite: ast.Module, unsafe: ast.FunctionDef, requested: ast.FunctionDef
) -> str:
    """A whole program around a single unsafe function."""
    imports: dict[str, None] = {}
    for node in (*module.body, *suite.body):
        tops = _tops(node)
        if tops and not any(top in NOT_OURS or top.endswith(TASK) for top in tops):
            imports[ast.unparse(node)] = None
    renamed = ast.FunctionDef(**{**vars(unsafe), "name": requested.name})
    parts = [ast.unparse(definition) for definition in _needed_definitions(suite, unsafe)]
    return "\n".join([*imports, "", *parts, ast.unparse(renamed), ""])


def _tops(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return []


def _definitions(suite: ast.Module) -> Iterator[ast.stmt]:
    return (
        item for item in suite.body if isinstance(item, ast.FunctionDef | ast.ClassDef | ast.Assign)
    )


def _needed_definitions(suite: ast.Module, function: ast.FunctionDef) -> list[ast.stmt]:
    """What else of the test module the function uses, in its order there."""
    names: dict[str, ast.stmt] = {}
    for node in _definitions(suite):
        targets: list[ast.AST] = [*node.targets] if isinstance(node, ast.Assign) else [node]
        names |= {n: node for t in targets if (n := getattr(t, "name", getattr(t, "id", "")))}
    todo: list[ast.AST] = [function]
    needed: dict[int, ast.stmt] = {}
    while todo:
        for used in ast.walk(todo.pop()):
            definition = names.get(used.id) if isinstance(used, ast.Name) else None
            if (
                definition is not None
                and definition is not function
                and id(definition) not in needed
            ):
                needed[id(definition)] = definition
                todo.append(definition)
    return [item for item in suite.body if id(item) in needed]
