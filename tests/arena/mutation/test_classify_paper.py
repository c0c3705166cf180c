"""The original's way of judging a kill: each layer, their order, and the best over all failing tests."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.classify import Category, Kill, KilledMutant, load_classifier, paper
from arena.tracks.mutation.classify.paper import classify_error, matches, original_text
from arena.tracks.mutation.operators._operator import Paper
from arena.tracks.mutation.runner.facts import EndOfTest, Read, RunResult, Stopped, TestOutcome
from parsers.registry import UnknownName
from tests.arena.mutation.stand_in import Bed, failing, passing, program, stopped

KNOWN = Paper(
    terms=("parameterized", "string.*concat", r"\.\./"),
    payloads=("' OR '1'='1",),
    watched={"db": ("last_query", "last_params")},
)

LAYERS = {
    "": (Category.UNCLASSIFIED, "no error"),
    "TypeError: not all arguments converted": (Category.CRASH, "TypeError"),
    "Assertion failed: got NameError": (Category.CRASH, "NameError"),
    "SystemError: invalid syntax somewhere": (Category.CRASH, "invalid syntax"),
    "Failed: DID NOT RAISE <class 'ValueError'>": (Category.FUNCTIONAL, "not raised"),
    "Failed: DID NOT RAISE <class 'TypeError'>": (Category.CRASH, "TypeError"),
    "Assertion failed: not Parameterized": (Category.SEMANTIC, "'parameterized'"),
    "Assertion failed: string was concatenated": (Category.SEMANTIC, "concat"),
    "Assertion failed: string\nconcat": (Category.INCIDENTAL, "without a sign"),
    "Assertion failed: ../x": (Category.SEMANTIC, "operator's term"),
    "Assertion failed: UNSAFE": (Category.SEMANTIC, "generic term 'unsafe'"),
    "Assertion failed: assert \"' or '1'='1\" == 1": (Category.SEMANTIC, "attack"),
    "Assertion failed: assert 5 == 6": (Category.INCIDENTAL, "without a sign"),
    "ValueError: unsafe injection": (Category.UNCLASSIFIED, "neither"),
    "PermissionError: blocked": (Category.UNCLASSIFIED, "neither"),
}


@pytest.mark.parametrize("error", LAYERS)
def test_layers(error: str) -> None:
    category, why = LAYERS[error]
    told = classify_error(error, KNOWN, {})
    assert told[0] is category and why in told[1]


def test_state_that_was_read_comes_before_words() -> None:
    error = "Assertion failed: unsafe"
    read = {"db": frozenset({"last_params", "closed"})}
    assert classify_error(error, KNOWN, read) == (
        Category.SEMANTIC,
        "state read: db.last_params",
    )
    assert "generic" in classify_error(error, KNOWN, {"http": frozenset({"last_params"})})[1]
    assert "generic" in classify_error(error, KNOWN, {"db": frozenset({"closed"})})[1]


def test_reading_state_makes_no_crash_semantic() -> None:
    read = {"db": frozenset({"last_params"})}
    assert classify_error("KeyError: 'x'", KNOWN, read)[0] is Category.UNCLASSIFIED


def outcome(error: str, *reads: Read) -> TestOutcome:
    return TestOutcome(
        "test_it", EndOfTest.FAILED, error, error.partition(":")[0], ("Exception",), reads=reads
    )


def test_errors_are_read_in_the_original_s_form() -> None:
    assert original_text(outcome("AssertionError: assert 1 == 2")) == (
        "Assertion failed: assert 1 == 2"
    )
    assert original_text(outcome("AssertionError")) == "Assertion failed: "
    assert original_text(outcome("ValueError: no")) == "ValueError: no"


def test_addresses_decide_nothing() -> None:
    """The original finds its term "512" in an object's address, in some runs only."""
    weak_key = Paper(terms=("512",))
    test = outcome("AssertionError: assert <object at 0x7f0512a41777> == 3")
    assert classify_error(original_text(test), weak_key, {})[0] is Category.INCIDENTAL


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "paper_of", lambda name: KNOWN if name == "PSQLI" else Paper())


def judge(run: RunResult, operator: str = "PSQLI") -> tuple[Category, str]:
    mutant = KilledMutant("m1", operator, "x = 1")
    kill = Kill(program(), mutant, "", passing(), run, Bed({}))
    return load_classifier("paper").classify(kill)


def test_the_best_of_several_failing_tests_wins(known: None) -> None:
    errors = ("ValueError: x", "TypeError: y", "AssertionError: z", "AssertionError: unsafe")
    run = RunResult(Stopped.FINISHED, tuple(map(outcome, errors)))
    assert judge(run)[0] is Category.SEMANTIC
    for cut, category in (
        (3, Category.INCIDENTAL),
        (2, Category.CRASH),
        (1, Category.UNCLASSIFIED),
    ):
        assert judge(RunResult(Stopped.FINISHED, run.tests[:cut]))[0] is category


def test_state_counts_only_for_the_test_that_read_it(known: None) -> None:
    read = Read("db", "last_params", "None", by_test=False)
    passed = TestOutcome("test_other", EndOfTest.PASSED, reads=(read,))
    run = RunResult(Stopped.FINISHED, (passed, outcome("AssertionError: assert 1 == 2")))
    assert judge(run)[0] is Category.INCIDENTAL
    assert judge(failing("AssertionError: assert 1 == 2", read))[0] is Category.SEMANTIC


def test_terms_are_those_of_the_mutant_s_operator(known: None) -> None:
    run = failing("AssertionError: not parameterized")
    assert judge(run)[0] is Category.SEMANTIC
    assert judge(run, "XXE")[0] is Category.INCIDENTAL


@pytest.mark.parametrize(
    ("run", "category"),
    [
        (stopped(Stopped.UNCOLLECTED, "ValueError: raised at import"), Category.CRASH),
        (stopped(Stopped.UNCOLLECTED), Category.UNCLASSIFIED),
        (stopped(Stopped.TIMEOUT, "after 5 s"), Category.UNCLASSIFIED),
        (stopped(Stopped.DIED, "exit status 0"), Category.UNCLASSIFIED),
        (RunResult(Stopped.FINISHED), Category.UNCLASSIFIED),
    ],
)
def test_runs_without_outcomes(known: None, run: RunResult, category: Category) -> None:
    assert judge(run)[0] is category


TERMS = ("string.*concat", "cross.*site.*request", "re.match", r"\.\./", "\\r\\n", "a.*a", "abc")


@given(
    st.sampled_from(TERMS),
    st.text("acbr.\\/\r\n", max_size=30)
    | st.lists(st.sampled_from(["cross", "site", "request", "string", "concat", "\n", "x"])).map(
        "".join
    ),
)
def test_terms_are_found_where_search_finds_them(term: str, text: str) -> None:
    assert matches(term, text) == (re.search(term, text) is not None)


def test_hostile_errors_take_linear_time() -> None:
    text = "cross" * 20_000 + "site" * 20_000
    started = time.process_time()
    assert not matches("cross.*site.*request", text)
    assert time.process_time() - started < 1.0


def test_terms_of_all_operators_are_pieces_of_fixed_length() -> None:
    from arena.tracks.mutation.operators import all_operators

    for operator in all_operators():
        for term in operator.paper.terms:
            for piece in term.split(".*"):
                widths = re._parser.parse(piece).getwidth()  # type: ignore[attr-defined]
                assert widths[0] == widths[1] > 0, f"{operator.name}: {term}"


def test_an_unknown_classifier_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="behaviour, paper"):
        load_classifier("nonsense")
