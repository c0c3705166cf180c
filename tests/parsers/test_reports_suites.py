"""Runs of suites as their runners print them: every outcome is read, and no line that a test prints helps it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import reports
from parsers.outcomes import Outcome
from parsers.registry import lookup
from parsers.reports._verdict_lines import MAX_LINE, MIN_PASSES, verdict_lines

PASSED, FAILED, ERROR, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED
XFAILED, XPASSED = Outcome.XFAILED, Outcome.XPASSED
CRASHED, TIMEOUT = Outcome.CRASHED, Outcome.TIMEOUT

# Lines, after which of them a test can print, and what they must be read as.
Run = tuple[list[str], list[int], dict[str, Outcome]]


def jq(outcomes: list[Outcome]) -> Run:
    lines, printing, due = [], [], {}
    for number, outcome in enumerate(outcomes, 1):
        lines.append(f"Test #{number}: '.[{number}]' at line number {number * 4}")
        printing.append(len(lines))
        if outcome is FAILED:
            lines += ["*** Expected 1, but got 2 for test at line number 3: .", "*** Superfluous"]
        due[f"line {number * 4}: .[{number}]"] = outcome
    passed = outcomes.count(PASSED)
    close = f"{passed} of {len(outcomes)} tests passed (0 malformed, 0 skipped)"
    return [*lines, close], printing, due


def spec(outcomes: list[Outcome]) -> Run:
    lines, printing, due = ["", "Tables extension:"], [], {}
    for number, outcome in enumerate(outcomes, 1):
        due[f"Tables extension > example {number}"] = outcome
        if outcome is not PASSED:
            lines.append(f"Example {number} (lines {number}-{number + 5}) Tables")
            ended = {ERROR: ["program returned error code 1"], FAILED: ["<p>", "--- expected HTML"]}
            lines += ended.get(outcome, ["program returned error code -11"])
            printing.append(len(lines))
    bad = len(outcomes) - outcomes.count(PASSED) - outcomes.count(FAILED)
    return (
        [
            *lines,
            f"{outcomes.count(PASSED)} passed, {outcomes.count(FAILED)} failed, {bad} errored, 0 skipped",
        ],
        printing,
        due,
    )


def pathological(outcomes: list[Outcome]) -> Run:
    words = {PASSED: "[PASSED] 0.1 secs", FAILED: "[FAILED]", TIMEOUT: "[TIMEOUT]"}
    lines, printing, due = ["Pathological input:"], [], {}
    for number, outcome in enumerate(outcomes):
        printing.append(len(lines))
        name = f"many [{number}] links"
        word = words.get(outcome, f"[ERRORED (return code {1 if outcome is ERROR else -6})]")
        lines.append(f"{name:35} {word}")
        due[f"Pathological input > {name}"] = outcome
    bad = len(outcomes) - outcomes.count(PASSED) - outcomes.count(FAILED)
    close = f"{outcomes.count(PASSED)} passed, {outcomes.count(FAILED)} failed, {bad} errored"
    return [*lines, close], printing, due


def unittest(outcomes: list[Outcome]) -> Run:
    words = {PASSED: "ok", FAILED: "FAIL", ERROR: "ERROR", SKIPPED: "skipped 'no'"}
    words |= {XFAILED: "expected failure", XPASSED: "unexpected success"}
    lines, printing, due, sections = [], [], {}, []
    for number, outcome in enumerate(outcomes):
        name = f"test_{number} (m.A.test_{number})"
        lines.append(f"{name} ... {words[outcome]}")
        printing.append(len(lines) - 1)
        if outcome in (FAILED, ERROR):
            sections += ["=" * 70, f"{words[outcome]}: {name}", "-" * 70, "Traceback: ...", ""]
        due[f"m.A.test_{number}"] = outcome
    kinds = {"failures": FAILED, "errors": ERROR, "skipped": SKIPPED}
    kinds |= {"expected failures": XFAILED, "unexpected successes": XPASSED}
    counts = ", ".join(f"{k}={outcomes.count(o)}" for k, o in kinds.items() if o in outcomes)
    bad = {FAILED, ERROR, XPASSED} & set(outcomes)
    end = ("FAILED" if bad else "OK") + (f" ({counts})" if counts else "")
    ran = f"Ran {len(outcomes)} test{'s' * (len(outcomes) != 1)} in 0.1s"
    return [*lines, "", *sections, "-" * 70, ran, "", end], printing, due


def meson(outcomes: list[Outcome]) -> Run:
    words = {PASSED: "OK", FAILED: "FAIL", ERROR: "ERROR", SKIPPED: "SKIP", TIMEOUT: "TIMEOUT"}
    words |= {XFAILED: "EXPECTEDFAIL", XPASSED: "UNEXPECTEDPASS", CRASHED: "FAIL"}
    lines, printing, due = ["ninja: no work to do."], [], {}
    for number, outcome in enumerate(outcomes, 1):
        printing.append(len(lines))
        name = f"proj:s / {number} OK"
        why = "  killed by signal 6 SIGABRT" if outcome is CRASHED else ""
        lines.append(f"{number:2}/{len(outcomes)} {name:20} {words[outcome]:14} 0.01s{why}")
        due[name] = outcome
    kinds = {"Ok": (PASSED,), "Expected Fail": (XFAILED,), "Fail": (FAILED, ERROR, CRASHED)}
    kinds |= {"Unexpected Pass": (XPASSED,), "Skipped": (SKIPPED,), "Timeout": (TIMEOUT,)}
    counts = {kind: sum(map(outcomes.count, which)) for kind, which in kinds.items()}
    return [*lines, "", *(f"{kind}:  {count}" for kind, count in counts.items())], printing, due


def codes(outcomes: list[Outcome]) -> Run:
    ends = {PASSED: 0, FAILED: 2, CRASHED: 139, TIMEOUT: 124}
    lines, printing, due = [], [], {}
    for number, outcome in enumerate(outcomes):
        printing.append(len(lines))
        lines.append(f"exit code of test/{number}.sh: {ends[outcome]}")
        due[f"test/{number}.sh"] = outcome
    return [*lines, f"exit codes: {len(outcomes)}"], printing, due


def own_lines(outcomes: list[Outcome]) -> Run:
    words = {PASSED: "ok", FAILED: "FAILED (x:1)", SKIPPED: "skipped (no tty)"}
    lines, printing, due = [], [], {}
    for number, outcome in enumerate(outcomes):
        printing.append(len(lines))
        lines.append(f"[{number:3}/{len(outcomes):3}] io: file {number} ... {words[outcome]}")
        if outcomes.count(PASSED) >= MIN_PASSES:
            due[f"run.sh > io: file {number}"] = outcome
    code = int(FAILED in outcomes)
    due["run.sh"] = FAILED if code else PASSED
    return [*lines, f"exit code of run.sh: {code}", "exit codes: 1"], printing, due


RUNNERS: Mapping[str, tuple[str, Callable[[list[Outcome]], Run], tuple[Outcome, ...]]] = {
    "jq": ("jq-run-tests", jq, (PASSED, FAILED)),
    "spec": ("spec-tests", spec, (PASSED, FAILED, ERROR, CRASHED)),
    "pathological": ("spec-tests", pathological, (PASSED, FAILED, ERROR, CRASHED, TIMEOUT)),
    "unittest": ("python-unittest", unittest, (PASSED, FAILED, ERROR, SKIPPED, XFAILED, XPASSED)),
    "meson": ("meson-console", meson, tuple(Outcome)),
    "codes": ("exit-codes", codes, (PASSED, FAILED, CRASHED, TIMEOUT)),
    "own-lines": ("exit-codes", own_lines, (PASSED, FAILED, SKIPPED)),
}
# Runners that are no part of the program under test and say last how each test ended: no text helps it.
OUTSIDE = frozenset({"unittest", "codes", "own-lines"})
CLOSINGS = [f"{p} passed, {f} failed, {e} errored" for p in range(3) for f, e in ((0, 1), (1, 0))]
CLOSINGS += ["OK", "OK (skipped=1)", *(f"Ran {n} tests in 0.1s" for n in (1, 2, 3))]
CLOSINGS += ["", "Tables extension:", *(f"exit codes: {n}" for n in (1, 2, 3))]


def parsed(name: str, lines: list[str]) -> Any:
    return reports.parse(name, {"output": "".join(f"{line}\n" for line in lines).encode()})


@pytest.mark.parametrize("runner", RUNNERS)
@given(data=st.data())
def test_what_a_runner_prints_is_read_as_it_was(runner: str, data: st.DataObject) -> None:
    name, printed, outcomes = RUNNERS[runner]
    lines, _, due = printed(data.draw(st.lists(st.sampled_from(outcomes), min_size=1)))
    report = parsed(name, lines)
    assert report.outcomes == due
    assert report.complete, report.problems


@pytest.mark.parametrize("runner", RUNNERS)
@given(data=st.data())
def test_no_line_that_a_test_prints_makes_it_pass(runner: str, data: st.DataObject) -> None:
    """Either the test that did not pass is still seen so, or the report is no whole one."""
    name, printed, outcomes = RUNNERS[runner]
    lines, printing, due = printed(data.draw(st.lists(st.sampled_from(outcomes), min_size=1)))
    known = [line for e in lookup("parsers.reports", name).examples for line in e.text.split("\n")]
    good = [line for line in printed([PASSED] * len(due))[0] if line.strip()]
    pools = [st.sampled_from(pool) for pool in (good, known, lines)]
    line = data.draw(st.one_of(*pools, st.text(max_size=20)))
    more = st.lists(st.sampled_from([*CLOSINGS, *good, *known]), max_size=4)
    printed_by_test = [line, *(data.draw(more) if runner in OUTSIDE else [])]
    if printing:
        at = data.draw(st.sampled_from(printing))
        if runner == "unittest" and data.draw(
            st.booleans()
        ):  # between a test's name and its status
            name_of, _, status = lines[at].rpartition(" ... ")
            lines[at : at + 1] = [f"{name_of} ... {line}", *printed_by_test[1:], status]
        else:
            lines[at:at] = printed_by_test
    report = parsed(name, lines)
    helped = [n for n, o in due.items() if o is not PASSED and report.outcomes.get(n) is PASSED]
    assert not helped or not report.complete, printed_by_test


FORMS = [
    "blkid: probing            : [04] NAME ... OK",
    "[  OK  ] NAME (12 ms)",
    "NAME                     [PASS]",
    "NAME (passed)",
    "\u2713 NAME",
    "PASS: NAME [0.02s]",
    "Pass: NAME",
    "NAME     \t: PASSED",
    "* NAME   ok",
    "3/9 NAME -> passed in 3 ms.",
    "NAME PASSED",
    "[1/9] [OK] NAME",
    "Test NAME passed",
    "NAME test passed!",
    "PASS NAME (3 ticks, 0.000 sec)",
    "2024-05-01 NAME: OK",
]
NO_FORMS = [
    "the NAME passed",
    "NAME",
    "-- Performing Test NAME - Success",
    "checking NAME... ok",
    "NAME FAIL  ok",
]


def told(*lines: str) -> dict[str, Outcome]:
    found = parsed("exit-codes", [*lines, "exit code of x: 0", "exit codes: 1"]).outcomes
    return {name.removeprefix("x > "): outcome for name, outcome in found.items() if name != "x"}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_in_which_three_names_pass_is_a_runners(form: str) -> None:
    lines = [form.replace("NAME", f"read-{n}") for n in "abc"]
    found = told("starting", *lines, "3 tests passed", "Result: OK")
    assert [name.rpartition("read-")[2][:1] for name in found] == ["a", "b", "c"]
    assert set(found.values()) == {PASSED}
    again = [line.replace("12 ms", "7 ms").replace("3/9", "4/9") for line in lines]
    assert told(*again) == told(*lines)
    assert not told(*lines[:2]) and not told(*lines[:1] * 9)


@pytest.mark.parametrize("form", NO_FORMS)
def test_chatter_is_no_form(form: str) -> None:
    assert not told(*(form.replace("NAME", f"read-{n}") for n in "abc"))


@pytest.mark.parametrize(
    ("line", "name", "outcome"),
    [
        ("read a ... FAILED (x[a(1)] != 4)", "read a", FAILED),
        ("read a ... NOT OK", "read a", FAILED),
        ("read a: CRASHED with 11", "read a", FAILED),
        ("read a - Segmentation fault", "read a", FAILED),
        (f"read a: error {'x' * MAX_LINE}", "read a", FAILED),
        ("[FAIL] read a", "read a", FAILED),
        ("other ... FAILED (ignored)", "other", FAILED),
        ("other ... skipped (no tty)", "other", SKIPPED),
        ("SHA-512/256 vectors ... ok", "SHA-512/256 vectors", PASSED),
        ("Test 1 ... ok", "Test 1", PASSED),
        ("other: error 3", "", None),
        ("FAILED: 0", "", None),
        ("Result: FAILED", "", None),
        ("12 of 13 tests passed.", "", None),
    ],
)
def test_what_sounds_like_a_failure_counts_against_a_name(
    line: str, name: str, outcome: Outcome
) -> None:
    due = dict.fromkeys(("read a", "read b", "read c"), PASSED)
    runs = [f"{read} ... ok" for read in due]
    assert told(*runs, line) == {**due, **({name: outcome} if name else {})}


HIDDEN = [
    ("PASS: {}", "ERROR: {}"),
    ("PASS: {}", "UNRESOLVED: {}"),
    ("[PASS] {}", "[NOT OK] {}"),
    ("[ OK ] {}", "[FAIL] {}: why"),
    ("[ OK ] {}", "[FAIL] {} (why)"),
    ("\u2713 {}", "\u00d7 {}"),
    ("OK {}", "NOT OK {}"),
    ("{}: PASSED", "{}: *** FAILED ***"),
    ("{}: PASSED", "{}: terminated by signal 11"),
    ("Running test {}... Passed", "Running test {}... ***Failed"),
    ("test {} passed", "test {} failed with status 3"),
    ("test {} passed", "test {} did not pass"),
    ("{} ... ok", "{} ... mismatch"),
    ("{} ... ok", "3/4 {} ... FAILED"),
]


@pytest.mark.parametrize(("passes", "fails"), HIDDEN)
def test_a_failure_of_a_name_is_found_behind_a_pass_that_it_printed(
    passes: str, fails: str
) -> None:
    passing = told(*map(passes.format, ("alpha", "beta", "gamma", "delta")))
    (beta,) = (name for name in passing if "beta" in name)
    found = told(*map(passes.format, ("alpha", "beta", "gamma", "delta")), fails.format("beta"))
    assert {name: found[name] for name in passing} == {**passing, beta: FAILED}


@pytest.mark.parametrize(
    "before",
    [
        "beta: expected error: bad token",
        "beta: errors: 0",
        "beta: exceptions enabled",
        "Error handling: beta",
        "beta: failed=0, errors: none",
        "error: cannot open beta",
        "FAIL: beta_missing",
        "FAIL: alphabeta",
        "FAIL: a/beta",
        "FAIL: beta -r",
    ],
)
def test_what_is_said_of_a_name_or_of_another_does_not_count_against_it(before: str) -> None:
    found = told("PASS: alpha", before, "PASS: beta", "PASS: gamma")
    assert {found[name] for name in ("alpha", "beta", "gamma")} == {PASSED}
    found = told("PASS: alpha", "PASS: beta", "PASS: gamma", before)
    assert found["beta"] is PASSED or not before.startswith(
        ("FAIL", "error", "beta: failed=0", "beta: errors: 0")
    )


@pytest.mark.parametrize("name", ["test_parse_fail", "decode_ok", "login success", "check_skip"])
def test_a_name_may_end_with_a_verdicts_word(name: str) -> None:
    assert told("a: ok", "b: ok", "c: ok", f"{name}: ok", f"{name}: FAILED")[name] is FAILED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tue Jan  2 03:04:05 2024 {}: ok", "Wed Jan  3 13:04:05 2024 {}: ok"),
        ("02/Jan/2024 {}: ok", "03/Jan/2024 {}: ok"),
        ("PASS: {} (/tmp/tmp.aX3d9f)", "PASS: {} (/tmp/tmp.Zq81kk)"),
        ("2024-01-02T03:04:05.12+00:00 {}: ok", "2024-01-03T03:04:05,1Z {}: ok"),
        ("==12== {} at 0x7ffe12: OK", "==345== {} at 0x7ffa99: OK"),
        ("[ 33%] {} ... ok", "[ 34%] {} ... ok"),
        ("[1700000000] {}: ok 3s", "[1700000100] {}: ok 4s"),
    ],
)
def test_what_differs_between_two_runs_is_no_part_of_a_name(one: str, other: str) -> None:
    first, second = (told(*map(form.format, ("alpha", "beta", "gamma"))) for form in (one, other))
    assert first.keys() == second.keys() and len(first) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", ["{x}x: FAIL", "{x} ok", "{x}ok", "[{x}", "ok{x}", "a{x}", "{x}[ok]{x}", "a{x})"]
)
@pytest.mark.parametrize("char", " .:-[(=\t0")
def test_no_line_takes_a_runners_reader_long(shape: str, char: str) -> None:
    line = shape.format(x=char * MAX_LINE)[:MAX_LINE]
    started = time.process_time()
    verdict_lines(f"{line}\n" * 70)
    assert time.process_time() - started < 1


@given(st.lists(st.tuples(*[st.integers(0, 30)] * 5), min_size=1, max_size=3))
def test_mrubys_counts_add_up_over_runs(runs: list[tuple[int, ...]]) -> None:
    names = ("   OK", "   KO", "Crash", "Warning", " Skip")
    text = "".join(
        f"..\nTotal: {sum(run)}\n" + "".join(f"{n}: {c}\n" for n, c in zip(names, run, strict=True))
        for run in runs
    )
    report = reports.parse("mruby-test", {"output": text.encode()})
    due = [sum(counts) for counts in zip(*runs, strict=True)]
    seen = [list(report.outcomes.values()).count(o) for o in (PASSED, FAILED, ERROR, SKIPPED)]
    assert seen == [due[0], due[1], due[2], due[3] + due[4]]
    assert report.complete is (sum(due) > 0)
    one_more = text.replace("Total: ", "Total: 1", 1)
    assert not reports.parse("mruby-test", {"output": one_more.encode()}).complete


ENDLESS = {
    "spec-tests": "Tables:\n999999999 passed, 0 failed\n",
    "python-unittest": "Ran 999999999 tests in 0.1s\n\nOK\n",
    "mruby-test": "Total: 999999999\nOK: 999999999\n",
    "gtest": "[==========] 999999999 tests ran.\n[  PASSED  ] 999999999 tests.\n",
    "automake": "# TOTAL: 999999999\n# PASS: 999999999\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_counts_without_end_cost_no_time_without_end(name: str) -> None:
    started = time.process_time()
    report = reports.parse(name, {"output": ENDLESS[name].encode() * 2_000}, 0)
    assert time.process_time() - started < 8
    assert not report.complete
