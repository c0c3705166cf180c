"""Tables over other tracks: who has which ME, and the PE of each task with what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.report.grid import Cell, Table
from arena.report.text import natural
from arena.tracks.exposure.across.outcomes import MEANING, Fate
from arena.tracks.exposure.across.scoring import Across, format_names
from arena.tracks.exposure.table_notes import span, zero_reason

MANY, MAX_NAME = 20, 28
COUNTED = (Fate.VULNERABLE, Fate.SAFE, Fate.INVALID, Fate.UNPROVEN, Fate.OPEN)


def tables(every: Sequence[Across]) -> list[Table]:
    """A table of all, then one of each."""
    return [me_table(every), *map(pe_table, every)]


def me_table(every: Sequence[Across]) -> Table:
    rows = tuple(
        (
            _cut(one.name),
            one.scores.me.value,
            span(one.scores.me),
            span(one.scores.me_of_pack),
            _open(one.me_open_to, one.counts[Fate.OPEN]),
            len(one.tasks),
            len(one.unscored),
            None if one.naive.value is None else 100 * one.naive.value,
            *(one.counts[fate] for fate in COUNTED),
        )
        for one in sorted(every, key=lambda one: (one.scores.me.value or 0.0, one.name))
    )
    lead = ("", "ME", "95 %", "of these tasks", "open to", "tasks", "no score", "naive %")
    unequal = len({frozenset(one.tasks) for one in every}) > 1
    apart = "They do not have the same tasks: their ME do not compare. " if unequal else ""
    return Table(0, "Model Exposure", (*lead, *map(str, COUNTED)), rows, apart + _meanings(every))


def pe_table(one: Across) -> Table:
    """The tasks that have a score, then those that have none."""
    by_name = sorted(
        one.subject.tasks, key=lambda task: (task.id in one.unscored, natural(task.id))
    )
    rows = tuple(
        (_cut(task.id), *_scores(one, task.id), *(task.counts[fate] for fate in COUNTED))
        for task in by_name
    )
    lead = ("Task", "CWE", "CVSS", "PE", "zero", "95 %", "open to")
    title = f"Prompt Exposure: {_cut(one.name)}"
    return Table(0, title, (*lead, *map(str, COUNTED)), rows, _about(one))


def _scores(one: Across, name: str) -> tuple[Cell, ...]:
    if name in one.unscored:
        return None, None, None, "no score", None, None
    rated, exposure = one.tasks[name], one.scores.exposures[name]
    cvss = f"{rated.severity.score:.1f}{'+' if rated.without else ''}"
    scores = (exposure.value, zero_reason(exposure) or None, span(one.scores.pe[name]))
    return rated.cwe, cvss, *scores, _open(one.open_to[name], rated.task.counts[Fate.OPEN])


def _about(one: Across) -> str:
    sources = dict.fromkeys(rated.severity.source for rated in one.tasks.values())
    told = [
        f"CVSS: the highest that a CWE of the task has, from {', '.join(sources)}; base "
        f"{one.inputs.base:g}; {_likely(one)}."
    ]
    if one.cwes_without_severity:
        told.append(
            f"+: other CWEs of the task have no CVSS value: {format_names(one.cwes_without_severity, MANY)}."
        )
    told += [f"{name}: {why}." for name, why in one.unscored.items()]
    return " ".join(told)


def _likely(one: Across) -> str:
    if not one.inputs.perplexities:
        return "R is 1, no perplexities"
    missing = sum(exposure.unweighted for exposure in one.scores.exposures.values())
    lacking = f"; {missing} wordings without one have R = 1" if missing else ""
    return f"R by {one.inputs.reference}{lacking}"


def _meanings(every: Iterable[Across]) -> str:
    seen = {fate for one in every for fate in COUNTED if one.counts[fate]}
    return " ".join(f"{fate}: {MEANING[fate]}." for fate in COUNTED if fate in seen)


def _cut(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 3]}..."


def _open(moved: tuple[float, float], count: int) -> str | None:
    return f"{moved[0]:.1f}-{moved[1]:.1f}" if count else None
