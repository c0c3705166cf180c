"""Which untrusted data reaches a sink tainted: through no sanitizer, and guarded by no check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from arena.tracks.exposure.flow.facts import Check, Flow, Value

# What leaves a value the text that it was, as far as a check of it says something of the rest.
_SAME_TEXT = frozenset(
    (".strip", ".lstrip", ".rstrip", ".lower", ".upper", ".casefold", ".encode", ".decode", ".title",
     "str", "bytes", "unicode", "repr", "next", "iter", "await", ".get", "[]", ".getlist")
)  # fmt: skip
_NUMBERS = frozenset(
    ("int", "float", "complex", "decimal.Decimal", "uuid.UUID", "ipaddress.ip_address")
)
_DIGITS = (".isdigit", ".isdecimal", ".isnumeric")

# Why data is harmless that neither a sanitizer nor a check holds.
NOT_TOLD = "what could do harm is taken out of untrusted data"
# Part of each reason that rests on what the program does not define: the verdict is then unknown.
NOT_SEEN = "is not seen"
Sanitizes = Callable[[str], bool]


def matching(pattern: str) -> Sanitizes:
    """Sanitizers as a single pattern of their whole paths."""
    compiled = re.compile(pattern)
    return lambda path: compiled.fullmatch(path) is not None


def cleared_by(
    value: Value | None,
    checks: Iterable[Check],
    sanitizes: Sanitizes,
    guards: Callable[[Check, Flow], bool],
) -> str | None:
    """What keeps the first untrusted data of a value harmless, for people; None where it holds none."""
    checks_known = tuple(checks)
    for flow in value.untrusted_flows if value is not None else ():
        name = flow.source.name
        step = next((item for item in sorted(flow.through) if sanitizes(item)), None)
        if step is not None:
            return went_through(name, step)
        for check in (*checks_known, *flow.checks):
            if _is_guarded(check, flow, guards):
                return f"{name} is checked in line {check.line}"
        return NOT_TOLD
    return None


# Functions that the program does not define, and that say by their names that they look at data.
_ASKING = re.compile(
    r"(?:\?|[?$<].*[.>])_*(?:\w+_)?(?:safe|valid\w*|allow\w*|check\w*|clean\w*|inside|within|secure\w*|permit\w*|trust\w*"
    r"|verif\w*|sanit\w*|escap\w*|restrict\w*|forbid\w*|ensure|assert)(?:_\w+)?",
    re.IGNORECASE,
)


def asked_unseen(flow: Flow, checks: Iterable[Check]) -> str | None:
    """Why data may be harmless: a function without a definition here checked it, or returned it."""
    for step in sorted(flow.through):
        if step.startswith("?") and _ASKING.fullmatch(step):
            return went_through(flow.source.name, step)
    for check in (*checks, *flow.checks):
        named = [name for name in sorted(check.name) if _ASKING.fullmatch(name)]
        if named and check.about(Value(flows=frozenset((flow,)))):
            shown = named[0].lstrip("?$")
            return f"{flow.source.name} is looked at by {shown}(), and what that does {NOT_SEEN}"
    return None


def went_through(name: str, step: str) -> str:
    """Why data is harmless after a step, for people; an undefined function is reported as not visible."""
    shown = step.lstrip(".?")
    if step.startswith("?"):
        return f"{name} went through {shown}(), and what that does {NOT_SEEN}"
    return f"{name} went through {shown}()"


def tainted_flows(
    value: Value,
    checks: Iterable[Check],
    sanitizes: Sanitizes,
    guards: Callable[[Check, Flow], bool],
) -> Iterator[Flow]:
    """Untrusted flows of a value that went through no sanitizer, and that no check guards."""
    checks_known = tuple(checks)
    for flow in value.untrusted_flows:
        if any(sanitizes(step) for step in flow.through):
            continue
        if not any(_is_guarded(check, flow, guards) for check in (*checks_known, *flow.checks)):
            yield flow


def _is_guarded(check: Check, flow: Flow, guards: Callable[[Check, Flow], bool]) -> bool:
    """Whether a check guards a flow; alternatives do where each of them does."""
    if check.alternatives:
        # One branch that asks nothing lets everything through.
        return all(any(guards(item, flow) for item in branch) for branch in check.alternatives)
    return guards(check, flow)


def holds_all(side: Value, flow: Flow) -> bool:
    """Whether a side of a check is the data of that flow itself, not a part or a property of it."""
    return any(
        item.source == flow.source and item.through - flow.through <= _SAME_TEXT
        for item in side.flows
    )


def is_number(check: Check, flow: Flow) -> bool:
    """Whether a check ensures that the data is a number, an identifier of digits or the like."""
    arguments = check.right.items or ()
    if check.operator == "returned" and check.name & _NUMBERS:
        return bool(arguments) and holds_all(arguments[0], flow)
    if check.operator != "call" or not check.holds:
        return False
    if any(name.endswith(_DIGITS) for name in check.name):
        return holds_all(check.left, flow)
    if "isinstance" in check.name and len(arguments) == 2:
        kinds = arguments[1].items or (arguments[1],)
        return holds_all(arguments[0], flow) and all(kind.paths & _NUMBERS for kind in kinds)
    return False


def is_listed(check: Check, flow: Flow) -> bool:
    """Whether a check ensures that the data is among values that the program itself chose.

    `data in "text"` is no such check: a part of the text passes it.
    """
    if not check.holds or check.operator not in ("in", "=="):
        return False
    left, right = check.left, check.right
    if check.operator == "==" and holds_all(right, flow):
        left, right = right, left
    if not holds_all(left, flow) or right.untrusted_flows:
        return False
    # `x in "abc"` is true for each part of the text.
    return check.operator == "==" or not right.texts
