"""Secure programs that are written, or work, differently: a test of a security property must accept them.

Four rewritings fit every program, `mentioning` fits every mutant; those that fit a weakness stand with the
operators (`alternatives`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import cast

import libcst as cst

from arena.tracks.mutation.operators._operator import Operator
from parsers.python_syntax import syntax_tree

Function = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
REFLECTIVE = frozenset({"locals", "vars", "eval", "exec", "globals", "dir"})


def rewritings(code: str, operator: Operator | None) -> Iterator[tuple[str, str]]:
    """(name, source) of secure rewritings of a secure program, the general ones first.

    None of them is proven here: the caller holds each against the program's functional tests and exploits.
    """
    codes = {code}
    for name, rewrite in GENERAL.items():
        tree = rewrite(syntax_tree(code))
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if source not in codes:
            codes.add(source)
            yield name, source
    for name, alternative in (operator.alternatives if operator else {}).items():
        for module in alternative(cst.parse_module(code)):
            if module.code not in codes:
                codes.add(module.code)
                yield name, module.code
                break  # one of each kind is enough


def anonymise_locals(tree: ast.Module) -> ast.Module:
    """Rename local variables; drop comments and docstrings."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            _strip_docstring(function)
            _rename_locals(function)
    _strip_docstring(tree)
    return tree


def _strip_docstring(node: Function | ast.Module) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]


def _rename_locals(function: Function) -> None:
    inner = [n for n in ast.walk(function) if isinstance(n, SCOPES) and n is not function]
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    shared = {n.id for scope in inner for n in ast.walk(scope) if isinstance(n, ast.Name)}
    # Callers may name parameters, and inner scopes read these names.
    fixed = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} | shared
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            fixed |= set(node.names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            fixed |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            fixed.add(node.name)
    # The program looks at its own names: a renamed local would change what it does.
    if any(name.id in REFLECTIVE for name in names):
        return
    bound = {n.id for n in names if isinstance(n.ctx, ast.Store)} - fixed
    for name in names:
        if name.id in bound:
            name.id = f"{name.id}_value"


def wrap_functions(tree: ast.Module) -> ast.Module:
    """Public functions pass their arguments on to the ones that do the work."""
    body: list[ast.stmt] = []
    for node in tree.body:
        plain = isinstance(node, ast.FunctionDef) and not node.decorator_list
        if not plain or cast(ast.FunctionDef, node).name.startswith("_"):
            body.append(node)
            continue
        function = cast(ast.FunctionDef, node)
        outer, function.name = function.name, f"_{function.name}_work"
        body += [function, *_passing_on(outer, function.name)]
    return ast.Module(_imports_first(body), tree.type_ignores)


def _passing_on(outer: str, inner: str) -> list[ast.stmt]:
    source = (
        # Without `wraps`'s `__wrapped__`, a test of the signature sees the program as it was and not the
        # inner function.
        f"@__import__('functools').wraps({inner}, assigned=('__doc__', '__module__', '__annotations__'))\n"
        f"def {outer}(*args, **kwargs):\n    return {inner}(*args, **kwargs)\n"
    )
    return syntax_tree(source).body


def _imports_first(body: list[ast.stmt]) -> list[ast.stmt]:
    future = [n for n in body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    # Python accepts `from __future__` only before all other code.
    return [*future, *(n for n in body if n not in future)]


class _Reworded(ast.NodeTransformer):
    """Changes the messages of exceptions that the program raises."""

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        call = node.exc
        if isinstance(call, ast.Call) and len(call.args) == 1 and _text(call.args[0]):
            call.args[0] = ast.BinOp(call.args[0], ast.Add(), ast.Constant(" (not done)"))
        return node


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def reword_refusals(tree: ast.Module) -> ast.Module:
    """Change the messages of refusals."""
    return cast(ast.Module, _Reworded().visit(tree))


# `__wrapped__` is deleted, since `inspect.getsource` follows it to the source that is to be hidden;
# generators stay as they are, since a plain wrapper would make ordinary functions of them.
PASSING = """
def _passing(function):
    import functools, inspect
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return function
    if inspect.iscoroutinefunction(function):
        async def outer(*args, **kwargs):
            return await function(*args, **kwargs)
    else:
        def outer(*args, **kwargs):
            return function(*args, **kwargs)
    functools.update_wrapper(outer, function)
    outer.__signature__ = inspect.signature(function)
    del outer.__wrapped__
    return outer
"""
HIDING = "exec(compile(bytes.fromhex({text!r}), __file__, 'exec', dont_inherit=True))\n"


def hide_source(tree: ast.Module) -> ast.Module:
    """Neither the source nor the byte code of the program can be read where a test would look for them.

    A test that runs the program does not notice; a test that reads it does.
    """
    for scope in [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef)]:
        for node in scope.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                # The last of the list is the innermost: it hides the function's own code from what comes
                # after.
                node.decorator_list.append(ast.Name("_passing", ast.Load()))
    body = _imports_first([*syntax_tree(PASSING).body, *tree.body])
    source = ast.unparse(ast.fix_missing_locations(ast.Module(body, tree.type_ignores)))
    return syntax_tree(HIDING.format(text=source.encode("utf-8", "surrogatepass").hex()))


def mentioning(code: str, mutant: str) -> str:
    """The secure program with a mutant's code in it that never runs; "" where it cannot be put there.

    A test that fails here looks at what the mutant is called, and not at what it does.
    """
    try:
        dead = syntax_tree(mutant).body
        dead = [n for n in dead if not (isinstance(n, ast.ImportFrom) and n.module == "__future__")]
        block = ast.If(ast.Constant(False), dead or [ast.Pass()], [])
        source = f"{code.rstrip()}\n\n{ast.unparse(ast.fix_missing_locations(block))}\n"
        compile(source, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return source


GENERAL: dict[str, Callable[[ast.Module], ast.Module]] = {
    "renamed": anonymise_locals,
    "wrapped": wrap_functions,
    "reworded": reword_refusals,
    "hidden": hide_source,
}
