"""What a mode of a file lets group and others do: numbers, bits of `stat`, words of chmod."""

from __future__ import annotations

import ast
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from arena.tracks.exposure.detect._tainted import NOT_SEEN
from arena.tracks.exposure.flow.facts import Value

OTHERS = 0o077
_ANY = 0o7777
# What a plain new file has where the umask is the usual 022.
_BEFORE = {"u": 6, "g": 4, "o": 4}
_BITS = {"r": 4, "w": 2, "x": 1, "X": 1}
_CLAUSE = re.compile(r"(?P<who>[ugoa]*)(?P<change>[-+=])(?P<bits>[rwxXst]*)")
_MAX_DEPTH = 8
_MAX_CHANGES = 4

Changes = Mapping[str, list[ast.Assign | ast.AugAssign]]


@dataclass(frozen=True)
class Mode:
    """others: whether anybody but the owner may do anything. shown: for people."""

    others: bool
    shown: str


def mode_of_number(number: int) -> Mode:
    return Mode(bool(number & OTHERS), f"0o{number & _ANY:03o}")


def changes_of(tree: ast.Module) -> Changes:
    """Assignments of each name in a program, in the order of their lines, only a few of each."""
    result: dict[str, list[ast.Assign | ast.AugAssign]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    result.setdefault(target.id, []).append(node)
    return {
        name: sorted(every, key=lambda item: item.lineno)[:_MAX_CHANGES]
        for name, every in result.items()
    }


def widest_mode(value: Value, node: ast.expr | None, changes: Changes) -> Mode:
    """The widest mode that a value can be; the result for an unknown mode says that it is unknown."""
    if value.numbers:
        # The widest of those that it can be: one that lets others in is enough.
        return mode_of_number(max(value.numbers, key=lambda number: number & OTHERS))
    bits = _possible(node, changes, 0) if node is not None else None
    return (
        Mode(False, f"the mode that it is given {NOT_SEEN}")
        if bits is None
        else mode_of_number(bits)
    )


def _possible(node: ast.expr, changes: Changes, depth: int) -> int | None:
    """The bits that an expression may have set, None where it is no expression of bits."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.Name | ast.Attribute):
        return _bits_of_name(node, changes, depth)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        inner = _possible(node.operand, changes, depth + 1)
        return None if inner is None else ~inner & _ANY
    if isinstance(node, ast.BinOp):
        left, right = (_possible(item, changes, depth + 1) for item in (node.left, node.right))
        # What is unknown may have every bit.
        sides = (_ANY if left is None else left, _ANY if right is None else right)
        return sides[0] & sides[1] if isinstance(node.op, ast.BitAnd) else sides[0] | sides[1]
    return None


def _bits_of_name(node: ast.Name | ast.Attribute, changes: Changes, depth: int) -> int | None:
    name = node.id if isinstance(node, ast.Name) else node.attr
    if name.startswith("S_I"):
        mode_bits = getattr(stat, name, None)
        return mode_bits if isinstance(mode_bits, int) else None
    if isinstance(node, ast.Attribute):
        return None
    result: int | None = None
    for change in changes.get(name, ()):
        bits = _possible(change.value, changes, depth + 4) if change.value is not None else None
        if (
            isinstance(change, ast.AugAssign)
            and isinstance(change.op, ast.BitAnd)
            and bits is not None
        ):
            # `mode &= ~0o077` takes bits away; other assignments add to what it may be.
            result = (_ANY if result is None else result) & bits
        elif bits is not None:
            result = bits | (result or 0)
    return result


def mode_of_command(command: Value) -> Mode | None:
    """The mode that a command line of chmod or icacls gives, None for another command."""
    words = _words(command)
    if any(word.rpartition("\\")[2].lower() in ("icacls", "icacls.exe", "cacls") for word in words):
        alone = any(word.lower() in ("/inheritance:r", "/inheritancelevel:r") for word in words)
        message = (
            "inherited rights are removed" if alone else f"what the access list says {NOT_SEEN}"
        )
        return Mode(False, message)
    names = [word.rpartition("/")[2] for word in words]
    if "chmod" not in names:
        return None
    rest = [word for word in words[names.index("chmod") + 1 :] if not _is_option(word)]
    return mode_of_word(rest[0]) if rest else None


def _is_option(word: str) -> bool:
    return word.startswith("--") or word in ("-R", "-v", "-f", "-c")


def _words(command: Value) -> list[str]:
    if command.items is not None:
        return [word for item in command.items for word in (item.texts[:1] or ("?",))]
    pieces = command.pieces or (command,)
    return "".join((piece.texts[:1] or ("?",))[0] for piece in pieces).split()


def mode_of_word(word: str) -> Mode | None:
    """A mode as chmod takes it: "600", "u=rw,go=". Symbolic ones change what a plain new file has."""
    word = word.strip("'\"")
    if re.fullmatch(r"[0-7]{1,5}", word):
        return mode_of_number(int(word, 8))
    bits = dict(_BEFORE)
    for clause in word.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            return None
        bits_given = sum({_BITS[item] for item in match["bits"] if item in _BITS})
        for who in "ugo" if not match["who"] or "a" in match["who"] else match["who"]:
            bits[who] = {
                "+": bits[who] | bits_given,
                "-": bits[who] & ~bits_given,
                "=": bits_given,
            }[match["change"]]
    return mode_of_number(bits["u"] << 6 | bits["g"] << 3 | bits["o"])
