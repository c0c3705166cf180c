"""SecMutBench's Tables 4 to 8 over attempts of a run, and differences of scores: plain cells."""

from __future__ import annotations

from collections.abc import Sequence

from arena.report.grid import Cell, Table
from arena.report.statistics import Interval, cohen_kappa
from arena.report.text import natural
from arena.tracks.mutation.baselines import Baseline, Detection, detection, detection_by_cwe
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.intervals import SuiteComparison, intervals
from arena.tracks.mutation.lines import SuiteLine
from arena.tracks.mutation.metrics import PERCENT, measure, measure_by_group
from arena.tracks.mutation.results import SampleResult
from parsers.cwe_names import NAMES

# Columns of Table 8, in the paper's order; other prompts follow.
PROMPTS = ("no-hint", "cwe-id", "full")


def tables(lines: Sequence[SuiteLine]) -> list[Table]:
    """Tables 4, 5, 7 and 8; Table 6 as well where suites were judged by several classifiers."""
    samples = [sample for line in lines for sample in line.samples]
    all_tables = [overall(lines), kills(lines), per_cwe(lines), prompts(lines)]
    return [*all_tables[:2], *agreement(samples), *all_tables[2:]]


def overall(lines: Sequence[SuiteLine], baselines: Sequence[Baseline] = ()) -> Table:
    """Table 4: sorted by EffSMS, then the trivial suites, then the scanners with their detection rate."""
    columns = (
        "suites",
        "MS %",
        "SPR %",
        "EffSMS %",
        "95 %",
        "SMS %",
        "95 %",
        "floor %",
        "MS/SMS",
        "VD %",
        "n",
    )
    rows: list[tuple[Cell, ...]] = []
    for line in sorted(lines, key=lambda line: (line.trivial, -(line.metrics.eff_sms or 0.0))):
        m, bounds = line.metrics, intervals(line.samples)
        eff, sms = bounds["eff_sms"], bounds["sms"]
        scores = (
            m.ms,
            m.spr,
            m.eff_sms,
            _range(eff),
            m.sms,
            _range(sms),
            m.floor,
            m.inflation,
            m.vd,
        )
        rows.append((line.name, *scores, m.suites))
    for baseline in baselines:
        detections = detection(baseline.programs)
        nothing = (None,) * 8
        rows.append((baseline.name, detections.rate(detections.detected), *nothing, detections.n))
    note = (
        "MS: killed mutants; SMS: semantically killed; both over suites that pass on the secure program "
        "(SPR). floor: SMS of the programs' own functional suites on the same mutants. "
        "EffSMS = SMS x SPR. VD: passes on the secure, fails on the insecure version. n: suites. "
        "Intervals: bootstrap over programs. A scanner's MS is its detection rate on insecure versions, "
        "as in the paper."
    )
    if lacking := sum(line.lacking for line in lines):
        note += f" Not told of {lacking} attempts, whose evidence lacks details."
    return Table(4, "Overall results", columns, tuple(rows), note)


def _range(bound: Interval) -> str | None:
    return None if bound.low is None else f"{bound.low:.1f}-{bound.high:.1f}"


def kills(lines: Sequence[SuiteLine]) -> Table:
    """Table 5: how many kills are of which category."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        m = line.metrics
        rows.append((line.name, m.mutants, *(m.kills[category] for category in Category)))
    columns = ("suites", "mutants", *(str(category) for category in Category))
    note = "mutants: those that suites met which pass on the secure program."
    return Table(5, "Kills by category", columns, tuple(rows), note)


def agreement(samples: Sequence[SampleResult]) -> list[Table]:
    """Table 6: by operator, how far the first classifier's categories agree with those of each further rater.

    Of the same suites, such as those of several runs; kills are paired by suite and mutant. None where there
    is only a single classifier.
    """
    by_classifier: dict[str, list[SampleResult]] = {}
    for sample in samples:
        by_classifier.setdefault(sample.classifier, []).append(sample)
    first, *others = by_classifier or ("",)
    rows: list[tuple[Cell, ...]] = []
    for second_rater in others:
        pairs = _pair_categories(by_classifier[first], by_classifier[second_rater])
        groups: dict[str, list[tuple[str, str]]] = {"all": [pair for _, pair in pairs]}
        for operator, pair in sorted(pairs):
            groups.setdefault(operator, []).append(pair)
        rows += [
            _agreement_row(operator, second_rater, group)
            for operator, group in groups.items()
            if group
        ]
    columns = ("operator", "against", "n", "semantic there %", "agreement %", "kappa")
    title = f"Agreement on categories with {first}"
    return [Table(6, title, columns, tuple(rows))] if others else []


def _pair_categories(
    first: Sequence[SampleResult], second: Sequence[SampleResult]
) -> list[tuple[str, tuple[str, str]]]:
    """(operator, (first's category, second's)) of mutants that both say are killed."""
    second_categories = {
        (sample.key, mutant.id): mutant.category for sample in second for mutant in sample.mutants
    }
    return [
        (mutant.operator, (str(mutant.category), str(second_category)))
        for sample in first
        for mutant in sample.mutants
        if mutant.category and (second_category := second_categories.get((sample.key, mutant.id)))
    ]


def _agreement_row(operator: str, rater: str, pairs: Sequence[tuple[str, str]]) -> tuple[Cell, ...]:
    semantic = sum(second == Category.SEMANTIC for _, second in pairs)
    same = sum(first == second for first, second in pairs)
    shares = (PERCENT * semantic / len(pairs), PERCENT * same / len(pairs))
    return (operator, rater, len(pairs), *shares, cohen_kappa(pairs))


def per_cwe(lines: Sequence[SuiteLine], baselines: Sequence[Baseline] = ()) -> Table:
    """Table 7: by CWE, over all but trivial suites, beside each scanner's detection and false alarms."""
    samples = [sample for line in lines if not line.trivial for sample in line.samples]
    groups = measure_by_group(samples, "cwe")
    programs: dict[str, set[str]] = {}
    for sample in samples:
        programs.setdefault(sample.cwe, set()).add(sample.id)
    detections = [detection_by_cwe(baseline.programs) for baseline in baselines]
    listed = sorted({*groups, *(cwe for by_cwe in detections for cwe in by_cwe)}, key=natural)
    rows: list[tuple[Cell, ...]] = []
    for cwe in listed:
        m = groups.get(cwe)
        scores: tuple[Cell, ...] = (
            (m.mutants, m.ms, m.sms, m.floor, m.spr) if m else (0, None, None, None, None)
        )
        scanned = (cell for by_cwe in detections for cell in _detection_cells(by_cwe.get(cwe)))
        count = len(programs.get(cwe, ())) or max(f[cwe].n for f in detections if cwe in f)
        rows.append((cwe, NAMES.get(cwe, ""), count, *scores, *scanned))
    tools = (f"{b.name} {word}" for b in baselines for word in ("detects %", "false alarms %"))
    columns = ("CWE", "name", "n", "mutants", "MS %", "SMS %", "floor %", "SPR %", *tools)
    note = (
        "n: programs. mutants: met by valid suites, all of them. floor: SMS of functional suites."
    )
    note += " False alarms: on secure versions." if baselines else ""
    return Table(7, "Effectiveness by CWE", columns, tuple(rows), note)


def _detection_cells(rates: Detection | None) -> tuple[Cell, Cell]:
    if rates is None:
        return None, None
    return rates.rate(rates.detected), rates.rate(rates.false_alarms)


def prompts(lines: Sequence[SuiteLine]) -> Table:
    """Table 8: SMS by agent and model, and prompt."""
    samples_by_prompt: dict[str, list[SampleResult]] = {}
    for line in lines:
        prompted_samples = [sample for sample in line.samples if sample.prompt]
        if prompted_samples:
            samples_by_prompt.setdefault(line.who, []).extend(prompted_samples)
    used = {sample.prompt for samples in samples_by_prompt.values() for sample in samples}
    columns = (*PROMPTS, *sorted(used - {*PROMPTS}))
    rows: list[tuple[Cell, ...]] = []
    for who, samples in samples_by_prompt.items():
        by_prompt = measure_by_group(samples, "prompt")
        scores = (by_prompt[p].sms if p in by_prompt else None for p in columns)
        rows.append((who, *scores, measure(samples).floor))
    needs = "needs suites that a model wrote, which name their prompt."
    note = (
        "floor: SMS of the programs' own functional suites on the same mutants." if rows else needs
    )
    return Table(8, "SMS % by prompt", ("suites", *columns, "floor"), tuple(rows), note)


def differences(comparison: SuiteComparison) -> list[Table]:
    """Scores of the second side minus the first's, and McNemar's exact test on pairs of suites."""
    columns = ("score", "difference", "low", "high")
    rows = tuple((name, d.value, d.low, d.high) for name, d in comparison.differences.items())
    note = (
        f"over {comparison.n} programs; left out: {comparison.only_first} that only the first side has, "
        f"{comparison.only_second} that only the second has. low, high: 95 %, bootstrap over programs."
    )
    tested = tuple(
        (name, test["pairs"], test["only_first"], test["only_second"], f"{test['p']:.4f}")
        for name, test in comparison.mcnemar.items()
    )
    return [
        Table(0, "Scores, second minus first", columns, rows, note),
        Table(0, "McNemar's exact test", ("", "pairs", "only first", "only second", "p"), tested),
    ]
