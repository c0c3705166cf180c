"""When two crashes, of two revisions or as two sources tell them, are of one defect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("heap-buffer-overflow", ("a", "b", "c", "d", "e", "copy"), False),
        ("heap-use-after-free", ("copy",), False),
        ("heap-use-after-free", (), False),
    ],
)
def test_alike(kind: str, frames: tuple[str, ...], same: bool) -> None:
    assert alike(OVERFLOW, Signature(kind, "", frames)) is same
    assert alike(Signature(kind, "", frames), OVERFLOW) is same


@pytest.mark.parametrize("stated", ["UNKNOWN READ", "UNKNOWN", "Null-dereference READ", "Segv"])
def test_both_words_of_oss_fuzz_for_a_segv(stated: str) -> None:
    assert alike(Signature(stated, "", ("f",)), Signature("segv", "read", ("f",)))
    assert not alike(Signature(stated), OVERFLOW)


def test_entry_points_decide_where_there_is_nothing_else() -> None:
    assert alike(Signature("segv", "", ("main",)), Signature("segv", "", ("main",)))
    assert not alike(Signature("segv", "", ("main",)), Signature("segv", "", ("f", "main")))


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
        ("_Zone", "_Zone"),
    ],
)
def test_mangled_names(mangled: str, plain: str) -> None:
    assert readable(mangled) == plain


NAMES = st.lists(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), min_size=1, max_size=4)


@given(NAMES)
def test_nested_names_come_back(parts: list[str]) -> None:
    mangled = "_ZN" + "".join(f"{len(part)}{part}" for part in parts) + "Ev"
    assert readable(mangled) == "::".join(parts)


@given(st.text("_ZNLSt0123456789aE:", max_size=60), st.text(max_size=30))
def test_alike_is_symmetric_and_raises_nothing(one: str, other: str) -> None:
    first, second = Signature("segv", "", (one, other)), Signature("segv", "", (other,))
    assert alike(first, second) == alike(second, first)
    assert alike(first, first)
