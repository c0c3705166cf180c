"""Which identifiers of a program can be renamed, and their new names.

A name is changed everywhere or nowhere, in all versions of the program and in its tests, and the new name
stands nowhere yet: so the scopes stay equivalent. What others reach by name keeps it: attributes and
methods, imports, what the program does not bind itself, keywords of calls, parameters of decorated functions
(a route fills them by name), and whatever stands as a text (`getattr`, `globals()`, `__all__`).
"""

from __future__ import annotations

import ast
import builtins
import keyword
import random
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from arena.tracks.mutation.tasks.program import Program
from parsers.python_syntax import syntax_tree

TARGET = "target_module"
REFLECTIVE = frozenset(
    ("globals", "locals", "vars", "dir", "eval", "exec", "__globals__", "f_locals")
)
RESERVED = frozenset((*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "self", "cls"))
Function = ast.FunctionDef | ast.AsyncFunctionDef

VERBS = ("take", "run", "work", "serve", "process", "do", "make", "treat", "apply", "carry")
NOUNS = ("job", "item", "part", "case", "piece", "entry", "matter", "object", "step", "deal")
LOCALS = ("held", "inner", "current", "local", "made", "kept", "own", "near", "plain", "whole")
# Set before a parameter's name: its sense decides how it is attacked, and must not be lost.
PREFIXES = ("given", "wanted", "asked", "sent", "this")


@dataclass
class BoundNames:
    """What the sources of a program bind, and what must keep its name. kinds: name -> kind of it."""

    kinds: dict[str, str] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    top: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    keywords: set[str] = field(default_factory=set)
    reflective: bool = False


@dataclass(frozen=True)
class Naming:
    """everywhere: old -> new for the program; `tests` the part of it that tests can see."""

    everywhere: Mapping[str, str]
    tests: Mapping[str, str]


def naming(program: Program, seed: int = 0) -> Naming:
    """New names for a program: the same for the same seed. Raises SyntaxError, RecursionError."""
    bound = BoundNames()
    for source in (program.secure, program.insecure, *(m.code for m in program.mutants)):
        _read_source(source, bound)
    for source in (program.functional_tests, program.security_tests):
        _read_tests(source, bound)
    # A keyword may name a parameter of this program or of a foreign function: only running it would
    # show which.
    bound.fixed |= bound.parameters & bound.keywords
    # No name can be changed safely in a program that looks names up by their text.
    if bound.reflective:
        return Naming({}, {})
    # Seeded by the id too, so that a program's names do not depend on which other programs are in the set.
    draw = random.Random(f"{seed}:{program.id}")  # noqa: S311 - no secret: the same names each time
    # All words of the sources, comments and texts too: a new name must not capture one that is used there.
    taken = set(bound.words)
    names: dict[str, str] = {}
    # Sorted: the draws follow this order, and that of a set of texts changes with each start of Python.
    for name, kind in sorted(bound.kinds.items()):
        if name not in bound.fixed and name not in RESERVED and not name.startswith("__"):
            names[name] = _draw_name(name, kind, draw, taken)
    return Naming(names, {name: new for name, new in names.items() if name in bound.top})


def _draw_name(name: str, kind: str, draw: random.Random, taken: set[str]) -> str:
    lead = "_" if name.startswith("_") else ""
    stem = name.strip("_") or "x"
    drawn_name = {
        "function": f"{lead}{draw.choice(VERBS)}_{draw.choice(NOUNS)}",
        "class": f"{lead}{draw.choice(VERBS).title()}{draw.choice(NOUNS).title()}",
        "parameter": f"{lead}{draw.choice(PREFIXES)}_{stem}",
        "constant": f"{lead}OWN_{stem.upper()}",
        "variable": f"{lead}{draw.choice(LOCALS)}_{draw.choice(NOUNS)}",
    }[kind]
    number, new_name = 1, drawn_name
    while new_name in taken or new_name in RESERVED:
        number += 1
        new_name = f"{drawn_name}{number}" if kind == "class" else f"{drawn_name}_{number}"
    taken.add(new_name)
    return new_name


def _read_source(source: str, bound: BoundNames) -> None:
    tree = syntax_tree(source)
    bound.words |= _words(source)
    bound.top |= _tables(symtable.symtable(source, "<program>", "exec"), bound)
    for node in ast.walk(tree):
        if isinstance(node, Function):
            bound.fixed |= {arg.arg for arg in _args(node)} if node.decorator_list else set()
        elif isinstance(node, ast.Call):
            bound.keywords |= {word.arg for word in node.keywords if word.arg}
        elif isinstance(node, ast.JoinedStr):
            # `f"{name=}"` is part of what the program writes, so a new name would change its behaviour.
            bound.fixed |= set(_names_printed(node))
    bound.reflective |= _reflects(tree)
    bound.fixed |= _texts(tree)
    _read_kinds(tree, bound)


def _reflects(tree: ast.Module) -> bool:
    """Whether names are reached as texts. `eval` and `exec` with a separate namespace are blind to these."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    spaced = {id(call.func) for call in calls if len(call.args) + len(call.keywords) > 1}
    for node in ast.walk(tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        if name in REFLECTIVE and not (name in ("eval", "exec") and id(node) in spaced):
            return True
    return False


def _tables(
    table: symtable.SymbolTable, bound: BoundNames, top: frozenset[str] = frozenset()
) -> set[str]:
    """Names that the module binds. Fills in what is bound deeper, and what must keep its name."""
    symbols = table.get_symbols()
    kind = table.get_type()
    own_names = {s.get_name() for s in symbols if s.is_assigned() or s.is_namespace()}
    if kind == "module":
        top = frozenset(own_names)
    bound.fixed |= {s.get_name() for s in symbols if s.is_imported()}
    # What a class body binds is reached as an attribute, and the object before the dot is not known.
    if kind == "class":
        bound.fixed |= own_names
    bound.fixed |= {
        s.get_name()
        for s in symbols
        # Builtins, and names that only a `from x import *` or another module can bind.
        if (s.is_global() or kind == "module") and s.get_name() not in top
    }
    local = {s.get_name() for s in symbols if s.is_local() or s.is_parameter()}
    for name in own_names | (local if kind == "function" else set()):
        # The symbol table also lists names such as ".0", the hidden argument of a comprehension.
        if name.isidentifier():
            bound.kinds.setdefault(name, "constant" if name.isupper() else "variable")
    if kind == "function":
        bound.parameters |= {s.get_name() for s in symbols if s.is_parameter()}
    for child in table.get_children():
        _tables(child, bound, top)
    return own_names if kind == "module" else set()


def _read_kinds(tree: ast.Module, bound: BoundNames) -> None:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            _kind(bound, node.name, "function")
            for arg in _args(node):
                # A name is changed by one rule everywhere, so one that is a function somewhere stays a
                # function.
                if bound.kinds.get(arg.arg) != "function":
                    _kind(bound, arg.arg, "parameter")
        elif isinstance(node, ast.ClassDef):
            _kind(bound, node.name, "class")


def _kind(bound: BoundNames, name: str, kind: str) -> None:
    if name in bound.kinds:
        bound.kinds[name] = kind


def _read_tests(source: str, bound: BoundNames) -> None:
    """What tests bind, and what they name in texts or by keyword, keeps its name."""
    tree = syntax_tree(source)
    bound.words |= _words(source)
    bound.fixed |= _texts(tree)
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef):
            _keep_top(bound, [node.name])
        if isinstance(node, Function | ast.Lambda):
            _keep_top(bound, [arg.arg for arg in _args(node)])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            _keep_top(bound, [node.id])
        elif isinstance(node, ast.Call):
            bound.keywords |= {word.arg for word in node.keywords if word.arg}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            _keep_top(bound, _imported_names(node))


def _imported_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom) and node.module == TARGET:
        return [alias.asname for alias in node.names if alias.asname]
    return [alias.asname or alias.name.partition(".")[0] for alias in node.names]


def _keep_top(bound: BoundNames, names: Iterable[str]) -> None:
    bound.fixed |= bound.top & set(names)


def _args(node: Function | ast.Lambda) -> list[ast.arg]:
    args = node.args
    extra = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


def _texts(tree: ast.Module) -> set[str]:
    """Texts that are an identifier as a whole, and words in those that format or annotate."""
    texts: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if node.value.isidentifier():
            texts.add(node.value)
        # Marks of `str.format`, `%` formatting, HTML templates and shell or `string.Template` variables.
        elif "{" in node.value or "%(" in node.value or "<" in node.value or "$" in node.value:
            texts |= set(re.findall(r"[{(<:$](\w+)[})>!:.\[]?", node.value))
    return texts


def _names_printed(node: ast.JoinedStr) -> Iterator[str]:
    """Names that `f"{name=}"` prints."""
    for part in node.values:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from re.findall(r"(\w+)\s*=\s*$", part.value)


def _words(source: str) -> set[str]:
    return set(re.findall(r"\w+", source))
