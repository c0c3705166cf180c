"""SecMutBench's original classifier: a kill is judged by the words of the failing test's error.

Layers, order and tables are those of its replication package (version 2.8, `classify_kill`); the tables
that differ by operator stand with the operators (`Operator.paper`). A single point differs: addresses such as
0x7f0512a01777 are blanked first, since there the original finds "512" and "777" in some runs only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from arena.tracks.mutation.classify import Category, Kill
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.operators._operator import Paper
from arena.tracks.mutation.runner.facts import RunResult, Stopped, TestOutcome

MAX_ERROR = 20_000

# SecMutBench: kinds of errors that are crashes wherever an error's text names them.
CRASHES = (
    "ImportError",
    "TypeError",
    "NameError",
    "SyntaxError",
    "AttributeError",
    "IndentationError",
    "ModuleNotFoundError",
    "RecursionError",
    "MemoryError",
    "OverflowError",
    "UnicodeDecodeError",
)

# SecMutBench: signs, in lower case, that code was not even run.
CRASH_SIGNS = (
    "failed to execute target code",
    "failed to parse test code",
    "unterminated string",
    "f-string:",
    "invalid syntax",
    "unexpected eof",
    "expected ':'",
    "expected ')'",
    "expected '}'",
    "error collecting",
    "errors ===",
    "importtestmodule",
    "_gcd_import",
    "_find_and_load",
    "_load_unlocked",
    "frozen importlib",
    "unexpected indent",
    "unindent does not match",
)

# SecMutBench: terms of security that count for every operator.
GENERIC_TERMS = (
    "inject",
    "malicious",
    "attack",
    "vulnerability",
    "secure",
    "unsafe",
    "dangerous",
    "tainted",
    "exploit",
    "bypass",
    "unauthorized",
)

# Kinds of errors of a module that could be imported, and gave no test to run.
NOTHING_RAN = ("", "NoTests", "Skipped")

ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")


def original_text(test: TestOutcome) -> str:
    """The error as the original writes it: "Assertion failed: text", or "Type: text"; "" when it passed."""
    text = ADDRESS.sub("0x", test.error[:MAX_ERROR])
    if test.kind != "AssertionError":
        return text
    return "Assertion failed: " + text.removeprefix("AssertionError").removeprefix(":").lstrip(" ")


def errors(run: RunResult) -> Iterable[tuple[str, Mapping[str, frozenset[str]]]]:
    """(error, state that was read) of each failing test, and of a run that the original could not finish.

    A module that cannot be collected shows there as pytest's output, which names the collecting; a run that
    died or took too long leaves no test's error at all.
    """
    if run.stopped is Stopped.UNCOLLECTED:
        nothing = run.error.partition(":")[0] in NOTHING_RAN
        yield ("no tests ran" if nothing else f"error collecting: {run.error}"), {}
    elif run.stopped is not Stopped.FINISHED:
        yield f"{run.stopped}: no outcome", {}
    else:
        for test in run.failing():
            yield original_text(test), _read(test)


def _read(test: TestOutcome) -> dict[str, frozenset[str]]:
    attributes_read: dict[str, set[str]] = {}
    for look in test.reads:
        attributes_read.setdefault(look.area, set()).add(look.attribute)
    return {area: frozenset(attributes) for area, attributes in attributes_read.items()}


def classify_error(
    error: str, paper: Paper, read: Mapping[str, frozenset[str]]
) -> tuple[Category, str]:
    """Category and layer of an error in the original's form; `paper` is the operator's knowledge."""
    if not error:
        return Category.UNCLASSIFIED, "no error"
    lower = error.lower()
    # Kept as the original has it: a word such as "TypeError" counts wherever it stands, in a message too.
    if sign := _first(CRASHES, error) or _first(CRASH_SIGNS, lower):
        return Category.CRASH, f"crash: {sign}"
    if "did not raise" in lower:
        return Category.FUNCTIONAL, "an expected exception was not raised"
    if "Assertion failed" not in error and "AssertionError" not in error:
        return Category.UNCLASSIFIED, "neither an assertion nor a crash"
    if layer := _awareness(lower, paper, read):
        return Category.SEMANTIC, layer
    return Category.INCIDENTAL, "an assertion without a sign of security"


def _awareness(lower: str, paper: Paper, read: Mapping[str, frozenset[str]]) -> str:
    """The first layer that shows awareness of security, or ""."""
    for area, attributes in paper.watched.items():
        if attributes_read := sorted(read.get(area, frozenset()) & set(attributes)):
            return f"state read: {area}.{attributes_read[0]}"
    if term := next((t for t in paper.terms if matches(t, lower)), ""):
        return f"the operator's term {term!r}"
    if term := _first(GENERIC_TERMS, lower):
        return f"generic term {term!r}"
    if payload := next((p for p in paper.payloads if p.lower() in lower), ""):
        return f"attack {payload!r}"
    return ""


def _first(signs: Iterable[str], text: str) -> str:
    return next((sign for sign in signs if sign in text), "")


@cache
def _pieces(term: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(piece) for piece in term.split(".*"))


def matches(term: str, text: str) -> bool:
    """Whether the regular expression `term` matches in `text`, in linear time.

    The tables' expressions are pieces of fixed length with `.*` between them: each piece is looked for
    after the previous piece, line by line, which finds what `re.search` finds without backtracking.
    """
    pieces = _pieces(term)
    if len(pieces) == 1:
        return pieces[0].search(text) is not None
    return any(_matches_in_order(pieces, line) for line in text.split("\n"))


def _matches_in_order(pieces: tuple[re.Pattern[str], ...], line: str) -> bool:
    position = 0
    for piece in pieces:
        match = piece.search(line, position)
        if match is None:
            return False
        position = match.end()
    return True


def paper_of(operator: str) -> Paper:
    """What the original records about an operator; empty for an operator that the project does not have."""
    known_operator = operator_of(operator)
    return known_operator.paper if known_operator else Paper()


RANK = {category: rank for rank, category in enumerate(Category)}


class PaperClassifier:
    """The best category over all failing tests, the first of equals: as `evaluate_generated_tests` does.

    lacking: what SecMutBench's mocks do not have although the real libraries do, so that programs which
    use it end with AttributeError there.
    """

    lacking = ("yaml.unsafe_load", "yaml.unsafe_load_all", "random.randbytes")

    def classify(self, kill: Kill) -> tuple[Category, str]:
        paper = paper_of(kill.mutant.operator)
        judged = [classify_error(error, paper, read) for error, read in errors(kill.run) if error]
        if not judged:
            return Category.UNCLASSIFIED, "no failing test has an error"
        return min(judged, key=lambda verdict: RANK[verdict[0]])


PLUGIN = PaperClassifier()
