"""Names that agree between compilers, and when a crash is the one that a task states."""

from __future__ import annotations

import pytest

from parsers import crashes
from parsers.crashes import Crash, Signature, StackFrame, alike_kinds, matches
from parsers.crashes._names import plain_name


@pytest.mark.parametrize(
    ("full", "plain"),
    [
        ("main", "main"),
        ("parse.constprop.0", "parse"),
        ("parse.isra.0.part.3", "parse"),
        ("parse.cold", "parse"),
        ("parse.counter", "parse.counter"),
        ("read_partial.part.0", "read_partial"),
        ("free@plt", "free"),
        (
            "(anonymous namespace)::deep::Box<int, 4>::operator[](int) const",
            "deep::Box::operator[]",
        ),
        ("void call<main::$_0>(main::$_0)", "call"),
        ("main::$_0::operator()() const", "main::{lambda}::operator()"),
        ("main::'lambda'(int)::operator()(int) const", "main::{lambda}::operator()"),
        ("main::$_5::__invoke(void const*)", "main::{lambda}::operator()"),
        ("f()::{lambda(int, A<B>)#2}::_FUN(int, A<B>)", "f::{lambda}::operator()"),
        ("_FUN", "{lambda}::operator()"),
        ("operator()", "operator()"),
        ("Box::__invoke", "Box::__invoke"),
        ("BEInt<unsigned int, 4>::operator unsigned int() const", "BEInt::operator unsigned int"),
        ("std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<<"),
        ("bool operator< <int>(A<int> const&, A<int> const&)", "operator<"),
        ("P<T>::operator->() const", "P::operator->"),
        ("foo(int (*)(char, long), A<B<C>>&&) &&", "foo"),
        ("unsigned long ns::f<(ns::K)3>(int) [clone .isra.0]", "ns::f"),
        ("Box<int>::get() const &", "Box::get"),
        ("Box<int>::get() const volatile &&", "Box::get"),
        ("Box<int>::get() const & noexcept [clone .cold]", "Box::get"),
        ("std::vector<int, std::allocator<int>>::at[abi:cxx11](unsigned long)", "std::vector::at"),
        ("Box<int>::~Box()", "Box::~Box"),
        ("ns::on<(sizeof (char*)) <= (8), int>::type ns::small<char*>(char*)", "ns::small"),
        ("ns::A<((1) < (2))>::run(char*)", "ns::A::run"),
        ("ns::A<((1) > (2))>::stop(char*)", "ns::A::stop"),
        ("int ns::f<(2) << (3), (B)1>(int)", "ns::f"),
        ("void (*ns::handler<char*>(char*))(int)", "ns::handler"),
        ("char (&ns::table<int>(int)) [3]", "ns::table"),
        ("ns::apply(void (*)(int), char (&) [3])", "ns::apply"),
        ("operator new[](unsigned long)", "operator new[]"),
        ("", ""),
        ("<<<<", ""),
        ("a\x1b[31mb", "a?"),
    ],
)
def test_plain_name(full: str, plain: str) -> None:
    assert plain_name(full) == plain


def crash(*functions: str, kind: str = "heap-buffer-overflow", access: str = "read") -> Crash:
    frames = tuple(StackFrame(name, "", None) for name in functions)
    return Crash("address", kind, access, 1, None, frames, None, "")


OVERFLOW = crash("copy", "Box::put", "parse", "main")


@pytest.mark.parametrize(
    ("signature", "same"),
    [
        (Signature("heap-buffer-overflow"), True),
        (Signature("Heap-buffer-overflow READ 1"), True),
        (Signature("heap-buffer-overflow", "read", ("copy", "parse")), True),
        (Signature("heap-buffer-overflow", "READ", ("copy",)), True),
        (Signature("heap-buffer-overflow", "write", ("copy",)), False),
        (Signature("heap-use-after-free", "read", ("copy",)), False),
        (Signature("heap-buffer-overflow", "", ("parse", "copy")), False),
        (Signature("heap-buffer-overflow", "", ("copy", "copy")), False),
        (Signature("heap-buffer-overflow", "", ("copy", "other")), False),
        (Signature("heap-buffer-overflow", "", ("put", "parse")), True),
        (Signature("heap-buffer-overflow", "", ("ns::copy", "int Box<int>::put(int)")), True),
        (Signature("heap-buffer-overflow", "", ("output",)), False),
        (Signature("heap-buffer-overflow", "", ("ut",)), False),
    ],
)
def test_matches(signature: Signature, same: bool) -> None:
    assert matches(OVERFLOW, signature) is same


# Kinds that the same defect gets from different compilers, libraries or sanitizers, and some that stand
# alone.
EQUIVALENT = [
    {"segv", "null-dereference", "null-pointer-use", "bus", "unknown"},
    {"stack-buffer-overflow", "stack-buffer-underflow", "dynamic-stack-buffer-overflow"},
    {"use-after-poison", "heap-buffer-overflow"},
    {"bad-free", "invalid-free"},
    {"fpe", "divide-by-zero"},
    {"abrt", "deadly-signal", "trap", "ill", "assertion-failed", "check-failed"},
    {"direct-leak", "indirect-leak", "memory-leak"},
    {"stack-use-after-return", "stack-use-after-scope"},
    {"vptr", "object-size"},
    {"out-of-memory", "allocation-size-too-big", "calloc-overflow"},
    *(
        {kind}
        for kind in ("heap-use-after-free", "double-free", "global-buffer-overflow", "data-race")
    ),
    *({kind} for kind in ("misaligned-address", "pointer-overflow", "stack-overflow", "timeout")),
]


@pytest.mark.parametrize("kinds", EQUIVALENT, ids=min)
def test_a_kind_agrees_with_exactly_those_of_its_set(kinds: set[str]) -> None:
    for kind in kinds:
        agreeing = {
            stated
            for stated in set().union(*EQUIVALENT)
            if matches(crash(kind=kind), Signature(stated)) and alike_kinds(kind, stated)
        }
        assert agreeing == kinds
        assert {stated for stated in set().union(*EQUIVALENT) if alike_kinds(stated, kind)} == kinds


@pytest.mark.parametrize(
    ("kind", "stated"),
    [
        ("fpe", "Divide-by-zero"),
        ("bad-free", "Invalid-free"),
        ("double-free", "Heap-double-free"),
        ("deadly-signal", "SIGABRT"),
        ("direct-leak", "leak"),
        ("vptr", "Bad-cast"),
        ("object-size", "Bad-cast"),
        ("segv", "UNKNOWN READ"),
        ("data-race", "Data race WRITE 4"),
    ],
)
def test_kinds_agree_in_any_spelling(kind: str, stated: str) -> None:
    assert matches(crash(kind=kind), Signature(stated))
    assert alike_kinds(stated, kind)


def test_a_crash_without_names_matches_only_a_signature_without_frames() -> None:
    assert matches(crash(""), Signature("heap-buffer-overflow"))
    assert not matches(crash(""), Signature("heap-buffer-overflow", "", ("copy",)))


def test_a_bare_signal_matches_no_frames() -> None:
    bare = Crash("signal", "segv", "", None, None, (), None, "")
    assert matches(bare, Signature("segv"))
    assert not matches(bare, Signature("segv", "", ("copy",)))


def test_no_other_kinds_are_equivalent_and_no_other_function_is_an_entry_point() -> None:
    assert [set(same) for same in crashes._EQUIVALENT] == [s for s in EQUIVALENT if len(s) > 1]
    entries = {"main", "LLVMFuzzerTestOneInput", "LLVMFuzzerRunDriver", "_start"}
    assert entries == crashes._ENTRY_POINTS
