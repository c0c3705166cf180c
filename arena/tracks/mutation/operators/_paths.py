"""Paths that stay in their folder: where that is checked, and weaker checks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import (
    Finder,
    fits,
    operand,
    receiver,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    Guard,
    guards,
    guards_by_function,
    remove_guards,
)
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    descendants,
    expression,
    nodes,
)
from arena.tracks.mutation.operators._scopes import definition, parameters, source

TOPIC = (
    r"path|startswith|relative_to|commonp|\.\.|base|root|dir|folder|file|name|re\.|match|resolve|outside"
    r"|traversal|suffix|isabs|sep\b|\bid\b|invalid"
)
INSIDE = r"startswith|relative_to|commonpath|commonprefix|parents|\.\.|traversal"
CANONICAL = re.compile(
    r"(^|\.)(resolve|realpath|abspath|normpath|basename|secure_filename|safe_join|normcase|name)$"
)


def canonical_dropped(view: View) -> Iterator[Change]:
    """Finds: a path is no longer resolved; where its function has several guards, those on others go."""
    for call in nodes(view.module, cst.Call):
        if not CANONICAL.search(source(call.func)) or not _uses_parameter(view, call):
            continue
        inner = operand(call) if call.args else receiver(call)
        # `safe_join` takes several parts and checks as well; its first argument alone is the folder.
        if inner is None or source(call.func).endswith("safe_join"):
            continue
        function = view.enclosing_node(call, cst.FunctionDef)
        checked = guards_by_function(view, guards(view, TOPIC)).get(function, [])
        others = remove_guards(g for g in checked if not re.search(INSIDE, g.about))
        yield Change(((call, fits(view, call, inner)), *others.nodes))


def _uses_parameter(view: View, node: cst.CSTNode, depth: int = 0) -> bool:
    """Whether a parameter of the function stands in an expression, or in what its names are assigned."""
    function = view.enclosing_node(node, cst.FunctionDef)
    if function is None:
        return False
    for name in nodes(node, cst.Name):
        if name.value in parameters(function) and name.value not in ("self", "cls"):
            return True
        # A depth, because assignments may go round: `a = b` and `b = a` in one function.
        value = definition(view, name) if depth < 2 else None
        if value is not None and value is not node and _uses_parameter(view, value, depth + 1):
            return True
    return False


def instead(test: str) -> Finder:
    """Finds: a simple check of the name in place of all guards of a function on paths."""

    def find(view: View) -> Iterator[Change]:
        for function, present in guards_by_function(view, guards(view, TOPIC)).items():
            inside = [g for g in present if re.search(INSIDE, g.about) and _plain(g)]
            name = _user_part(view, function) if inside and function is not None else None
            if name is None:
                continue
            last_guard = inside[-1]
            others = [g for g in present if g is not last_guard]
            node = expression(test, name=name)
            # A program that has just this check already would be a mutant equal to its original.
            if source(node) != source(last_guard.node.test):  # type: ignore[attr-defined]
                yield Change(((last_guard.node.test, node), *remove_guards(others).nodes))  # type: ignore[attr-defined]

    return find


def _plain(guard: Guard) -> bool:
    return isinstance(guard.node, cst.If) and guard.refusing


def _user_part(view: View, function: cst.FunctionDef) -> cst.BaseExpression | None:
    """What a user gives to a path: the last part that a parameter stands in, of `base / part` or a join."""
    for node in descendants(function):
        part: cst.BaseExpression | None = None
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
            part = node.right
        elif isinstance(node, cst.Call) and re.search(r"(join|joinpath|Path)$", source(node.func)):
            part = node.args[-1].value if node.args else None
        if part is not None:
            for name in nodes(part, cst.Name):
                if name.value in parameters(function):
                    return name
    return None


def dots_stripped(view: View) -> Iterator[Change]:
    """Finds: `../` taken out once, and no check; `....//` passes."""
    for function, present in guards_by_function(view, guards(view, TOPIC)).items():
        if function is None or not any(re.search(INSIDE, g.about) for g in present):
            continue
        name = _user_part(view, function)
        if name is not None:
            node = expression('{name}.replace("../", "")', name=name)
            yield Change(((name, node), *remove_guards(present).nodes))


SENDING = """\
def send_found(folder, name):
    path = os.path.join(folder, {name})
    if {refused}not os.path.isfile(path):
        abort(404)
    return send_file(path)
"""


def sent_by_hand(name: str, refused: str = "") -> Finder:
    """Finds: `send_from_directory` as a function that joins the path itself, with too weak a check."""
    helper = SENDING.replace("{name}", name).replace("{refused}", refused)

    def find(view: View) -> Iterator[Change]:
        for call in view.calls("flask.send_from_directory"):
            # More arguments than folder and name have no equivalent in the helper.
            if len(call.args) == 2 and "send_found" not in view.bound:
                new = call.with_changes(func=cst.Name("send_found"))
                imports = ("import os", "from flask import abort", "from flask import send_file")
                yield Change(((call, new),), imports, (helper,))

    return find


(SENT,) = examples(
    """
=== sent_by_hand
  from flask import send_from_directory
+ import os
+ from flask import abort
+ from flask import send_file
+
+
+ <SENDING>

  def audio(name):
-     return send_from_directory("/srv", name)
+     return send_found("/srv", name)
""",
    SENDING=SENDING.replace("{name}", "name").replace("{refused}", ""),
)
