"""Names that a program uses and nothing binds."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator

BUILT_IN = frozenset(dir(builtins)) | {"__file__", "__path__", "__annotations__"}


def unbound(code: str) -> frozenset[str]:
    """Names that are read somewhere, and neither built in nor bound where Python looks for them.

    Empty where the program imports by `*`, since anything may be bound then. Raises SyntaxError.
    """
    top = symtable.symtable(code, "program", "exec")
    scopes = list(_scopes(top, ""))
    # The plain search first: nearly all programs have no such import, and each mutant is looked at.
    if "import *" in code and _stars(code):
        return frozenset()
    bound = {s.get_name() for s in top.get_symbols() if _binds(s)} | BUILT_IN
    # A function's `global x` binds a name of the module that the module itself never assigns.
    for _, scope in scopes[1:]:
        # A function may bind a name of the module by `global`.
        bound |= {s.get_name() for s in scope.get_symbols() if s.is_declared_global() and _binds(s)}
    return frozenset(
        symbol.get_name()
        for _, scope in scopes
        for symbol in scope.get_symbols()
        if symbol.is_referenced()
        and _looked_up_outside(scope, symbol)
        and symbol.get_name() not in bound
    )


def lost_names(before: str, after: str) -> frozenset[str]:
    """Names that a function bound itself in `before`, and that the same function in `after` only reads.

    They then mean something else, or nothing. Raises SyntaxError.
    """
    names_before = {
        path: _bound_names(scope)
        for path, scope in _scopes(symtable.symtable(before, "program", "exec"), "")
    }
    names: set[str] = set()
    for path, scope in _scopes(symtable.symtable(after, "program", "exec"), ""):
        outside = {
            s.get_name()
            for s in scope.get_symbols()
            if s.is_referenced() and _looked_up_outside(scope, s)
        }
        names |= outside & names_before.get(path, frozenset())
    return frozenset(names)


def _scopes(table: symtable.SymbolTable, path: str) -> Iterator[tuple[str, symtable.SymbolTable]]:
    """All scopes with their paths, the module's first."""
    # No recursion: a hostile program nests functions deeper than Python's stack allows.
    waiting = [(path, table)]
    while waiting:
        here, scope = waiting.pop(0)
        yield here, scope
        waiting.extend((f"{here}.{child.get_name()}", child) for child in scope.get_children())


def _binds(symbol: symtable.Symbol) -> bool:
    return (
        symbol.is_assigned()
        or symbol.is_imported()
        or symbol.is_parameter()
        or symbol.is_namespace()
    )


def _looked_up_outside(scope: symtable.SymbolTable, symbol: symtable.Symbol) -> bool:
    """Whether a name that is read in a scope is looked for among the module's."""
    if scope.get_type() == "module" or symbol.is_global():
        return not (scope.get_type() == "module" and _binds(symbol))
    return scope.get_type() == "class" and not _binds(symbol) and not symbol.is_free()


def _bound_names(scope: symtable.SymbolTable) -> frozenset[str]:
    if scope.get_type() != "function":
        return frozenset()
    return frozenset(s.get_name() for s in scope.get_symbols() if s.is_local() and _binds(s))


def _stars(code: str) -> bool:
    return any(
        line.strip().startswith("from ") and line.partition("#")[0].rstrip().endswith("import *")
        for line in code.splitlines()
    )
