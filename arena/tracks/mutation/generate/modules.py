"""What of a model's test module goes or changes before it is run, each with a note.

A copy of the program in the tests would be tested in the program's place: it goes. A module name that can
only mean the program becomes `target_module`. What a test sees without an import needs none.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from arena.tracks.mutation.generate.observables import BARE
from arena.tracks.mutation.generate.source import Edit, Places, apply_edits, parse
from arena.tracks.mutation.tasks.program import Program

TARGET = "target_module"
# Names that models write for a module whose name the prompt does not state.
_STANDINS = """
    your_module module my_module mymodule module_under_test solution main app code src target program
    your_code your_app example secure_code secure_module function_module implementation yourmodule
    code_under_test test_module task submission __main__"""
STANDINS = frozenset(_STANDINS.split())
_LIBRARIES = """
    pytest _pytest hypothesis flask werkzeug jinja2 markupsafe itsdangerous requests urllib3 lxml jwt
    bcrypt yaml cryptography Crypto Cryptodome mysql pymysql MySQLdb psycopg2 sqlalchemy django defusedxml
    httpx aiohttp numpy pandas responses requests_mock pytest_mock freezegun bs4 ldap ldap3 paramiko nacl
    argon2 passlib bleach simplejson jsonpickle redis boto3 rsa mock pydantic fastapi starlette"""
LIBRARIES = sys.stdlib_module_names | frozenset(_LIBRARIES.split())
# `code` and `test` are modules of the standard library too; what is imported from them shows which is meant.
# Names of the standard library's that models write for the program.
_MEANT_TOO = frozenset(("code", "test", "__main__"))
_PATCHERS = frozenset(
    ("patch", "setattr", "delattr", "dict", "multiple", "import_module", "__import__")
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class ModuleShape:
    """What a program defines at its top level: its definitions, and all names."""

    definitions: dict[str, Definition]
    names: frozenset[str]

    @classmethod
    def from_program(cls, program: Program) -> ModuleShape:
        """Empty for a program that does not parse."""
        tree = parse(program.secure)
        body = tree.body if tree else []
        definitions = {node.name: node for node in body if isinstance(node, _DEFINITIONS)}
        return cls(
            definitions, frozenset((*definitions, *_assigned_names(body), program.entry_point))
        )


def _assigned_names(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


# copies of the program


def remove_copies(text: str, program: Program, shape: ModuleShape) -> tuple[str, list[str]]:
    """The module without definitions that copy the program's, and a note for each.

    The entry point is never defined anew, wherever in the module; further names only count as copied at the
    top level with the same parameters or methods, since a test may need a different class `User`.
    """
    tree = parse(text)
    if tree is None:
        return text, []
    copies = list(_entry_points(tree, program.entry_point))
    copies += [node for node in tree.body if _is_copy(node, shape, program.entry_point)]
    places = Places(text)
    notes = [f"dropped a copy of the program's {_quoted_name(node)}" for node in copies]
    # `pass`, as the copy may be the only statement of its block.
    return apply_edits(text, [places.edit(node, "pass") for node in copies]), notes


def _quoted_name(node: ast.stmt) -> str:
    if isinstance(node, _DEFINITIONS):
        return f"`{node.name}`"
    return f"`{next(iter(_assigned_names([node])), '')}`"


def _entry_points(tree: ast.Module, name: str) -> Iterator[ast.stmt]:
    """Definitions of the entry point that are no method of a class, outer ones first."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, in_class = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DEFINITIONS) and child.name == name and not in_class:
                yield child
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                waiting.append((child, isinstance(child, ast.ClassDef)))


def _is_copy(node: ast.stmt, shape: ModuleShape, entry_point: str) -> bool:
    if isinstance(node, _DEFINITIONS):
        definition = shape.definitions.get(node.name)
        return node.name != entry_point and definition is not None and _alike(node, definition)
    replaced = isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
    return replaced and entry_point in _assigned_names([node])


def _alike(first: Definition, second: Definition) -> bool:
    return type(first) is type(second) and _outline(first) == _outline(second)


def _outline(node: Definition) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return sorted(item.name for item in node.body if isinstance(item, _DEFINITIONS))
    args = node.args
    # By names of parameters: a model's copy mostly differs in its body, in which the weakness is.
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


# imports


def with_target(text: str, program: Program, shape: ModuleShape) -> tuple[str, list[str]]:
    """The module with imports of the program under a single name, and a note for each changed import."""
    tree = parse(text)
    if tree is None:
        return text, []
    places = Places(text)
    meant = {program.entry_point} | {m for m in STANDINS if m not in LIBRARIES or m in _MEANT_TOO}
    used = set(_bases_of(tree, shape))
    edits: list[Edit] = []
    notes: list[str] = []
    for node in ast.walk(tree):
        new = None
        if isinstance(node, ast.ImportFrom):
            new = _from(node, shape, meant, notes)
        elif isinstance(node, ast.Import):
            new = _import(node, used, meant, notes)
        if new is not None:
            edits.append(places.edit(node, new))  # type: ignore[arg-type] # an import is a statement
    edits += [places.edit(node, new) for node, new in _patch_targets(tree, meant, notes)]
    return apply_edits(text, edits), notes


def _from(
    node: ast.ImportFrom, shape: ModuleShape, meant: set[str], notes: list[str]
) -> str | None:
    """What stands for an import of names, or None where it may stay. Adds the module to `meant`."""
    top = (node.module or "").partition(".")[0]
    names = {alias.name for alias in node.names}
    is_target = bool(names & shape.names)
    if (node.module == TARGET and not node.level) or _is_library(node, is_target):
        return None
    if not is_target and names != {"*"} and names <= BARE:
        notes.append(f"dropped an import of {_format_names(names)}: given without one")
        return "pass"
    if not (is_target or names == {"*"} or top in meant or (node.level and not top)):
        return None
    meant.add(node.module or top)
    aliases = [alias for alias in node.names if alias.name not in BARE or alias.name in shape.names]
    notes.append(f"`{'.' * node.level}{node.module or ''}` was taken to mean the program")
    return ast.unparse(ast.ImportFrom(TARGET, aliases, 0))


def _is_library(node: ast.ImportFrom, is_target: bool) -> bool:
    top = (node.module or "").partition(".")[0]
    return not node.level and top in LIBRARIES and not (is_target and top in _MEANT_TOO)


def _bases_of(tree: ast.Module, shape: ModuleShape) -> Iterator[str]:
    """Names `x` of which `x.f` is used, where `f` is a name of the program."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node.attr not in shape.names:
            continue
        if isinstance(node.value, ast.Name):
            yield node.value.id


def _import(node: ast.Import, used: set[str], meant: set[str], notes: list[str]) -> str | None:
    new: list[ast.alias] = []
    changed = False
    for alias in node.names:
        top = alias.name.partition(".")[0]
        if top == TARGET or (top in LIBRARIES and top != "__main__"):
            new.append(alias)
        elif alias.name in BARE and alias.asname is None:
            changed = True
            notes.append(f"dropped an import of `{alias.name}`: given without one")
        elif _means_program(alias, used, meant):
            changed = True
            meant.add(alias.name)
            notes.append(f"`{alias.name}` was taken to mean the program")
            new.append(ast.alias(TARGET, alias.asname or alias.name))
        else:
            new.append(alias)
    if not changed:
        return None
    return ast.unparse(ast.Import(new)) if new else "pass"


def _means_program(alias: ast.alias, used: set[str], meant: set[str]) -> bool:
    # `import a.b` binds `a`, of which the tests use `a.b.f`: another import would not give that name.
    if "." in alias.name and alias.asname is None:
        return False
    return alias.name in meant or (alias.asname or alias.name) in used


def _patch_targets(
    tree: ast.Module, meant: set[str], notes: list[str]
) -> Iterator[tuple[ast.expr, str]]:
    """Dotted names of the program in texts, as in `patch("your_module.requests.get")`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args or _called_name(node) not in _PATCHERS:
            continue
        first = node.args[0]
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        module = _meant_by(first.value, meant)
        if module:
            notes.append(f"`{module}` in a text was taken to mean the program")
            yield first, repr(TARGET + first.value[len(module) :])


def _meant_by(text: str, meant: set[str]) -> str:
    """The first parts of a dotted name that mean the program, or ""."""
    # A dotted name can be long and hostile; modules of a program have few parts.
    parts = text.split(".", 3)[:3]
    leading = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((name for name in leading if name in meant), "")


def _called_name(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _format_names(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


# tests


def has_tests(tree: ast.Module) -> bool:
    """Whether pytest would collect a test: a function `test*`, in a class `Test*` or in a TestCase."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test"):
                return True
        elif isinstance(node, ast.ClassDef):
            waiting += node.body if _is_test_class(node) else []
        elif isinstance(node, ast.If | ast.Try | ast.With):
            waiting += [
                child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)
            ]
    return False


def _is_test_class(node: ast.ClassDef) -> bool:
    bases = (ast.unparse(base) for base in node.bases)
    return node.name.startswith("Test") or any(base.endswith("TestCase") for base in bases)
