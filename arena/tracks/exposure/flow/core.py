"""The reader's state: frames, what was recorded so far, and the two tables that the language is read by."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.exposure.flow.facts import (
    UNKNOWN,
    Assignment,
    CallFact,
    Check,
    ComparisonFact,
    Return,
    Value,
)

# Expressions that are read in one program, calls of its functions counted each time.
MAX_STEPS = 60_000
# Checks of a path condition; the latest are kept.
MAX_CHECKS = 60
# Functions of the program that are followed into each other.
MAX_DEPTH = 6
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# How a block ends on every branch: "" it goes on, "skip" continue or break, "leave" return or raise.
Exit = str


class TooLong(Exception):
    """The budget of steps is used up."""


@dataclass(frozen=True)
class Truth:
    """What holds when a condition is true, and when it is false."""

    true: tuple[Check, ...] = ()
    false: tuple[Check, ...] = ()


@dataclass
class Function:
    """A function of the program, with the frame that it was defined in."""

    node: FunctionNode
    name: str
    path: str
    outer: Frame
    # The path of its class, "" for none.
    owner: str = ""


@dataclass
class Class:
    """A class of the program: its methods, its attributes, and the paths of its bases."""

    name: str
    path: str
    bases: frozenset[str]
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    # Attributes whose annotation lets no text through.
    plain: set[str] = field(default_factory=set)


@dataclass
class Exits:
    """The returns of a function: values, and the checks that hold at each."""

    values: list[Value] = field(default_factory=list)
    checks: list[tuple[Check, ...]] = field(default_factory=list)
    # Of each return: what holds if it is true or false, and whether it can be true, can be false.
    truths: list[tuple[Truth, bool, bool]] = field(default_factory=list)


@dataclass
class Frame:
    """A call of a function (or the module). `names` also holds dotted names, such as "self.path"."""

    function: str = ""
    entry: str = ""
    outer: Frame | None = None
    names: dict[str, Value] = field(default_factory=dict)
    # Of names that hold the outcome of a condition.
    truths: dict[str, Truth] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    handler: bool = False
    owner: str = ""
    depth: int = 0
    exits: Exits = field(default_factory=Exits)
    # How many of the checks are of its callers: they were made before it was called.
    checks_at_call: int = 0
    # First name -> the dotted names that begin with it.
    dotted: dict[str, set[str]] = field(default_factory=dict)
    # Names declared global or nonlocal.
    outer_names: set[str] = field(default_factory=set)

    def look(self, name: str) -> Value | None:
        frame: Frame | None = self
        while frame is not None:
            if (value := frame.names.get(name)) is not None:
                return value
            frame = frame.outer
        return None

    def truth(self, name: str) -> Truth | None:
        frame: Frame | None = self
        while frame is not None:
            # A nearer name hides the outer one, also where nothing is known of its truth.
            if name in frame.names:
                return frame.truths.get(name)
            frame = frame.outer
        return None

    def bind(self, name: str, value: Value, truth: Truth | None = None) -> None:
        frame = self
        if name in self.outer_names:
            while frame.outer is not None:
                frame = frame.outer
        frame.names[name] = value
        if truth is None:
            frame.truths.pop(name, None)
        else:
            frame.truths[name] = truth
        # After `self = ...` what was known of "self.path" is of another object.
        for dotted in frame.dotted.pop(name, ()):
            frame.names.pop(dotted, None)

    def bind_dotted(self, written: str, value: Value) -> None:
        """Bind such as "self.path", up to where its first name is bound anew; a plain name just so."""
        self.names[written] = value
        if "." in written:
            self.dotted.setdefault(written.partition(".")[0], set()).add(written)


@dataclass(frozen=True)
class FlowOption:
    """A declaration of an argument: its type, what it lists as choices, what it does."""

    type: Value
    choices: tuple[Value, ...]
    action: str

    @property
    def has_exact_choices(self) -> bool:
        return bool(self.choices) and all(choice.exact for choice in self.choices)


Evaluator = Callable[["FlowReader", ast.expr, Frame], Value]
Executor = Callable[["FlowReader", ast.stmt, Frame], Exit]


@dataclass
class FlowReader:
    """Reads a program by two tables: node type -> what an expression is worth, what a statement does."""

    evaluators: Mapping[type[ast.expr], Evaluator]
    executors: Mapping[type[ast.stmt], Executor]
    calls: list[CallFact] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    comparisons: list[ComparisonFact] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    star_imports: list[str] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    # Paths of functions that are being followed.
    active: list[str] = field(default_factory=list)
    # Functions that were called, and whether with anything but constants.
    called: dict[str, bool] = field(default_factory=dict)
    # Names of functions that are registered as handlers by a call.
    handlers: set[str] = field(default_factory=set)
    # Of calls of the program's functions, by their node's id: the last outcome.
    truths: dict[int, Truth] = field(default_factory=dict)
    checks_after: dict[int, tuple[Check, ...]] = field(default_factory=dict)
    # Arguments of the command line, by the name that they are kept under.
    options: dict[str, list[FlowOption]] = field(default_factory=dict)
    # What functions of the program made of such an argument; they are followed once.
    converted: dict[tuple[str, Value], Value] = field(default_factory=dict)
    steps: int = 0
    branches: int = 0

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Value:
        """The value of an expression, as far as the analysis derives it. Raises TooLong."""
        if node is None:
            return UNKNOWN
        self.steps += 1
        # Not by the clock: a program must be read equally far on every machine.
        if self.steps > MAX_STEPS:
            raise TooLong
        evaluator = self.evaluators.get(type(node))
        return evaluator(self, node, frame) if evaluator else UNKNOWN

    def execute(self, statements: list[ast.stmt], frame: Frame) -> Exit:
        """Read statements in order, up to a statement that leaves. Raises TooLong."""
        for statement in statements:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise TooLong
            executor = self.executors.get(type(statement))
            ended = executor(self, statement, frame) if executor else ""
            if ended:
                return ended
        return ""

    def snapshot(self, frame: Frame) -> tuple[dict[str, Value], dict[str, Truth]]:
        """A frame's names, to come back to. Many names cost more, so that time stays bounded."""
        self.steps += len(frame.names) // 32
        return dict(frame.names), dict(frame.truths)

    def new_branch(self) -> int:
        """A number that no earlier branch has."""
        self.branches += 1
        return self.branches

    def mark(self, frame: Frame) -> tuple[int, ...]:
        """The lengths of all records so far."""
        return tuple(len(record) for record in self._records(frame))

    def forget(self, frame: Frame, marks: tuple[int, ...]) -> None:
        """Take back what was recorded since."""
        for record, length in zip(self._records(frame), marks, strict=True):
            del record[length:]

    def _records(self, frame: Frame) -> tuple[list[Any], ...]:
        exits = frame.exits
        return (
            self.calls,
            self.returns,
            self.comparisons,
            self.assignments,
            exits.values,
            exits.checks,
            exits.truths,
        )
