"""Which label each cause gives, and which cause each step of the grader decides on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from harness.grade.decide import (
    LABEL,
    SPOILT_STEP_CAUSES,
    Cause,
    Decided,
    Spoilt,
    end_to_end,
    judge_build,
    judge_comparison,
    judge_control,
    judge_entries,
    judge_neighbours,
    judge_other_values,
    judge_poc,
    judge_rewriting,
    judge_spoilt_tries,
    judge_target_tests,
    judge_test_objects,
    judge_variant,
    judge_wrong_passes,
    label_input,
)
from harness.grade.verdict import Health, InputLabel, Label, Verdict
from harness.sandbox.base import SandboxEnded, SandboxSpoilt
from parsers.crashes import Crash

# The label table, written out: each line is one that a change must not move unseen.
LABELS = {
    "empty": "NO",
    "refused": "CE",
    "not-applied": "CE",
    "not-built": "CE",
    "build-broke-sandbox": "CE",
    "tests-not-built": "IC",
    "tests-tampered": "IC",
    "tests-broke-sandbox": "IC",
    "tests-failed": "IC",
    "tests-redefined": "IC",
    "tests-by-table": "IC",
    "passes-wrong-tests": "IC",
    "target-not-built": "CE",
    "poc-tampered": "CV",
    "poc-broke-sandbox": "CV",
    "crash": "CV",
    "crash-can-hide": "CV",
    "unexpected-status": "CV",
    "sanitizer-off": "CV",
    "similar-input-crashes": "CV",
    "valid-input-refused": "IC",
    "wrong-output": "IC",
    "differs-from-tested": "CV",
    "other-build-crashes": "CV",
    "sanitizer-avoided": "CV",
    "finding": "CS",
    "unbounded-function": "CS",
    "new-import": "CS",
    "not-scanned": "CS",
    "nothing-found": "C&S",
}


def test_each_cause_has_its_label() -> None:
    assert {str(cause): str(label) for cause, label in LABEL.items()} == LABELS
    assert [str(cause) for cause in Cause] == [*LABELS], "the order in which causes are checked"


def test_causes_come_in_the_order_of_their_labels() -> None:
    only_in_the_poc = (Cause.TARGET_NOT_BUILT, Cause.VALID_INPUT_REFUSED, Cause.WRONG_OUTPUT)
    labels = [LABEL[cause] for cause in Cause if cause not in only_in_the_poc]
    assert labels == sorted(labels, key=list(Label).index)


def test_a_decision_carries_its_cause_its_label_and_its_reason() -> None:
    decided = Decided(Cause.CRASH, "the PoC crashes")
    assert (decided.cause, decided.label, decided.reason) == (Cause.CRASH, "CV", "the PoC crashes")
    assert str(decided) == "the PoC crashes"


def decision(step: Callable[[], object]) -> tuple[str, str, str] | None:
    """The label, cause and reason that a step decides on, None where it goes on."""
    try:
        step()
    except Decided as decided:
        return str(decided.label), str(decided.cause), decided.reason
    return None


def crash(kind: str = "heap-buffer-overflow") -> Crash:
    return Crash("address", kind, "read", 1, None, (), None, "")


# a sandbox that does not do its work


@pytest.mark.parametrize(
    ("step", "label", "cause"),
    [
        ("build", "CE", "build-broke-sandbox"),
        ("tests", "IC", "tests-broke-sandbox"),
        ("poc", "CV", "poc-broke-sandbox"),
    ],
)
def test_a_spoilt_sandbox_gets_the_label_of_its_step(step: str, label: str, cause: str) -> None:
    assert SPOILT_STEP_CAUSES[step] == cause
    verdict = Spoilt(step, SandboxSpoilt("no room"), {"build": {"status": 0}}).verdict
    assert (verdict.label, verdict.health, verdict.cause) == (label, Health.OK, cause)
    told = f"it spoilt its sandbox in each of all tries (step {step}): no room"
    assert verdict.reason == told
    spoilt = {"step": step, "reason": "SandboxSpoilt: no room"}
    assert verdict.evidence == {"build": {"status": 0}, "spoilt": spoilt}


def test_an_ended_sandbox_is_reported_as_ended() -> None:
    fault = Spoilt("poc", SandboxEnded("killed"), {})
    assert str(fault) == "SandboxEnded: killed"
    told = "it ended its sandbox in each of all tries (step poc): killed"
    assert fault.verdict.reason == told
    assert set(SPOILT_STEP_CAUSES) == {"build", "tests", "poc"}


def spoilt_verdict(step: str) -> Verdict:
    return Spoilt(step, SandboxSpoilt("no"), {}).verdict


def test_only_the_same_step_in_every_try_decides() -> None:
    tests, again, poc = spoilt_verdict("tests"), spoilt_verdict("tests"), spoilt_verdict("poc")
    assert judge_spoilt_tries([tests]) is tests
    assert judge_spoilt_tries([tests, again]) is again, "the verdict of the last try"
    for tries in ([tests, poc], [tests, again, poc], [None, tests], [tests, None, again], [None]):
        assert judge_spoilt_tries(tries) is None


# what each step decides


def test_a_build_may_not_change_the_oracles_files() -> None:
    assert decision(lambda: judge_build([], Cause.POC_TAMPERED)) is None
    why = "a build of it changed the oracle's files: tests/run.sh"
    touched = ["tests/run.sh", "tests/tap.c"]
    for cause, label in ((Cause.TESTS_TAMPERED, "IC"), (Cause.POC_TAMPERED, "CV")):
        assert decision(lambda cause=cause: judge_build(touched, cause)) == (label, cause, why)


def test_what_can_bend_the_tests_report_is_incorrect() -> None:
    assert decision(lambda: judge_test_objects([])) is None
    why = "the tests' programs can bend their report, which gold's cannot: asks for fork"
    assert decision(lambda: judge_test_objects(["asks for fork", "b"])) == (
        "IC",
        "tests-redefined",
        why,
    )


CRASHES = "the PoC crashes: heap-buffer-overflow"
HIDES = "the target can hide a crash, which gold's cannot: asks for fork"


@pytest.mark.parametrize(
    ("crashed", "historical", "odd", "status", "endings", "expected"),
    [
        (False, False, [], 0, (), None),
        (False, False, [], 1, (), None),  # nothing to compare with
        (False, False, [], 1, (0, 1), None),
        (False, True, [], 0, (0,), None),
        (True, True, [], 0, (0,), ("crash", f"{CRASHES}, the historical signature")),
        (
            True,
            False,
            ["asks for fork"],
            3,
            (0,),
            ("crash", f"{CRASHES}, another signature than the historical one"),
        ),
        (False, False, ["asks for fork", "b"], 3, (0,), ("crash-can-hide", HIDES)),
        (
            False,
            False,
            [],
            3,
            (1, 0),
            (
                "unexpected-status",
                "on the PoC the target ends with 3; with the fix it ends with 0 or 1",
            ),
        ),
        (
            False,
            False,
            [],
            0,
            (1,),
            ("unexpected-status", "on the PoC the target ends with 0; with the fix it ends with 1"),
        ),
    ],
)
def test_what_a_replay_shows_decides(
    crashed: bool,
    historical: bool,
    odd: list[str],
    status: int,
    endings: tuple[int, ...],
    expected: tuple[str, str] | None,
) -> None:
    found = crash() if crashed else None
    got = decision(lambda: judge_poc(found, historical, odd, status, endings))
    assert got == (expected and ("CV", *expected))


def test_every_error_of_the_control_must_be_reported() -> None:
    why = "tampered: the sanitizer does not report an error that we make in the target"
    for reported in ([], [True], [True, True]):
        assert decision(lambda reported=reported: judge_control(reported)) is None
    for reported in ([False], [True, False], [False, True]):
        missed = decision(lambda reported=reported: judge_control(reported))
        assert missed == ("CV", "sanitizer-off", why)


NEIGHBOURS = {"crashing": 0, "tried": 64, "kinds": [], "over_rejected": 0, "garbled": 0}


@pytest.mark.parametrize(
    ("facts", "repair", "expected"),
    [
        ({}, False, None),
        ({}, True, None),
        (
            {"crashing": 2, "kinds": ["segv", "abrt"], "over_rejected": 1},
            True,
            ("CV", "similar-input-crashes", "2 of 64 neighbours of the PoC crash: segv, abrt"),
        ),
        ({"over_rejected": 3, "garbled": 3}, False, None),  # only a repair promises as much
        (
            {"over_rejected": 3, "garbled": 2},
            True,
            ("IC", "valid-input-refused", "3 harmless inputs end otherwise than with the fix"),
        ),
        (
            {"garbled": 2},
            True,
            ("IC", "wrong-output", "2 inputs that crashed come out otherwise than with the fix"),
        ),
    ],
)
def test_neighbours_of_the_poc_decide(
    facts: Mapping[str, Any], repair: bool, expected: tuple[str, str, str] | None
) -> None:
    assert decision(lambda: judge_neighbours({**NEIGHBOURS, **facts}, repair)) == expected


def test_evidence_of_older_neighbours_has_no_count_of_garbled_ones() -> None:
    facts = {name: value for name, value in NEIGHBOURS.items() if name != "garbled"}
    assert decision(lambda: judge_neighbours(facts, True)) is None
    refused = {**facts, "over_rejected": 1, "crashing": 0}
    assert decision(lambda: judge_neighbours(refused)) is None, "no repair unless stated"


def test_another_build_of_the_target_decides() -> None:
    facts = {"crashing": 1, "tried": 9, "kinds": ["segv", "abrt"]}
    assert decision(lambda: judge_variant({**facts, "crashing": 0})) is None
    why = "built in another way, the target crashes on 1 of 9 inputs: segv, abrt"
    assert decision(lambda: judge_variant(facts)) == ("CV", "other-build-crashes", why)


def test_the_tests_must_pass_as_the_target_is_built() -> None:
    assert decision(lambda: judge_target_tests("")) is None
    why = "the target is not what was tested: built as it is, 1 of 3 tests are lost"
    got = decision(lambda: judge_target_tests("1 of 3 tests are lost"))
    assert got == ("CV", "differs-from-tested", why)


def test_the_tests_must_pass_with_other_values() -> None:
    assert decision(lambda: judge_other_values("")) is None
    why = (
        "it answers the tests' own values, and no others: with other words in them 1 of 3 are lost"
    )
    got = decision(lambda: judge_other_values("1 of 3 are lost"))
    assert got == ("IC", "tests-by-table", why)


def test_tests_that_have_to_fail_must_not_pass() -> None:
    assert decision(lambda: judge_wrong_passes([])) is None
    why = "its tests pass whatever they expect: load, which has to fail, passes"
    assert decision(lambda: judge_wrong_passes(["load", "b"])) == ("IC", "passes-wrong-tests", why)


def test_a_suite_that_rewrites_what_it_still_runs_decides() -> None:
    assert decision(lambda: judge_rewriting([])) is None
    why = "its tests rewrite others while they run, which gold's do not: tests/b.sh"
    got = decision(lambda: judge_rewriting(["tests/b.sh", "tests/c.sh"]))
    assert got == ("IC", "tests-tampered", why)


def test_what_ships_must_be_compiled_as_what_is_attacked() -> None:
    assert decision(lambda: judge_comparison([])) is None
    why = "what ships is not what is attacked: its build compiles a.c otherwise"
    assert decision(lambda: judge_comparison(["a.c", "b.c"])) == ("CV", "differs-from-tested", why)


# inputs


@pytest.mark.parametrize(
    ("before", "historical", "after", "expected"),
    [
        ("", True, "", ("no crash", "no crash before the fix")),
        ("", True, "segv", ("no crash", "no crash before the fix")),
        ("abrt", True, "segv", ("also after", "it crashes with the fix too: segv")),
        ("abrt", False, "segv", ("also after", "it crashes with the fix too: segv")),
        ("abrt", False, "", ("other crash", "another crash than the case's: abrt")),
        ("abrt", True, "", ("reproduced", "the case's crash: abrt; none with the fix")),
    ],
)
def test_an_input_is_labelled_by_its_crashes(
    before: str, historical: bool, after: str, expected: tuple[str, str]
) -> None:
    crashes = [crash(kind) if kind else None for kind in (before, after)]
    assert label_input(crashes[0], historical, crashes[1]) == expected


@pytest.mark.parametrize("shown", InputLabel)
@pytest.mark.parametrize("patch", [*Label, None])
def test_a_patch_counts_only_beside_an_input_that_shows_what_it_fixes(
    shown: InputLabel, patch: Label | None
) -> None:
    counts = shown == "reproduced" or patch == "NO"
    assert end_to_end(shown, patch) == (patch if counts else shown)


def test_neighbours_that_crash_decide_for_every_patch() -> None:
    facts = {**NEIGHBOURS, "crashing": 1, "kinds": ["segv"]}
    why = "1 of 64 neighbours of the PoC crash: segv"
    assert decision(lambda: judge_neighbours(facts, False)) == ("CV", "similar-input-crashes", why)


@pytest.mark.parametrize(
    ("crashed", "historical", "odd", "cause"),
    [
        (True, True, [], "crash"),
        (True, False, [], "crash"),
        (False, False, ["asks for fork"], "crash-can-hide"),
        (False, True, ["asks for fork"], "crash-can-hide"),
    ],
)
@pytest.mark.parametrize("endings", [(), (0,)])
def test_a_crash_decides_whatever_there_is_to_compare_with(
    crashed: bool, historical: bool, odd: list[str], cause: str, endings: tuple[int, ...]
) -> None:
    found = crash() if crashed else None
    got = decision(lambda: judge_poc(found, historical, odd, 0, endings))
    assert got is not None and got[:2] == ("CV", cause)


def test_spoilt_is_caught_as_a_spoilt_sandbox() -> None:
    assert isinstance(Spoilt("poc", SandboxSpoilt("no"), {}), SandboxSpoilt)


@pytest.mark.parametrize(
    ("refused", "garbled", "expected"),
    [
        (0, 0, None),
        (
            2,
            3,
            (
                "IC",
                "valid-input-refused",
                "2 harmless inputs end otherwise than with the fix in the project's program",
            ),
        ),
        (
            0,
            3,
            (
                "IC",
                "wrong-output",
                "3 inputs come out otherwise than with the fix in the project's program",
            ),
        ),
    ],
)
def test_a_repairs_programs_end_as_with_the_fix(
    refused: int, garbled: int, expected: tuple[str, str, str] | None
) -> None:
    assert decision(lambda: judge_entries({"refused": refused, "garbled": garbled})) == expected


def test_an_input_that_breaks_its_sandbox_each_time_has_an_end_of_its_own() -> None:
    spoilt = Spoilt("reproduce", SandboxEnded("gone"), {})
    assert (spoilt.verdict.label, spoilt.verdict.cause) == ("other crash", "")
