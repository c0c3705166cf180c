"""Writes new names into a source and preserves its formatting."""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

TARGET = "target_module"


def rename_identifiers(source: str, names: Mapping[str, str]) -> str:
    """The source with its identifiers by `names`; docstrings and comments speak of the new ones too.

    Raises libcst's ParserSyntaxError, RecursionError.
    """
    if not names or not source.strip():
        return source
    module = cst.parse_module(source)
    return module.visit(_Rename(names)).code


class _Rename(cst.CSTTransformer):
    """Leaves alone what stands after a dot, keywords of calls and patterns, and foreign imports."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        mentioned_names = [name for name in names if "_" in name.strip("_")]
        self._words = (
            re.compile(rf"\b(?:{'|'.join(map(re.escape, mentioned_names))})\b")
            if mentioned_names
            else None
        )
        self._modules = {TARGET}

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        new = self._names.get(updated_node.value)
        return updated_node.with_changes(value=new) if new else updated_node

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        base = original_node.value
        # The one case where what stands before the dot is known: the tests' import of the program.
        if isinstance(base, cst.Name) and base.value in self._modules:
            return updated_node
        # `leave_Name` has also visited the attribute, and may have renamed it.
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_MatchKeywordElement(
        self, original_node: cst.MatchKeywordElement, updated_node: cst.MatchKeywordElement
    ) -> cst.MatchKeywordElement:
        return updated_node.with_changes(key=original_node.key)

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            if alias.evaluated_name == TARGET and alias.evaluated_alias:
                self._modules.add(alias.evaluated_alias)

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:
        return original_node

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom:
        module = original_node.module
        if isinstance(module, cst.Name) and module.value == TARGET:
            return updated_node.with_changes(module=module)
        return original_node

    def leave_Comment(self, original_node: cst.Comment, updated_node: cst.Comment) -> cst.Comment:
        return updated_node.with_changes(value=self._rename_words(updated_node.value))

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.Expr:
        value = updated_node.value
        if not isinstance(value, cst.SimpleString):
            return updated_node
        return updated_node.with_changes(
            value=value.with_changes(value=self._rename_words(value.value))
        )

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        """Texts such as `"target_module.find"`, by which tests replace parts of the program."""
        head, dot, rest = updated_node.value.partition(f"{TARGET}.")
        name = re.match(r"\w+", rest)
        # At most a prefix letter and the quote may stand before it: in longer texts it is prose.
        if not dot or len(head) > 2 or name is None or name[0] not in self._names:
            return updated_node
        value = f"{head}{dot}{self._names[name[0]]}{rest[name.end() :]}"
        return updated_node.with_changes(value=value)

    def _rename_words(self, text: str) -> str:
        if self._words is None:
            return text
        return self._words.sub(lambda match: self._names[match[0]], text)
