"""Each variant's own examples, on real repositories."""

from __future__ import annotations

import pytest

from parsers import registry
from szz.repository import Repository
from szz.trace import trace
from szz.variant import Variant, VariantExample
from tests.szz.conftest import Made, Maker

VARIANTS: list[Variant] = [
    registry.lookup("szz.variants", name) for name in registry.names("szz.variants")
]
EXAMPLES = [(variant, example) for variant in VARIANTS for example in variant.examples]


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "example"), EXAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_examples(variant: Variant, example: VariantExample, history: Maker) -> None:
    path, ids = history(*({b"f.c": text.encode()} for text in example.versions))
    with Repository(path) as repository:
        (traced,) = trace(repository, [ids[-1]], variant)
    assert traced.error is None
    assert {ids.index(commit) for commit in traced.candidates} == example.expected


def test_the_promised_variants_are_there() -> None:
    promised = {"b-szz", "b-szz-w", "ag-szz", "l-szz", "r-szz", "ma-szz", "v-szz", "anchors"}
    assert {variant.name for variant in VARIANTS} >= promised
    assert all(variant.examples and variant.source for variant in VARIANTS)


def test_ma_szz_looks_through_a_merge_and_a_change_of_comments(history: Maker) -> None:
    path, ids = history(
        {b"f.c": b"a;\nb;\n"},
        {b"f.c": b"// first\na;\nb;\n"},
        Made({b"f.c": b"a;\nc;\n"}, parents=[0]),
        Made(
            {b"f.c": b"// first\na;\nd;\n"}, parents=[1, 2]
        ),  # a merge that changes the line itself
        {b"f.c": b"// first\na;\nfixed;\n"},
        {b"f.c": b"a;\nfixed;\n"},
    )
    by_name = {variant.name: variant for variant in VARIANTS}
    with Repository(path) as repository:
        for name, expected in (("ag-szz", {ids[3]}), ("ma-szz", {ids[0]})):
            (traced,) = trace(repository, [ids[4]], by_name[name])
            assert set(traced.candidates) == expected, name
        (traced,) = trace(repository, [ids[5]], by_name["b-szz"])
        assert traced.candidates == [ids[1]]


def test_r_szz_settles_a_tie_of_times_by_descent(history: Maker) -> None:
    path, ids = history({b"f.c": b"a;\n"}, {b"f.c": b"a;\nb;\n"}, {b"f.c": b""})
    by_name = {variant.name: variant for variant in VARIANTS}
    with Repository(path) as repository:
        (traced,) = trace(repository, [ids[2]], by_name["r-szz"])
    assert traced.candidates == [ids[1]]


def test_r_szz_trusts_descent_before_clocks(history: Maker) -> None:
    """The ancestor's clock was a year ahead; of commits on two branches the clock decides."""
    r_szz = {variant.name: variant for variant in VARIANTS}["r-szz"]
    path, ids = history(
        Made({b"f.c": b"a;\n"}, day=0),
        Made({b"f.c": b"a;\nb;\n"}, day=400),
        Made({b"f.c": b"a;\nb;\nc;\n"}, day=30),
        Made({b"f.c": b"a;\n"}, day=500),
    )
    with Repository(path) as repository:
        (traced,) = trace(repository, [ids[3]], r_szz)
    assert traced.candidates == [ids[2]]


def test_r_szz_takes_the_latest_of_two_branches(history: Maker) -> None:
    r_szz = {variant.name: variant for variant in VARIANTS}["r-szz"]
    path, ids = history(
        Made({b"f.c": b"m;\n"}, day=0),
        Made({b"f.c": b"x;\nm;\n"}, day=40),
        Made({b"f.c": b"m;\ny;\n"}, parents=[0], day=20),
        Made({b"f.c": b"x;\nm;\ny;\n"}, parents=[1, 2], day=50),
        Made({b"f.c": b"m;\n"}, day=60),
    )
    with Repository(path) as repository:
        (traced,) = trace(repository, [ids[4]], r_szz)
    assert traced.candidates == [ids[1]]
