"""What the analysis of a program gives. All of it is about what could happen on some path through the
program."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Constant = str | bytes | int | float | bool | None
SourceKind = Literal["request", "route", "input", "argv", "network", "parameter", "file", "env"]
# Sources whose data an attacker can choose. A parameter counts where the program itself never says what it
# will be.
UNTRUSTED: frozenset[SourceKind] = frozenset(
    ("request", "route", "input", "argv", "network", "parameter")
)


@dataclass(frozen=True, slots=True)
class TaintSource:
    """Where data comes in: `name` as it is written, such as "request.args.get('host')".

    request: of a web request. route: an argument of a handler, filled from the path. parameter: of a function
    that nothing in the program calls, or calls with constants alone. file: what was read from a file, or an
    archive. env: the environment. Two of the same kind and name are the same source, wherever they stand.
    """

    kind: SourceKind
    name: str
    # The same field of a request is the same data, wherever it is read.
    line: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Flow:
    """Tainted data: of which source, and what it went through on the way to here.

    through: functions by their path ("html.escape", "?clean" for a function without definition), methods and
    attributes by their name (".strip", ".netloc").
    checks: the path condition of the only branch on which this data came here, where another brought none of
    it: `if h in ALLOWED: c = "ping " + h`, `else: c = ""`. branch: distinguishes such branches, 0 for none.
    """

    source: TaintSource
    through: frozenset[str] = frozenset()
    branch: int = 0
    checks: tuple[Check, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Value:
    """What the analysis derives about an expression's value.

    constants: what it can be, as far as derived. exact: it can be nothing else than `constants`.
    paths: how it was come by, with import aliases resolved: "flask.request.args.get()", "os.system",
        "tarfile.open()[]"; a parameter of unknown value is "$name", a name that nothing defines "?name",
        a function or class of the program "<name>", an instance "<Class>()".
    flows: sources that it holds data of.
    pieces: of text that was put together (+, %, format, f-string, join): its parts in order, constant or not.
    items: of a list, tuple or set. pairs: of a dict, by key; None is a key that is not constant.
    """

    constants: frozenset[Constant] = frozenset()
    exact: bool = False
    paths: frozenset[str] = frozenset()
    flows: frozenset[Flow] = frozenset()
    pieces: tuple[Value, ...] = ()
    items: tuple[Value, ...] | None = None
    pairs: Mapping[Constant, Value] | None = field(default=None, hash=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """The constants that are text, sorted."""
        return tuple(sorted(constant for constant in self.constants if isinstance(constant, str)))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The constants that are whole numbers, sorted."""
        return tuple(
            sorted(
                constant
                for constant in self.constants
                if isinstance(constant, int) and not isinstance(constant, bool)
            )
        )

    @property
    def untrusted_flows(self) -> tuple[Flow, ...]:
        """Flows from sources that an attacker can choose, by line."""
        results = (flow for flow in self.flows if flow.source.kind in UNTRUSTED)
        # A set has no order, and the first flow is named in a finding.
        return tuple(sorted(results, key=lambda flow: (flow.source.line, flow.source.name)))

    def is_(self, *paths: str) -> bool:
        """Whether it can be any of these paths."""
        return not self.paths.isdisjoint(paths)

    def ends(self, *suffixes: str) -> bool:
        """Whether any of its paths ends so: ends(".execute")."""
        return any(path.endswith(suffixes) for path in self.paths)


UNKNOWN = Value()


@dataclass(frozen=True, slots=True)
class Check:
    """A part of a path condition: it is certain to hold (or, where not `holds`, not to hold).

    operator: "call" for a condition that is a call (`name` its paths, `left` its receiver or UNKNOWN,
        `right` its arguments as items, and keywords); "returned" for such a call that came back without
        raising; "truth" for a bare value; of a comparison "==", "in", "is", "<", "<=", ">", ">=" (the
        negative forms are these with `holds` turned round; == of a value joined by `or` is a single "in");
        "either" for any of several `alternatives`.
    """

    operator: str
    left: Value
    right: Value
    holds: bool
    line: int
    name: frozenset[str] = frozenset()
    keywords: Mapping[str, Value] = field(default_factory=dict, hash=False)
    # It holds only to the end of this round of a loop.
    round: bool = False
    # Of "either": what holds each time, one of which is the case. None of them is an "either" itself.
    alternatives: tuple[tuple[Check, ...], ...] = field(default=(), hash=False)

    def about(self, value: Value) -> bool:
        """Whether it looks at data of a source that is also in that value."""
        sources = {flow.source for flow in value.flows}
        sides = [self.left, self.right, *(self.right.items or ())]
        return any(flow.source in sources for side in sides for flow in side.flows)


@dataclass(frozen=True, slots=True)
class CallFact:
    """A call that can happen. `paths`: what is called. `receiver`: before the last dot, or UNKNOWN.

    checks: its path condition, what is certain to hold when it happens. function: the function of the program
    that it stands in, "" outside. entry: the function that the reading began with, "" for the module. result:
    what it gives.
    """

    node: ast.Call
    paths: frozenset[str]
    receiver: Value
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]
    checks: tuple[Check, ...]
    function: str
    entry: str
    line: int
    result: Value

    def is_(self, *paths: str) -> bool:
        return not self.paths.isdisjoint(paths)

    def ends(self, *suffixes: str) -> bool:
        return any(path.endswith(suffixes) for path in self.paths)

    @property
    def display_name(self) -> str:
        """As people know it: pymysql.connect()."""
        return f"{min(self.paths, key=len, default='a call')[:80].lstrip('?$')}()"

    def argument(self, position: int, *keywords: str) -> Value | None:
        """The argument at that position or with any of these names, or None."""
        for keyword in keywords:
            if keyword in self.keywords:
                return self.keywords[keyword]
        return self.arguments[position] if 0 <= position < len(self.arguments) else None

    @property
    def values(self) -> Iterator[Value]:
        yield from self.arguments
        yield from self.keywords.values()


@dataclass(frozen=True, slots=True)
class Return:
    """What a function of the program gives back; where it is a web `handler`, this is a response."""

    value: Value
    handler: bool
    checks: tuple[Check, ...]
    function: str
    line: int


@dataclass(frozen=True, slots=True)
class ComparisonFact:
    """A comparison anywhere, with the operators of `Check`; `negative` for !=, not in, is not."""

    operator: str
    negative: bool
    left: Value
    right: Value
    left_node: ast.expr
    right_node: ast.expr
    function: str
    line: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """A name, an attribute ("self.password") or a constant key ("config['password']") gets a value."""

    target: str
    value: Value
    function: str
    line: int
    # What is known to hold when it happens.
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class ProgramFacts:
    """All facts of a program, in the order in which it was read; `tree` is the program itself.

    A call that can be reached on several paths stands here once for each.
    """

    tree: ast.Module
    source: str
    calls: tuple[CallFact, ...]
    returns: tuple[Return, ...]
    comparisons: tuple[ComparisonFact, ...]
    assignments: tuple[Assignment, ...]
    # Dotted paths of what is imported: {"flask.Flask", "os"}.
    imports: frozenset[str]
    # The program was too large to be read to its end.
    cut: bool = False

    def calls_of(self, *paths: str) -> Iterator[CallFact]:
        """Calls of these paths."""
        return (call for call in self.calls if call.is_(*paths))

    def calls_ending_with(self, *suffixes: str) -> Iterator[CallFact]:
        """Calls whose path ends so."""
        return (call for call in self.calls if call.ends(*suffixes))


class NotPython(ValueError):
    """A text that does not compile; the message is a single line, `line` is where."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line
