"""SecureAgentBench's Figures 4 to 7 over any attempts; and labels by complexity, and new vulnerabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from arena.protocols import Facts
from arena.report.bars import MAX_ROWS, Part, Row, draw_stacked_bars
from arena.report.cost_figure import cost_figure
from arena.report.grid import Figure
from arena.report.names import cut_apart
from arena.report.svg import COLOURS, MAX_LABEL, SHADES
from arena.report.text import natural
from arena.store.model import Attempt
from arena.tracks.repo.labels import VOCABULARY

# The labels of what passes the tests.
CORRECT = ("CV", "CS", "C&S")
NO_CWE = "not told"
STEPS = {
    "files": ((1, "1 file"), (2, "2 files"), (5, "3 to 5 files")),
    "lines": ((10, "1 to 10 lines"), (50, "11 to 50 lines"), (150, "51 to 150 lines")),
}
MORE = "more"
PROMPT_WORDS: Mapping[str, str] = {"neutral": "without", "reminder": "with"}
# Labels of attempts, by what they are grouped by.
Labels = Mapping[str, Counter[str]]


def figures_of(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
    """Those that the attempts have something for; attempts without a label are in none.

    4: labels by agent, model and prompt. 5: C&S against USD. 6: vulnerable among correct, by CWE and agent.
    7: with and without the reminder. Calibration is left out where there is anything else.
    """
    labelled = [attempt for attempt in attempts if attempt.label in VOCABULARY.labels]
    # Calibration agents come to their label by construction and would stretch every axis.
    compared = [
        attempt for attempt in labelled if not VOCABULARY.calibrates(attempt.key.agent)
    ] or labelled
    columns = _group_labels((attempt.column, attempt) for attempt in compared)
    best = sorted(columns.items(), key=lambda item: -_share(item[1], VOCABULARY.good))
    svg_by_title = {
        "Figure 4. Labels by agent and model": _labels(dict(best)),
        "Figure 5. Correct and secure against cost": _costs(compared, dict(best)),
        "Figure 6. Vulnerable among correct, by CWE and agent": _weaknesses(compared, facts),
        "Figure 7. With and without the security reminder": _labels(_groups_of_prompts(compared)),
        **{
            f"Labels by complexity: {name} that gold changes": _labels(
                _groups_of_sizes(compared, facts, name)
            )
            for name in STEPS
        },
        "New findings by CWE": _findings_by_cwe(compared),
    }
    return [Figure(title, svg) for title, svg in svg_by_title.items() if svg]


def _group_labels(named: Iterable[tuple[str, Attempt]], order: Iterable[str] = ()) -> Labels:
    """Label counts by name, from (name, attempt); names in `order` come first, in that order."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in order}
    for name, attempt in named:
        counts.setdefault(name, Counter())[str(attempt.label)] += 1
    return {name: labels for name, labels in counts.items() if labels}


def _share(labels: Counter[str], wanted: Iterable[str]) -> float:
    return sum(labels[label] for label in wanted) / labels.total()


def _labels(groups: Labels) -> str:
    """A bar for each group, stacked in the order of the labels; "" without groups."""
    shown = VOCABULARY.shown({label for labels in groups.values() for label in labels})
    rows = [
        Row(
            name,
            [
                Part(
                    _share(labels, (meaning.label,)),
                    COLOURS[meaning.kind],
                    f"{name}: {meaning.label} {labels[meaning.label]} of {labels.total()}",
                )
                for meaning in shown
            ],
            f"n = {labels.total()}",
        )
        for name, labels in groups.items()
    ]
    legend = {meaning.label: COLOURS[meaning.kind] for meaning in shown}
    return draw_stacked_bars("Labels, % of attempts", rows, legend) if rows else ""


def _costs(attempts: Sequence[Attempt], columns: Labels) -> str:
    """A numbered dot a column at its USD for each attempt; "" where nothing cost anything."""
    spent = {
        name: sum(attempt.usd for attempt in attempts if attempt.column == name) for name in columns
    }
    if not any(spent.values()):
        return ""
    points = {
        name: (spent[name] / labels.total(), _share(labels, VOCABULARY.good))
        for name, labels in list(columns.items())[:MAX_ROWS]
    }
    return cost_figure("C&S in % against USD", "USD for each labelled attempt", points)


def _weaknesses(attempts: Sequence[Attempt], facts: Facts) -> str:
    """The vulnerable among the correct; each agent has its part of the bar, the largest first."""
    correct = [
        (cwe, attempt)
        for attempt in attempts
        if attempt.label in CORRECT
        for cwe in _cwes(attempt, facts)
    ]
    groups = _group_labels(correct)
    if not groups:
        return ""
    agents = sorted({attempt.key.agent for _, attempt in correct})
    shade = {agent: SHADES[number % len(SHADES)] for number, agent in enumerate(agents)}
    whose = Counter(
        (cwe, attempt.key.agent)
        for cwe, attempt in correct
        if attempt.label in VOCABULARY.vulnerable
    )

    def parts(cwe: str) -> Iterator[Part]:
        n = groups[cwe].total()
        for agent in sorted(agents, key=lambda name: -whose[cwe, name]):
            count = whose[cwe, agent]
            title = f"{cwe}, {agent}: {count} of {n} correct are vulnerable"
            yield Part(count / n, shade[agent], title)

    rows = [
        Row(cwe, list(parts(cwe)),
            f"{100 * _share(groups[cwe], VOCABULARY.vulnerable):.0f} % of {groups[cwe].total()}")
        for cwe in sorted(groups, key=natural)
    ]  # fmt: skip
    names = cut_apart(agents, MAX_LABEL // 2)
    legend = {names[agent]: shade[agent] for agent in agents}
    return draw_stacked_bars("Vulnerable among correct, %", rows, legend)


def _cwes(attempt: Attempt, facts: Facts) -> Sequence[str]:
    fact = facts.get(attempt.key.task)
    return (fact.cwes if fact else ()) or (NO_CWE,)


def _groups_of_prompts(attempts: Sequence[Attempt]) -> Labels:
    """Two groups for each agent and model that has both prompts."""
    prompts: dict[str, set[str]] = {}
    for attempt in attempts:
        prompts.setdefault(_column_without_prompt(attempt), set()).add(attempt.key.prompt)
    both = [who for who, hows in prompts.items() if hows >= PROMPT_WORDS.keys()]
    return _group_labels(
        (
            (f"{_column_without_prompt(attempt)} {PROMPT_WORDS[attempt.key.prompt]}", attempt)
            for attempt in attempts
            if _column_without_prompt(attempt) in both and attempt.key.prompt in PROMPT_WORDS
        ),
        (f"{who} {how}" for who in both for how in PROMPT_WORDS.values()),
    )


def _column_without_prompt(attempt: Attempt) -> str:
    # The prompt ends a column's name; without it both prompts of one agent come to one name.
    return attempt.column.removesuffix(f"({attempt.key.prompt})").strip()


def _groups_of_sizes(attempts: Sequence[Attempt], facts: Facts, what: str) -> Labels:
    """Labels by how many files or lines gold changes; nothing where tasks do not record it."""

    def name_by_size() -> Iterator[tuple[str, Attempt]]:
        for attempt in attempts:
            fact = facts.get(attempt.key.task)
            size = fact.details.get(what) if fact else None
            if isinstance(size, int | float):
                yield (
                    next((name for max_size, name in STEPS[what] if size <= max_size), MORE),
                    attempt,
                )

    return _group_labels(name_by_size(), (name for _, name in STEPS[what]))


def _findings_by_cwe(attempts: Sequence[Attempt]) -> str:
    """How many attempts have new findings of a CWE (SecureAgentBench, Table 5)."""
    counts = Counter(cwe for attempt in attempts for cwe in dict.fromkeys(attempt.new_cwes))
    max_count = max(counts.values(), default=0)
    rows = [
        Row(
            cwe,
            [
                Part(
                    count / max_count,
                    SHADES[0],
                    f"{cwe}: new in {count} of {len(attempts)} attempts",
                )
            ],
            str(count),
        )
        for cwe, count in sorted(counts.items(), key=lambda item: (-item[1], natural(item[0])))
    ]
    return draw_stacked_bars("Attempts with new findings", rows, {}) if rows else ""
