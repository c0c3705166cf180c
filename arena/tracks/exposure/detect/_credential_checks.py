"""Comparisons of what somebody enters: is it compared with a literal of the program?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from arena.tracks.exposure.detect._detector import Finding, safe, vulnerable
from arena.tracks.exposure.detect._literals import literal
from arena.tracks.exposure.detect._secrets import (
    is_password,
    is_secret,
    is_user,
    names_of,
    names_of_expression,
)
from arena.tracks.exposure.flow.facts import UNKNOWN, CallFact, ProgramFacts, Value

DIGESTS = re.compile(
    r"hashlib\.|hmac\.(?:new|digest)|bcrypt\.hashpw|crypt\.crypt|(?:Crypto|Cryptodome)\.Hash\.|md5\."
    r"|sha\."
    r"|werkzeug\.security\.generate_password_hash|django\.contrib\.auth\.hashers\.make_password"
    r"|passlib\."
)
_REFUSED = re.compile(
    r"common|weak|black|block|forbidden|banned|breach|deny|denied|disallow|reject|leaked|pwned|bad_"
    r"|top_?\d"
)
_STORE = re.compile(r"user|account|credential|moderator|login|admin|(?:^|_)mods?(?:$|_)|member")
# What comes from a database is nobody's guess: a literal beside it is an example's, handed in by a call.
_FETCHED = re.compile(r"\.(?:fetch\w*|first|one|one_or_none|scalar\w*|find_one|get_or_none)\(\)")
_COMPARING = ("hmac.compare_digest", "secrets.compare_digest", "operator.eq", "str.__eq__")
# Pairs that are looked at: more than any program of a person has.
_MAX_PAIRS = 20_000
# A single character is compared where a password's strength is looked at.
_SHORTEST = 2


@dataclass(frozen=True)
class Side:
    """A side of a comparison, with all names that it goes by."""

    value: Value
    node: ast.expr | None
    names: tuple[str, ...]

    @property
    def is_password(self) -> bool:
        return any(map(is_password, self.names))

    @property
    def is_entered(self) -> bool:
        return bool(self.value.untrusted_flows)

    @property
    def speaks_of_secret(self) -> bool:
        return any(map(is_secret, self.names))

    @property
    def is_secret(self) -> bool:
        return self.is_password or (self.is_entered and self.speaks_of_secret)

    @property
    def is_store(self) -> bool:
        """Whether it is looked up in a collection of users."""
        node = self.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            looked_up = node.func.attr == "get"
            return looked_up and any(
                map(_STORE.search, map(str.lower, names_of_expression(node.func.value)))
            )
        # A constant key reads one field; users are looked up by what somebody entered.
        in_store = isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant)
        return in_store and any(map(_STORE.search, map(str.lower, names_of_expression(node))))


@dataclass(frozen=True)
class CredentialPair:
    """Two sides that are compared for being the same."""

    left: Side
    right: Side
    line: int


class Comparisons:
    """All comparisons of a program, element by element."""

    def __init__(self, facts: ProgramFacts) -> None:
        self._chosen = chosen_elsewhere(facts)
        self._hashes = any(hashes_password(call) for call in facts.calls)
        self._pairs = tuple(islice(self._all(facts), _MAX_PAIRS))

    def findings(self) -> Iterator[Finding]:
        for pair in self._pairs:
            # The literal may stand on either side.
            known_side, asked_side = pair.right, pair.left
            for first, second in ((known_side, asked_side), (asked_side, known_side)):
                literal_text = self._literal(first, second)
                if literal_text is not None:
                    yield vulnerable(pair.line, f"{_side_name(second)} is compared with a literal")
                    break
            if any(
                item.is_secret or any(map(is_user, item.names)) for item in (asked_side, known_side)
            ):
                yield safe(
                    pair.line, f"{_side_name(asked_side)} is compared with no literal password"
                )

    def _literal(self, known_side: Side, asked_side: Side) -> str | None:
        """The literal that is compared with a password, or None."""
        text = literal(known_side.value)
        # Two constants that are compared ask nobody.
        if text is None or len(text) < _SHORTEST or asked_side.value.exact:
            return None
        # The same expression holds what a person entered when the function is called from elsewhere.
        example = not known_side.value.flows and id(known_side.node) in self._chosen
        if (
            example
            or any(map(_FETCHED.search, asked_side.value.paths))
            or _is_set(asked_side.value)
        ):
            return None
        # A digest has no name of a password; it counts where the program hashes passwords.
        hashed = self._hashes and any(map(DIGESTS.match, asked_side.value.paths))
        is_entered_secret = asked_side.is_entered and known_side.speaks_of_secret
        speaks = (
            asked_side.is_secret
            or known_side.is_password
            or known_side.is_store
            or hashed
            or is_entered_secret
        )
        return text if speaks else None

    def _all(self, facts: ProgramFacts) -> Iterator[CredentialPair]:
        for comparison in facts.comparisons:
            left, right = (
                (comparison.left_node, comparison.left),
                (comparison.right_node, comparison.right),
            )
            if comparison.operator == "==":
                yield from self._same(*left, *right, comparison.line)
            elif comparison.operator == "in":
                # A list of passwords that are too common is not a list of those that open a door.
                refused = _is_refused(comparison.right_node)
                for item in (UNKNOWN,) if refused else comparison.right.items or (UNKNOWN,):
                    yield from self._same(*left, None, item, comparison.line)
        for call in facts.calls:
            # Equal lengths: with `*args` the nodes and the values would not belong together.
            if call.is_(*_COMPARING) and len(call.arguments) == len(call.node.args) == 2:
                left, right = zip(call.node.args, call.arguments, strict=True)
                yield from self._same(*left, *right, call.line)

    def _same(
        self, left_node: ast.expr | None, left: Value, right_node: ast.expr | None, right: Value, line: int
    ) -> Iterator[CredentialPair]:  # fmt: skip
        lefts, rights = _parts(left_node, left), _parts(right_node, right)
        # Tuples of different lengths are never equal.
        if len(lefts) == len(rights):
            for first, second in zip(lefts, rights, strict=True):
                yield CredentialPair(first, second, line)


def _is_set(value: Value) -> bool:
    """Whether it is a setting of the environment: to look at that asks nobody for a password."""
    return bool(value.flows) and all(flow.source.kind == "env" for flow in value.flows)


def _is_refused(node: ast.expr) -> bool:
    """Whether a collection is a list of passwords that nobody may have."""
    return any(_REFUSED.search(name.lower()) for name in names_of_expression(node))


def _parts(node: ast.expr | None, value: Value) -> list[Side]:
    """A tuple's or dict's elements, or the value itself."""
    if value.items is not None:
        nodes: list[ast.expr | None] = [None] * len(value.items)
        if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(value.items):
            nodes = list(node.elts)
        return [_side(*item) for item in zip(nodes, value.items, strict=True)]
    if value.pairs is not None:
        # Sorted by key below, so that two dicts are compared field by field.
        chosen = {key: pair for key, pair in value.pairs.items() if isinstance(key, str)}
        # In a dict the key is the name that the value goes by.
        return [Side(chosen[key], None, (key,)) for key in sorted(chosen)]
    return [_side(node, value)]


def _side(node: ast.expr | None, value: Value) -> Side:
    return Side(value, node, names_of(value, node))


def chosen_elsewhere(facts: ProgramFacts) -> frozenset[int]:
    """Expressions that hold untrusted data in a reading, though in another reading only an example's."""
    together = [
        *((comparison.left_node, comparison.left) for comparison in facts.comparisons),
        *((comparison.right_node, comparison.right) for comparison in facts.comparisons),
        *(
            pair
            for call in facts.calls
            for pair in zip(call.node.args, call.arguments, strict=False)
        ),
    ]
    # A copy: the list grows by the elements of its tuples meanwhile.
    for node, value in tuple(together):
        if isinstance(node, ast.Tuple | ast.List):
            together.extend(zip(node.elts, value.items or (), strict=False))
    return frozenset(
        id(node) for node, value in together if value.untrusted_flows and not value.constants
    )


def hashes_password(call: CallFact) -> bool:
    """Whether a call computes the digest of a password."""
    if not any(map(DIGESTS.match, call.paths)):
        return False
    nodes = dict(enumerate(call.node.args))
    return any(
        any(map(is_password, names_of(value, nodes.get(number))))
        for number, value in enumerate(call.arguments)
    )


def _side_name(side: Side) -> str:
    flows = side.value.untrusted_flows
    if flows:
        return flows[0].source.name
    return ast.unparse(side.node)[:80] if side.node is not None else "a password"


def patterns(facts: ProgramFacts) -> Iterator[Finding]:
    """Findings for `match` statements with a case that compares a password with a literal."""
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.Match):
            for case in node.cases:
                if _asks(node.subject, case.pattern):
                    yield vulnerable(
                        case.pattern.lineno, "a case compares a password with a literal"
                    )


def _asks(subject: ast.expr | None, pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchValue):
        value = pattern.value
        text = isinstance(value, ast.Constant) and bool(value.value)
        return text and any(map(is_password, names_of_expression(subject)))
    if isinstance(pattern, ast.MatchSequence):
        parts = subject.elts if isinstance(subject, ast.Tuple | ast.List) else []
        return any(_asks(part, inner) for part, inner in zip(parts, pattern.patterns, strict=False))
    if isinstance(pattern, ast.MatchMapping):
        return any(
            # The key of a mapping stands for the name of what is compared.
            _asks(ast.Name(key.value), inner)
            for key, inner in zip(pattern.keys, pattern.patterns, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        )
    # Any other pattern binds a name or tests a class and compares with no literal.
    inner_patterns = pattern.patterns if isinstance(pattern, ast.MatchOr) else []
    return any(_asks(subject, inner) for inner in inner_patterns)
