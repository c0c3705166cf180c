"""Joined branches: the path condition that holds after each, and which data came on a single branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from arena.tracks.exposure.flow.building import flows_of, join
from arena.tracks.exposure.flow.facts import UNKNOWN, Check, Flow, TaintSource, Value

PathCondition = tuple[Check, ...]
Names = Mapping[str, Value]
_MAX_ALTERNATIVES = 12
# Checks that go along with data of one branch; the latest are kept.
_MAX_KEPT = 20
# Data with so many checks is given no more of them, so that nothing grows with nesting.
_ENOUGH = 8
# How deep in nested lists data gets the checks of its branch.
_MAX_PARTS = 3


def disjunction(alternatives: list[PathCondition], line: int) -> PathCondition:
    """`x == a or x == b` is `x in (a, b)`, anything else "either"; nothing where an alternative is empty."""
    # An empty alternative holds always, and so then does the whole.
    if not alternatives or not all(alternatives):
        return ()
    return (
        alternatives[0]
        if len(alternatives) == 1
        else _as_membership(alternatives, line) or _as_alternatives(alternatives, line)
    )


def _as_membership(alternatives: list[PathCondition], line: int) -> PathCondition:
    allowed: list[Value] = []
    subject: Value | None = None
    for branch in alternatives:
        for check in branch:
            if check.holds and check.operator in ("==", "in") and check.left.flows:
                # Alternatives about different data are no list of allowed values.
                if subject is not None and subject.flows != check.left.flows:
                    return ()
                subject = check.left
                # `x in (a, b)` allows each item, `x == a` the right side itself.
                more = check.right.items if check.operator == "in" else None
                allowed.extend(more if more is not None else (check.right,))
                break
        else:
            return ()
    return (Check("in", subject, Value(items=tuple(allowed)), True, line),) if subject else ()


def _as_alternatives(alternatives: list[PathCondition], line: int) -> PathCondition:
    """Alternatives that are themselves an "either" are taken apart, so that nothing grows with nesting."""
    flat: list[PathCondition] = []
    for branch in alternatives:
        # The plain checks of a branch hold with each of its inner alternatives.
        plain = tuple(check for check in branch if not check.alternatives)
        # Only the first "either" is multiplied out; leaving out the others makes the condition weaker, never
        # wrong.
        inner = next((check.alternatives for check in branch if check.alternatives), ((),))
        flat.extend(plain + item for item in inner)
        # No condition at all is the cautious answer: nothing counts as checked.
        if len(flat) > _MAX_ALTERNATIVES or len(plain) > _MAX_ALTERNATIVES:
            return ()
    # Repetitions are left out by comparison, with the order kept.
    results = [branch for number, branch in enumerate(flat) if branch not in flat[:number]]
    if len(results) == 1:
        return results[0]
    return (Check("either", UNKNOWN, UNKNOWN, True, line, alternatives=tuple(results)),)


def join_conditions(
    first: PathCondition, second: PathCondition, first_names: Names, second_names: Names
) -> PathCondition:
    """What holds where two branches join: what holds on both, and what holds on either of data only there.

    names, second_names: the names at the end of each branch. After `if x not in good: x = "a"` it still holds
    that x's data is in `good`, since the branch without that check has replaced it.
    """
    both = tuple(check for check in first if check in second)
    one_sided = _only_there(first, first_names, second_names) + _only_there(
        second, second_names, first_names
    )
    return both + tuple(check for check in one_sided if check not in both)


def _only_there(checks: PathCondition, here: Names, there: Names) -> PathCondition:
    """Checks about data that is nowhere in the second branch, or was replaced there in a name that had it.

    What was only derived from that name's value, such as `parts = urlparse(url)`, may still be in others.
    """
    if not checks:
        return ()
    forms_by_source: dict[TaintSource, set[frozenset[str]]] = {}
    for flow in {flow for value in there.values() for flow in value.flows}:
        # What the data went through is kept, so that a copy in another form is seen below.
        forms_by_source.setdefault(flow.source, set()).add(flow.through)
    for flow in _replaced_flows(here, there):
        if not any(through <= flow.through for through in forms_by_source.get(flow.source, ())):
            forms_by_source.pop(flow.source, None)
    sources = forms_by_source.keys()
    return tuple(
        check for check in checks if (about := set(_sources(check))) and not about & sources
    )


def _replaced_flows(here: Names, there: Names) -> Iterator[Flow]:
    for name, value in here.items():
        second = there.get(name)
        # The very same object on both branches was assigned by neither.
        if value.flows and second is not None and second is not value:
            sources = {flow.source for flow in second.flows}
            yield from (flow for flow in value.flows if flow.source not in sources)


def _sources(check: Check) -> Iterator[TaintSource]:
    for value in (check.left, check.right, *(check.right.items or ())):
        yield from (flow.source for flow in value.flows)
    # An "either" has nothing on its sides: its data is in the alternatives.
    for branch in check.alternatives:
        for inner in branch:
            yield from _sources(inner)


def restrict_to_branch(value: Value, checks: PathCondition, branch: int) -> Value:
    """The value as it came on a branch: its data retains the facts of that branch.

    branch: a number of that branch alone, so that the same data from elsewhere stays apart.
    """
    # Checks of a loop's round hold for that round only.
    lasting = [check for check in checks[-_MAX_KEPT:] if not check.round] if value.flows else []
    by_name: dict[TaintSource, list[Check]] = {}
    for check in lasting:
        # dict.fromkeys instead of a set: the order of the checks stays the same each time.
        for source in dict.fromkeys(_sources(check)):
            by_name.setdefault(source, []).append(check)
    replaced = {
        flow: replace(
            flow, branch=branch, checks=(*flow.checks, *by_name[flow.source])[-_MAX_KEPT:]
        )
        for flow in value.flows
        # Data that no check is about gets no branch of its own either, which keeps the flows few.
        if flow.source in by_name and len(flow.checks) < _ENOUGH
    }
    return _with_flows(value, replaced, _MAX_PARTS)


def _with_flows(value: Value, replaced: Mapping[Flow, Flow], depth: int) -> Value:
    if not depth or value.flows.isdisjoint(replaced):
        return value
    return replace(
        value,
        flows=frozenset(replaced.get(flow, flow) for flow in value.flows),
        pieces=tuple(_with_flows(piece, replaced, depth - 1) for piece in value.pieces),
        items=value.items and tuple(_with_flows(item, replaced, depth - 1) for item in value.items),
        pairs=value.pairs
        and {key: _with_flows(pair, replaced, depth - 1) for key, pair in value.pairs.items()},
    )


def names_on_branch(
    here: Names, there: Names, checks: PathCondition, branch: int
) -> dict[str, Value]:
    """The names at the end of a branch: what it alone assigned to them came under these checks."""
    return {
        # Identity is enough: a name that the branch did not assign has the same object in both.
        name: value if there.get(name) is value else restrict_to_branch(value, checks, branch)
        for name, value in here.items()
    }


def narrow_value(value: Value, checks: Iterable[Check]) -> Value:
    """A value as far as these checks narrow it: the joined constants of a check that it is among them."""
    for check in checks:
        # Identity again: equal values of other names may be different data.
        if check.left is not value or not check.holds or check.operator not in ("in", "=="):
            continue
        items = check.right.items if check.operator == "in" else (check.right,)
        if items and all(item.exact for item in items) and not flows_of(items):
            return join(*items)
    return value
