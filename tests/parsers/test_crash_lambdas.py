"""Lambdas in stacks: their scope under both compilers, their thunks, and what they are alike to."""

from __future__ import annotations

import pytest

from parsers.crashes import Signature, StackFrame, alike, matches, parse_crash
from parsers.crashes._stack import project_frames
from tests.parsers.stack_reports import HEADER, project_functions


def lambdas(*functions: str) -> list[str]:
    frames = [StackFrame(name, "/src/a.cpp", 9) for name in functions]
    return [f.function for f in project_frames(frames)]


def test_a_lambda_and_its_thunk_are_one_frame_under_both_compilers() -> None:
    clang = ("main::{lambda}::operator()", "main::{lambda}::operator()", "main")
    assert lambdas(*clang) == ["main::{lambda}::operator()", "main"]
    assert lambdas("operator()", "{lambda}::operator()", "main") == [
        "{lambda}::operator()",
        "main",
    ]
    assert lambdas("operator()", "main") == ["operator()", "main"]
    gcc = [
        *(StackFrame(name, "/src/a.cpp", 9) for name in ("operator()", "{lambda}::operator()")),
        StackFrame("qsort", "../libsanitizer/sanitizer_common/a.inc", 4),
        StackFrame("main", "/src/a.cpp", 9),
    ]
    assert [f.function for f in project_frames(gcc)] == ["main::{lambda}::operator()", "main"]


def overflow(*functions: str) -> Signature:
    return Signature("heap-buffer-overflow", "read", functions)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (overflow("operator()", "f", "main"), overflow("operator()", "g", "main"), False),
        (overflow("operator()", "f", "main"), overflow("f::{lambda}::operator()", "f", "main"), True),
        (overflow("operator()", "main"), overflow("main::$_3::operator()", "main"), True),
        (overflow("operator()", "main"), overflow("operator()", "main"), True),
        (overflow("{lambda}::operator()", "f"), overflow("_FUN", "g"), False),
        (overflow("f::$_0::operator()", "main"), overflow("g::$_1::operator()", "main"), False),
        (overflow("f::$_0::operator()", "main"), overflow("f::'lambda'::operator()"), True),
    ],
)  # fmt: skip
def test_lambdas_are_alike_by_their_scope(one: Signature, other: Signature, same: bool) -> None:
    assert alike(one, other) is same
    assert alike(other, one) is same


def test_a_signature_of_clangs_matches_gccs_report() -> None:
    stack = "    #0 0x1 in operator() /a.cpp:9\n    #1 0x2 in main /a.cpp:8\n"
    crash = parse_crash(f"{HEADER}READ of size 1 at 0x60200000001a thread T0\n{stack}")
    assert crash is not None
    assert matches(crash, overflow("main::$_5::operator()", "main"))
    assert not matches(crash, overflow("other::$_5::operator()", "other"))


GCC_LAMBDA = """\
    #0 0x55e250e67999 in operator() /src/l.cpp:46
    #1 0x55e250e67999 in __invoke_impl<char, (anonymous namespace)::keep(int)::<lambda(int)>&, int> /usr/include/c++/16/bits/invoke.h:63
    #2 0x55e250e68fd1 in std::function<int (int)>::operator()(int) const /usr/include/c++/16/bits/std_function.h:591
    #3 0x55e250e68fd1 in apply /src/l.cpp:43
    #4 0x55e250e6ab31 in main /src/main.h:12
"""


@pytest.mark.parametrize(
    ("stack", "frames"),
    [
        (GCC_LAMBDA, ["keep::{lambda}::operator()", "apply", "main"]),
        (
            "    #0 0x1 in operator() /src/l.cpp:9\n"
            "    #1 0x2 in visit_all<std::map<int, int>, ns::pass<int>(int)::<lambda(int)> > /src/l.cpp:5\n",
            ["ns::pass::{lambda}::operator()", "visit_all"],
        ),
        (
            "    #0 0x1 in operator() /src/l.cpp:9\n    #1 0x2 in g /src/l.cpp:5\n"
            "    #2 0x2 in visit<f(int)::<lambda()> > /src/l.cpp:5\n",
            ["operator()", "g", "visit"],
        ),
        (
            "    #0 0x1 in operator() /src/l.cpp:9\n    #1 0x2 in g::<lambda()> /src/l.cpp:5\n",
            ["operator()", "g"],
        ),
        (
            "    #0 0x1 in look::{lambda()#1}::operator()() const /src/l.cpp:9\n"
            "    #1 0x2 in bsearch /usr/include/x86_64-linux-gnu/bits/stdlib-bsearch.h:33:23\n"
            "    #2 0x2 in look /src/l.cpp:5\n",
            ["look::{lambda}::operator()", "look"],
        ),
    ],
)  # fmt: skip
def test_gcc_names_the_scope_of_a_lambda_among_template_arguments(
    stack: str, frames: list[str]
) -> None:
    """gcc 12 and 16 with line numbers; the lambda's own frame is `operator()`."""
    assert project_functions(stack) == frames
