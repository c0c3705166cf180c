"""On what attempts rest, in words, and whether their labels compare: only what was graded alike does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from arena.report.text import one_line
from arena.store.model import Row
from arena.store.provenance import FACTS, Fact, Scope
from harness.grade.ports import digest_of

UNRECORDED = "not recorded"
# Different values of a fact that are listed.
MAX_LISTED_VALUES = 4
OPTION = "--mix-versions"


class VersionsDiffer(ValueError):
    """Labels that do not compare would be reported together; the message names them and the option."""


def expect_comparable(rows: Iterable[Row], mix_versions: bool) -> None:
    """Raise VersionsDiffer where labels of `rows` do not compare, unless the user wants them together."""
    if mix_versions:
        return
    if mixed := differences(rows):
        raise VersionsDiffer(
            f"these labels do not compare: {'; '.join(mixed)}; {OPTION} takes them together"
        )


def warn_of_mixing(
    rows: Iterable[Row], mix_versions: bool, warn: Callable[[str], None]
) -> list[str]:
    """Pass to `warn` what does not compare. Raises VersionsDiffer unless `mix_versions` allows a mix."""
    labelled = [row for row in rows if row.label is not None]
    expect_comparable(labelled, mix_versions)
    mixed = mixing(labelled)
    for warning in mixed:
        warn(f"warning: {warning}")
    return mixed


def mixing(rows: Iterable[Row]) -> list[str]:
    """Warnings for a report over labels that do not compare."""
    return [
        f"labels that do not compare are taken together: {mixed}" for mixed in differences(rows)
    ]


def differences(rows: Iterable[Row]) -> list[str]:
    """A line for each fact in which attempts with a label differ and must not.

    An attempt of which nothing is recorded compares with others of that kind alone.
    """
    labelled = [row for row in rows if row.label is not None]
    recorded = [row for row in labelled if row.provenance.grader_version]
    lines = [_compare_within_tracks(fact, labelled) for fact in FACTS if fact.scope is Scope.TRACK]
    lines += [_compare_within_tasks(fact, recorded) for fact in FACTS if fact.scope is Scope.TASK]
    return [line for line in lines if line]


def _compare_within_tracks(fact: Fact, rows: Sequence[Row]) -> str:
    tracks: dict[str, Counter[str]] = {}
    for row in rows:
        tracks.setdefault(row.track, Counter())[_value(row, fact)] += 1
    texts = [_list_values(values) for values in tracks.values() if len(values) > 1]
    return f"{fact.label}: {', '.join(texts)}" if texts else ""


def _compare_within_tasks(fact: Fact, rows: Sequence[Row]) -> str:
    tasks: dict[tuple[str, str, str], Counter[str]] = {}
    for row in rows:
        tasks.setdefault((row.track, row.pack, row.task), Counter())[_value(row, fact)] += 1
    mixed = {task: values for (_, _, task), values in tasks.items() if len(values) > 1}
    if not mixed:
        return ""
    task, values = next(iter(mixed.items()))
    more = f" and of {len(mixed) - 1} more" if len(mixed) > 1 else ""
    return f"{fact.label} of {one_line(task)}{more}: {_list_values(values)}"


def summary(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Each fact's name and its values in words, for heads of reports; facts that no attempt has are left out.

    Facts of grading are those of the labelled attempts, the rest those of ended attempts that used a model.
    """
    counts: dict[Fact, Counter[str]] = {fact: Counter() for fact in FACTS}
    tasks: dict[str, set[str]] = {}
    for row in rows:
        for fact, values in counts.items():
            if (row.label is not None) if fact.of_verdict else (row.model and row.health):
                values[_value(row, fact)] += 1
        if row.label is not None and row.provenance.task_digest:
            tasks.setdefault(f"{row.pack}/{row.task}", set()).add(row.provenance.task_digest)
    texts = {
        fact: _list_values(values) for fact, values in counts.items() if set(values) - {"none"}
    }
    return [
        (fact.label, _pack_digest(tasks) if fact.name == "task_digest" and tasks else text)
        for fact, text in texts.items()
    ]


def summary_line(rows: Iterable[Row]) -> str:
    """`summary` as a single line for a terminal."""
    return one_line("; ".join(f"{label} {text}" for label, text in summary(rows)))


def _pack_digest(tasks: dict[str, set[str]]) -> str:
    """The number of tasks and a digest over their digests, which identifies the used part of the pack.

    Of a single task its digest, as `arena show` has it.
    """
    digests = {digest for of_task in tasks.values() for digest in of_task}
    if len(tasks) == len(digests) == 1:
        return f"{digests.pop()} over 1 task"
    lines = [f"{task} {digest}" for task in sorted(tasks) for digest in sorted(tasks[task])]
    return f"{digest_of(*lines)} over {len(tasks)} task{'s' if len(tasks) > 1 else ''}"


def _value(row: Row, fact: Fact) -> str:
    """A fact in words: what stands there, "none" where it does not apply, or that it is not recorded."""
    provenance = row.provenance
    text: str = getattr(provenance, fact.name)
    if text:
        return f"{row.agent} {text}" if fact.name == "agent_version" else text
    recorded = provenance.grader_version if fact.of_verdict else provenance.prices
    return "none" if recorded else UNRECORDED


def _list_values(values: Counter[str]) -> str:
    """The values, the commonest first, each with its number of attempts if there are several."""
    if len(values) == 1:
        return next(iter(values))
    ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    texts = [f"{one_line(value)} ({count})" for value, count in ordered[:MAX_LISTED_VALUES]]
    more = [f"{len(ordered) - MAX_LISTED_VALUES} more"] if len(ordered) > MAX_LISTED_VALUES else []
    return ", ".join((*texts, *more))
