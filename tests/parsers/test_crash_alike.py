"""When two crashes, of two revisions or as two sources tell them, are of one defect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import crashes
from parsers.crashes import Signature, alike
from parsers.crashes._mangled import readable

OVERFLOW = Signature("heap-buffer-overflow", "read", ("copy", "Box::put", "parse", "main"))


@pytest.mark.parametrize(
    ("kind", "frames", "same"),
    [
        ("heap-buffer-overflow", ("copy",), True),
        ("Heap-buffer-overflow WRITE 4", ("other", "put"), True),
        ("heap-buffer-overflow", ("ns::Box::put",), True),
        ("heap-buffer-overflow", ("_ZN3Box3putEi",), True),
        ("heap-buffer-overflow", ("int Box<int>::put(int)",), True),
        ("heap-buffer-overflow", (), True),
        ("heap-buffer-overflow", ("other",), False),
        ("heap-buffer-overflow", ("other", "main"), False),
        ("heap-buffer-overflow", ("a", "b", "c", "d", "copy"), True),
        ("heap-buffer-overflow", ("a", "b", "c", "d", "e", "copy"), False),
        ("heap-buffer-overflow", ("a", "b", "c", "d", "main", "copy"), False),
        (
            "heap-buffer-overflow",
            ("std::at", "", "__asan_memcpy", "a", "b", "c", "d", "copy"),
            True,
        ),
        ("heap-buffer-overflow", ("std::at", "a", "b", "c", "d", "e", "copy"), False),
        ("heap-buffer-overflow", ("std::at",), True),
        ("Use-after-poison READ 4", ("parse", "run"), True),  # a read behind AFL's input
        ("Use-after-poison READ 4", ("run",), False),
        ("heap-use-after-free", ("copy",), False),
        ("heap-use-after-free", (), False),
    ],
)
def test_alike(kind: str, frames: tuple[str, ...], same: bool) -> None:
    assert alike(OVERFLOW, Signature(kind, "", frames)) is same
    assert alike(Signature(kind, "", frames), OVERFLOW) is same


@pytest.mark.parametrize(
    ("kinds", "accesses", "same"),
    [
        (("heap-buffer-overflow", "use-after-poison"), ("read", "write"), False),
        (("heap-buffer-overflow", "use-after-poison"), ("write", ""), False),
        (("use-after-poison", "heap-buffer-overflow"), ("write", "write"), False),
        (("Use-after-poison WRITE 4", "Heap-buffer-overflow"), ("", "write"), False),
        (("heap-buffer-overflow", "use-after-poison"), ("read", "read"), True),
        (("heap-buffer-overflow", "use-after-poison"), ("", ""), True),
        (("heap-buffer-overflow", "heap-buffer-overflow"), ("read", "write"), True),
        (("use-after-poison", "use-after-poison"), ("write", "write"), True),
        (("stack-buffer-overflow", "stack-buffer-underflow"), ("write", "read"), True),
    ],
)
def test_a_write_to_what_is_poisoned_is_none_behind_the_input(
    kinds: tuple[str, str], accesses: tuple[str, str], same: bool
) -> None:
    """Arenas of a project's own are poisoned, too, where they are free."""
    crash, second = (Signature(*words, ("copy",)) for words in zip(kinds, accesses, strict=True))
    assert alike(crash, second) is alike(second, crash) is same


@pytest.mark.parametrize("stated", ["UNKNOWN READ", "UNKNOWN", "Null-dereference READ", "Segv"])
def test_both_words_of_oss_fuzz_for_a_segv(stated: str) -> None:
    assert alike(Signature(stated, "", ("f",)), Signature("segv", "read", ("f",)))
    assert not alike(Signature(stated), OVERFLOW)


NULL = {"segv", "bus", "unknown", "null-dereference", "null-pointer-use"}
# What an access through a bad pointer is called, by the address and by the check that comes first.
ACCESS = [*sorted(NULL), "object-size", "vptr", "misaligned-address", "pointer-overflow"]


@pytest.mark.parametrize("kind", ACCESS)
@pytest.mark.parametrize("second", ACCESS)
def test_an_access_through_a_bad_pointer_has_several_names(kind: str, second: str) -> None:
    """Within the same function; further out only the kinds that agree everywhere."""
    agree = kind == second or {kind, second} <= NULL or {kind, second} <= {"object-size", "vptr"}
    crash = Signature(kind, "read", ("f", "g"))
    assert alike(crash, Signature(second, "", ("f", "h")))
    assert alike(crash, Signature(second, "", ("g", "h"))) is agree
    assert alike(crash, Signature(second, "", ("h", "f"))) is agree
    assert alike(crash, Signature(second)) is alike(Signature(second), crash) is agree


@pytest.mark.parametrize("kind", ACCESS)
@pytest.mark.parametrize(
    "second", ["heap-buffer-overflow", "use-after-poison", "abrt", "fpe", "double-free"]
)
def test_a_bad_pointer_agrees_with_no_further_kind(kind: str, second: str) -> None:
    assert not alike(Signature(kind, "", ("f",)), Signature(second, "", ("f",)))
    assert not alike(Signature(second, "", ("f",)), Signature(kind, "", ("f",)))


def test_a_caller_is_not_taken_for_the_innermost_function() -> None:
    glued = Signature("Bad-cast", "", ("Bad-cast to wind::Reelwind::Spool::turn", "wind::crank"))
    assert not alike(glued, Signature("segv", "read", ("wind::crank", "main")))
    assert not alike(Signature("segv", "read", ("wind::crank", "main")), glued)
    assert alike(glued, Signature("object-size", "", ("wind::Spool::turn", "wind::crank")))


@pytest.mark.parametrize("kind", ["segv", "vptr"])
def test_a_type_further_out_hides_no_innermost_function(kind: str) -> None:
    crash = Signature(kind, "", ("wind::crank", "Bad-cast to wind::Reelwind::Spool::turn"))
    second = Signature("misaligned-address", "", ("wind::crank",))
    assert alike(crash, second) and alike(second, crash)


def test_entry_points_decide_where_there_is_nothing_else() -> None:
    assert alike(Signature("segv", "", ("main",)), Signature("segv", "", ("main",)))
    assert not alike(Signature("segv", "", ("main",)), Signature("segv", "", ("f", "main")))


@pytest.mark.parametrize(
    "entry", ["main", "LLVMFuzzerTestOneInput", "LLVMFuzzerRunDriver", "_start"]
)
def test_an_entry_point_is_shared_by_all_crashes_of_a_target(entry: str) -> None:
    crash = Signature("segv", "", ("f", entry))
    assert not alike(crash, Signature("segv", "", ("g", entry)))
    assert not alike(crash, Signature("segv", "", (entry,)))
    assert alike(Signature("segv", "", (entry,)), Signature("segv", "", ("std::at", entry)))


@pytest.mark.parametrize(
    ("mangled", "plain"),
    [
        ("_ZNK2ns3Box3putEi", "ns::Box::put"),
        ("_ZN12_GLOBAL__N_15parseEv", "parse"),
        ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
        ("_ZL6staticv", "static"),
        ("_ZN3BoxIiE3putEv", "Box"),
        ("_ZN3BoxC2Ev", "Box"),
        ("_Z", "_Z"),
        ("_ZN9999a", "a"),
        ("_ZZN12_GLOBAL__N_17genericEiENK3$_0clIlEEDaT_", "generic::$_0::operator()"),
        ("_ZZN2ns4sortEiEN3$_7clIiEEDaT_", "ns::sort::$_7::operator()"),
        ("_Zone", "_Zone"),
    ],
)
def test_mangled_names(mangled: str, plain: str) -> None:
    assert readable(mangled) == plain


LONG = "std::__1::map, std::__1::vector, std::__1::basic_string<char, std::__1::char_traits<char> >"
POOL = f"brook::pool<{LONG}>::take_from_sack"
NUMBERS = "brook::Number<int, 4u>, " * 2
OFFSET = f"bool brook::Offset<{NUMBERS}true>::serialize"
RETURNED = f"std::__1::vector<{LONG}> brook::pool<int>::put"
X, Y = "x" * 40, "y" * 60


@pytest.mark.parametrize(
    ("line", "seen", "same"),
    [
        (POOL, "brook::pool::take_from_sack", True),
        (POOL, "brook::pool", True),
        (POOL, "brook::pools::take", False),
        (POOL, "brook::take", False),
        (OFFSET, "brook::Offset::serialize_subset", True),
        (OFFSET, "brook::Offset::subset", False),
        (f"{X}::{Y}", f"{X}::{Y}", True),
        (f"{X}::{'z' * 20}", f"{X}::{Y}", False),
        (f"brook::take({LONG})", "brook::take", True),
        (f"brook::take({LONG})", "brook::takes", False),
        (f"_ZN5brook4pool60{Y}Ev", f"brook::pool::{Y}", True),
        (f"_ZN5brook4pool90{Y * 2}Ev", f"brook::pool::{Y}{Y[:30]}", True),
        (f"_ZN5brook4pool90{Y * 2}Ev", f"brook::pool::{'z' * 90}", False),
    ],
)
def test_lines_that_clusterfuzz_cut(line: str, seen: str, same: bool) -> None:
    """It keeps 80 characters of each: of a class with long arguments not even the method."""
    stated, other = Signature("segv", "", (line[:80],)), Signature("segv", "", (seen,))
    assert alike(stated, other) is alike(other, stated) is same


@pytest.mark.parametrize(
    ("line", "second", "same"),
    [
        ("brook::" + "p" * 73, "brook::" + "p" * 73, True),
        ("brook::" + "p" * 73, "brook::" + "p" * 72, True),
        ("brook::" + "p" * 73, "brook::" + "p" * 72 + "q", False),
        ("brook::" + "p" * 73, "stream::" + "p" * 72, False),
    ],
)
def test_lines_that_were_both_cut_agree_in_their_beginning(
    line: str, second: str, same: bool
) -> None:
    stated, crash = Signature("segv", "", (line,)), Signature("segv", "", (second,))
    assert alike(stated, crash) is alike(crash, stated) is same


def test_a_line_of_which_no_name_is_left_tells_nothing() -> None:
    assert alike(
        Signature("segv", "", (RETURNED[:80], "put")), Signature("segv", "", ("take", "put"))
    )
    other = Signature("segv", "", ("std::vector::at", "take"))
    assert not alike(Signature("segv", "", (RETURNED[:80], "put")), other)


def test_a_name_with_the_mark_of_a_cut_is_no_beginning_of_others() -> None:
    assert not alike(Signature("segv", "", ("\u2026",)), Signature("segv", "", ("put",)))


def test_both_libraries_of_cpp() -> None:
    one, other = ("std::__1::vector<int>::at",), ("std::vector<int, std::allocator<int> >::at",)
    assert alike(Signature("segv", "", one), Signature("segv", "", other))


NAMES = st.lists(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), min_size=1, max_size=4)


@given(NAMES)
def test_nested_names_come_back(parts: list[str]) -> None:
    mangled = "_ZN" + "".join(f"{len(part)}{part}" for part in parts) + "Ev"
    assert readable(mangled) == "::".join(parts)


@given(
    st.text("_ZNLSt0123456789aE:", max_size=60) | st.text("<(: )>ab~", min_size=80, max_size=80),
    st.text(max_size=30) | st.text("<(: )>ab~", min_size=80, max_size=80),
)
def test_alike_is_symmetric_and_raises_nothing(one: str, other: str) -> None:
    first, second = Signature("segv", "", (one, other)), Signature("segv", "", (other,))
    assert alike(first, second) == alike(second, first)
    assert alike(first, first)


STATES = [
    ("ring-fuzzer.cc", "LLVMFuzzerTestOneInput", True),
    ("ring-fuzzer.cc", "Ring::push", False),
    ("tapeNUMBER_open", "tape9660_open", True),
    ("tapeNUMBER_open", "tape966_open", False),
    ("wind::Reel::operator", "wind::Reel::operator()", True),
    ("wind::Reel::operator", "wind::Spool::operator()", False),
    (
        "wind::Function<wind::Optional<unsigned int>",
        "wind::Function<A (B)>::operator()(B) const",
        True,
    ),
    ("wind::Function<wind::Optional<unsigned int>", "wind::FunctionList<A>::run", False),
    (f"wind::Array<{'x' * 66}> ", "wind::Array<X>::sanitize", True),
    (f"wind::Array<{'x' * 65}>::", "wind::Array<X>::sanitize", True),
    (f"wind::Array<{'x' * 65}>::", "wind::ArrayM1<X>::sanitize", False),
    ("bool std::__1::operator==<char>", "wind::lookup", True),
    ("Bad-cast to reel_t' (aka 'struct reel')wind_up", "wind_up", True),
    ("Bad-cast to reel_t' (aka 'struct reel')wind_up", "unwind", False),
    ("Bad-cast to wind::Reel from invalid vptr", "wind::Spool::turn", True),
    ("Bad-cast to wind::Reelwind::Spool::turn", "wind::Crank::turn", True),
]


@pytest.mark.parametrize(("stated", "seen", "same"), STATES)
def test_a_line_of_a_state_as_clusterfuzz_writes_it(stated: str, seen: str, same: bool) -> None:
    """It stands for the entry point by its file and for numbers by a word, and is cut at 80 or at "("."""
    kind = "heap-buffer-overflow"
    line = stated.rstrip()  # as records are read
    assert alike(Signature(kind, "", (line,)), Signature(kind, "", (seen,))) is same
    both = Signature(kind, "", (line, "std::__1::vector<int>::at"))
    assert alike(both, Signature(kind, "", (seen, "main"))) is same


def test_no_other_kind_is_an_access_through_a_bad_pointer() -> None:
    assert sorted(crashes._ACCESS) == sorted([*ACCESS, "invalid-null-argument"])


LAMBDA = "{lambda}::operator()"


@pytest.mark.parametrize(
    ("frames", "second", "same"),
    [
        # gcc with line numbers, beside clang of the same and of another defect
        (("operator()", "main"), (f"main::{LAMBDA}", "main"), True),
        (("operator()", "main"), ("Reader::operator()", "main"), True),
        (("operator()", "main"), ("Reader::operator()", "read", "main"), False),
        (("operator()", "main"), (f"sum::{LAMBDA}", "sum", "main"), False),
        (("operator()", "sum", "main"), (f"main::{LAMBDA}", "main"), False),
        (("operator()", "sum", "main"), (f"sum::{LAMBDA}", "main"), True),
        (("operator()", "sum", "main"), (f"Box::sum::{LAMBDA}", "main"), True),
        (("operator()", "sum", "main"), (f"Box::sum::{LAMBDA}", "visit", "main"), True),
        (("operator()", "sum", "main"), (f"mean::{LAMBDA}", "visit", "main"), False),
        (("operator()", "sum", "main"), (f"sum::{LAMBDA}::{LAMBDA}", "main"), True),
        (("area", "square", "main"), ("Ring::area", "area_of", "ring", "main"), False),
        (("area", "square", "main"), ("Square::area", "square", "main"), True),
        (("area", "square", "main"), ("Square::area",), True),
        (("area",), ("Square::area", "square"), True),
        (("area", "main"), ("Square::area", "main"), True),
        # two of gcc's
        (("operator()", "first", "main"), ("operator()", "second", "main"), False),
        (("operator()", "first", "main"), ("operator()", "first", "main"), True),
        (("operator()", "first", "main"), ("operator()", "main"), False),
        (("operator()",), ("operator()", "main"), True),
        (("operator[]", "first", "main"), ("operator[]", "second", "main"), False),
        ((LAMBDA, "first", "main"), (LAMBDA, "second", "main"), False),
        # a name in full, or a function of C, tells by itself
        (("Box::put", "first", "main"), ("Box::put", "second", "main"), True),
        (("put", "first", "main"), ("put", "second", "main"), True),
        # an entry point is no caller that tells, and none beyond the frames that are compared is
        (("operator()", "a", "LLVMFuzzerTestOneInput"), ("B::operator()", "b", "LLVMFuzzerTestOneInput"), False),
        (("operator()", "a", "b", "c", "d", "e"), ("X::operator()", "f", "g", "h", "i", "e"), False),
        (("operator()", "a", "b", "c", "e"), ("X::operator()", "f", "g", "h", "e"), True),
    ],
)  # fmt: skip
def test_names_without_a_scope_need_their_callers(
    frames: tuple[str, ...], second: tuple[str, ...], same: bool
) -> None:
    kind = "heap-buffer-overflow"
    assert alike(Signature(kind, "", frames), Signature(kind, "", second)) is same
    assert alike(Signature(kind, "", second), Signature(kind, "", frames)) is same


@pytest.mark.parametrize(
    ("kind", "accesses", "same"),
    [
        ("heap-buffer-overflow", ("read", "write"), False),
        ("heap-buffer-overflow", ("READ", "read"), True),
        ("heap-buffer-overflow", ("read", ""), True),
        ("Heap-buffer-overflow", ("write", "write"), True),
        ("data-race", ("read", "write"), True),
    ],
)
def test_without_frames_kind_and_access_decide(
    kind: str, accesses: tuple[str, str], same: bool
) -> None:
    first, second = Signature(kind, accesses[0]), Signature(kind, accesses[1], ("f", "main"))
    assert alike(first, second) is alike(second, first) is same
    assert alike(first, Signature(kind, accesses[1])) is same


@pytest.mark.parametrize(
    ("kind", "same"),
    [
        ("double-free", True),
        ("bad-free", True),
        ("invalid-free", True),
        ("alloc-dealloc-mismatch", True),
        ("new-delete-type-mismatch", True),
        ("heap-use-after-free", False),
    ],
)
def test_a_tail_call_of_free_leaves_an_entry_point(kind: str, same: bool) -> None:
    short, full = Signature(kind, "", ("main",)), Signature(kind, "", ("drop", "main"))
    assert alike(short, full) is alike(full, short) is same
    assert not alike(full, Signature(kind, "", ("close", "main")))


def test_a_null_argument_is_reported_one_frame_before_the_fault() -> None:
    passed = Signature("invalid-null-argument", "", ("parse", "run", "main"))
    assert alike(passed, Signature("segv", "read", ("first_byte", "parse", "main")))
    assert alike(Signature("segv", "read", ("parse", "main")), passed)
    assert not alike(passed, Signature("segv", "read", ("a", "b", "parse", "main")))
    assert not alike(passed, Signature("segv", "read"))
    assert not alike(Signature("segv", "read", ("a", "b", "run")), passed)
