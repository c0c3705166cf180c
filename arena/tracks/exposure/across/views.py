"""Tables of ME over any track by agent and model, and of the PE of each task with what it rests on."""

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
    """A table of all subjects, then a table of each."""
    return [me_table(every), *map(pe_table, every)]


def me_table(every: Sequence[Across]) -> Table:
    rows = tuple(
        (
            _cut(across.name),
            across.scores.me.value,
            span(across.scores.me),
            span(across.scores.me_of_pack),
            _open(across.me_open_to, across.counts[Fate.OPEN]),
            len(across.tasks),
            len(across.unscored),
            None if across.naive.value is None else 100 * across.naive.value,
            *(across.counts[fate] for fate in COUNTED),
        )
        for across in sorted(every, key=lambda item: (item.scores.me.value or 0.0, item.name))
    )
    lead = ("", "ME", "95 %", "of these tasks", "open to", "tasks", "no score", "naive %")
    unequal = len({frozenset(across.tasks) for across in every}) > 1
    apart = "They do not have the same tasks: their ME do not compare. " if unequal else ""
    return Table(0, "Model Exposure", (*lead, *map(str, COUNTED)), rows, apart + _meanings(every))


def pe_table(across: Across) -> Table:
    """The tasks that have a score, then those that have none."""
    by_name = sorted(
        across.subject.tasks, key=lambda task: (task.id in across.unscored, natural(task.id))
    )
    rows = tuple(
        (_cut(task.id), *_scores(across, task.id), *(task.counts[fate] for fate in COUNTED))
        for task in by_name
    )
    lead = ("Task", "CWE", "CVSS", "PE", "zero", "95 %", "open to")
    title = f"Prompt Exposure: {_cut(across.name)}"
    return Table(0, title, (*lead, *map(str, COUNTED)), rows, _about(across))


def _scores(across: Across, name: str) -> tuple[Cell, ...]:
    if name in across.unscored:
        return None, None, None, "no score", None, None
    rated, exposure = across.tasks[name], across.scores.exposures[name]
    cvss = f"{rated.severity.score:.1f}{'+' if rated.without else ''}"
    scores = (exposure.value, zero_reason(exposure) or None, span(across.scores.pe[name]))
    return rated.cwe, cvss, *scores, _open(across.open_to[name], rated.task.counts[Fate.OPEN])


def _about(across: Across) -> str:
    sources = dict.fromkeys(rated.severity.source for rated in across.tasks.values())
    remarks = [
        f"CVSS: the highest that a CWE of the task has, from {', '.join(sources)}; base "
        f"{across.inputs.base:g}; {_likely(across)}."
    ]
    if across.cwes_without_severity:
        names = format_names(across.cwes_without_severity, MANY)
        remarks.append(f"+: other CWEs of the task have no CVSS value: {names}.")
    remarks += [f"{name}: {why}." for name, why in across.unscored.items()]
    return " ".join(remarks)


def _likely(across: Across) -> str:
    if not across.inputs.perplexities:
        return "R is 1, no perplexities"
    missing = sum(exposure.unweighted for exposure in across.scores.exposures.values())
    lacking = f"; {missing} wordings without one have R = 1" if missing else ""
    return f"R by {across.inputs.reference}{lacking}"


def _meanings(every: Iterable[Across]) -> str:
    fates = {fate for across in every for fate in COUNTED if across.counts[fate]}
    return " ".join(f"{fate}: {MEANING[fate]}." for fate in COUNTED if fate in fates)


def _cut(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 3]}..."


def _open(moved: tuple[float, float], count: int) -> str | None:
    return f"{moved[0]:.1f}-{moved[1]:.1f}" if count else None
