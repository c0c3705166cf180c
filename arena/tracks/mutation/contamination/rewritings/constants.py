"""Numbers that stand in functions get a name at the top of the module."""

from __future__ import annotations

import libcst as cst

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    Rewriting,
    RewritingExample,
    fresh,
    header_end,
    line,
    names_in,
)

MAX_NAMED = 3
SMALL = frozenset(("0", "1", "2"))


class _Numbers(cst.CSTTransformer):
    """Replaces whole numbers above 2 inside functions, each number by a module-level name."""

    def __init__(self, taken: set[str]) -> None:
        self.named: dict[str, str] = {}
        self._taken = taken
        self._depth = 0

    def visit_FunctionDef_body(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_FunctionDef_body(self, node: cst.FunctionDef) -> None:
        self._depth -= 1

    def visit_MatchCase_pattern(self, node: cst.MatchCase) -> None:
        self._depth -= 1_000  # a name in a pattern would capture

    def leave_MatchCase_pattern(self, node: cst.MatchCase) -> None:
        self._depth += 1_000

    def leave_Integer(
        self, original_node: cst.Integer, updated_node: cst.Integer
    ) -> cst.BaseExpression:
        value = updated_node.value
        if self._depth <= 0 or value in SMALL:
            return updated_node
        if value not in self.named:
            if len(self.named) >= MAX_NAMED:
                return updated_node
            self.named[value] = fresh("_NUMBER", self._taken)
        return cst.Name(self.named[value], lpar=updated_node.lpar, rpar=updated_node.rpar)


def _hoist(module: cst.Module) -> cst.Module:
    numbers = _Numbers(names_in(module))
    changed = module.visit(numbers)
    at = header_end(changed)
    assignments = [line(f"{name} = {value}") for value, name in numbers.named.items()]
    return changed.with_changes(body=[*changed.body[:at], *assignments, *changed.body[at:]])


PLUGIN = Rewriting(
    "numbers become constants of the module",
    _hoist,
    (
        RewritingExample(
            '"""Doc."""\nimport a\n\ndef f(x=7):\n    return g(x, 30) + 30 + 0o600\n',
            '"""Doc."""\nimport a\n_NUMBER_1 = 30\n_NUMBER_2 = 0o600\n\ndef f(x=7):\n'
            "    return g(x, _NUMBER_1) + _NUMBER_1 + _NUMBER_2\n",
        ),
        RewritingExample("LIMIT = 30\n\ndef f(x):\n    return x + 1\n", ""),
        RewritingExample("def f(x):\n    match x:\n        case 30:\n            return 1\n", ""),
    ),
)
