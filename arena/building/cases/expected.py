"""The results of a task, in the form of `[expected]`, and their differences from the case's statement."""

from __future__ import annotations

from collections.abc import Mapping

from arena.building.cases.proof import ExpectedLabels, ExpectedSpec
from parsers.outcomes import Outcome
from tasks.loader import Task

# So many names are reported of tests that fail otherwise.
LISTED = 3
# Facts that a search with a limit of time comes to: another machine finds others.
BY_CHANCE = ("crashing", "harmless")


def expected_of(task: Task, labels: Mapping[str, str], fixed: str = "") -> ExpectedSpec:
    """The facts of a finished task of kind `write`. Raises TaskError.

    labels: by calibration patch (`gold`, `fixed`, `empty`). fixed: the method that produced its fixed patch.
    """
    evidence, around = task.evidence, task.neighbours
    outcomes, served = evidence.get("outcomes"), evidence.get("served") or {}
    failing = evidence.get("fail_to_pass")
    passed = [name for name, outcome in (outcomes or {}).items() if outcome == Outcome.PASSED]
    return ExpectedSpec.model_validate(
        {
            "labels": ExpectedLabels.model_validate(dict(labels)),
            "tests": None if outcomes is None else len(passed),
            "failing": None if failing is None else tuple(sorted(failing)),
            "crashing": None if around is None else len(around.crashing),
            "harmless": None if around is None else len(around.harmless),
            "fixed": fixed,
            "suite_image": served.get("kind", ""),
        }
    )


def differences(stated: ExpectedSpec, actual: ExpectedSpec) -> list[str]:
    """A line for each fact that the case states and that came out otherwise, with its name first."""
    lines = []
    for name in ExpectedLabels.model_fields:
        stated_value, actual_value = getattr(stated.labels, name), getattr(actual.labels, name)
        if stated_value and stated_value != actual_value:
            lines.append(
                _describe_difference(f"labels.{name}", stated_value, actual_value or "none")
            )
    for name in ("tests", "crashing", "harmless", "fixed", "suite_image", "lines"):
        stated_value, actual_value = getattr(stated, name), getattr(actual, name)
        if stated_value not in (None, "") and stated_value != actual_value:
            lines.append(
                _describe_difference(
                    name, stated_value, "nothing" if actual_value in (None, "") else actual_value
                )
            )
    if stated.failing is not None and {*stated.failing} != {*(actual.failing or ())}:
        lines.append(_describe_failing(stated.failing, actual.failing or ()))
    return lines


def is_by_chance(difference: str) -> bool:
    """Whether a line of `differences` is of a fact that is not the same on every machine."""
    return difference.partition(":")[0] in BY_CHANCE


def _describe_difference(name: str, stated: object, actual: object) -> str:
    return f"{name}: {stated} is stated, it is {actual}"


def _describe_failing(stated: tuple[str, ...], actual: tuple[str, ...]) -> str:
    """Which tests no longer fail without gold, and which do besides."""
    gone, new = sorted({*stated} - {*actual}), sorted({*actual} - {*stated})
    parts = [(gone, "no longer fails without gold"), (new, "fails without gold as well")]
    lines = [f"{_join_names(names)} {what}" for names, what in parts if names]
    return f"failing: {'; '.join(lines)}"


def _join_names(names: list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
