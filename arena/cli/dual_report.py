"""`arena dual report`, `compare` and `explain`: what comes after scoring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import JsonOption, emit, tell
from arena.report.text import one_line, visible

if TYPE_CHECKING:
    from arena.report.grid import Table
    from arena.tracks.dual.facts import Facts
    from arena.tracks.dual.intervals import Comparison
    from arena.tracks.dual.results import Result, SampleResult, TestResult
    from arena.tracks.dual.views import Line

MAX_TOLD = 5
"""So many names of a list are told; the count tells of the others."""

ResultArgument = Annotated[Path, typer.Argument(help="A file of score.")]
PackOption = Annotated[
    str, typer.Option("--pack", help="The pack, for inputs; default: the shipped one of that name.")
]
KOption = Annotated[
    list[int] | None, typer.Option("--k", min=1, help="Rates at k; default: 1, 5, 10.")
]


def report(
    results: Annotated[list[Path] | None, typer.Argument(help="Files of score.")] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", help="A family as TITLE=FILE,FILE: a table of its own."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="language, domain, level, state, cwe; default: all."),
    ] = None,
    k: KOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page here.")] = None,
    pack: PackOption = "",
    as_csv: Annotated[bool, typer.Option("--csv", help="Tables as CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables as Markdown.")] = False,
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.dual.metrics import GROUPED
    from arena.tracks.dual.views import all_tables

    lines, families = _lines(results or [], group or [], k or [])
    found = all_tables(lines, families, by or GROUPED)
    if html is not None:
        _write_page(html, lines, families, pack)
    if html is None or as_csv or as_json or markdown:
        _print(found, as_json, as_csv, markdown)


def _lines(
    paths: Sequence[Path], groups: Sequence[str], ks: Sequence[int]
) -> tuple[list[Line], dict[str, list[Line]]]:
    """Each file once, whatever names it. Raises ResultError, or ValueError for a wrong --group."""
    from arena.tracks.dual.results import load_result
    from arena.tracks.dual.views import lines_of

    named: dict[str, list[Path]] = {}
    for text in groups:
        title, _, files = text.partition("=")
        own = [Path(file.strip()) for file in files.split(",") if file.strip()]
        if not title.strip() or not own:
            raise ValueError(f"--group: {text!r} is no TITLE=FILE,FILE")
        if title.strip() in named:
            raise ValueError(f"--group: {title.strip()!r} is there twice")
        named[title.strip()] = own
    every = dict.fromkeys([*paths, *(path for own in named.values() for path in own)])
    if not every:
        raise ValueError("RESULT: name at least one file of score, or a --group")
    loaded = {path: lines_of([load_result(path)], ks)[0] for path in every}
    families = {title: [loaded[path] for path in own] for title, own in named.items()}
    return [loaded[path] for path in dict.fromkeys(paths)], families


def _print(found: Sequence[Table], as_json: bool, as_csv: bool, markdown: bool) -> None:
    from arena.report.grid import print_grid, to_csv, to_markdown

    if as_json:
        emit([vars(table) for table in found])
    elif as_csv:
        print(to_csv(found), end="")
    elif markdown:
        print(to_markdown(found), end="")
    else:
        print_grid(found)


def _write_page(
    html: Path, lines: Sequence[Line], families: dict[str, list[Line]], pack: str
) -> None:
    from arena.tracks.dual.facts import facts_for
    from arena.tracks.dual.page import page

    every = [line.result for own in (lines, *families.values()) for line in own]
    path = html if html.suffix in (".html", ".htm") and not html.is_dir() else html / "index.html"
    write(path, page(lines, families, facts_for(every, pack, tell)), "--html")
    tell(f"wrote {path}")


def write(path: Path, text: str, option: str) -> None:
    """Write a whole file or none; its folder is made. Raises ValueError naming the option."""
    half = path.with_name(path.name + ".half")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(text, "utf-8", "backslashreplace")
        half.replace(path)
    except OSError as error:
        raise ValueError(f"{option}: {path}: {error.strerror}") from error


def compare(first: Path, second: Path, k: KOption = None, as_json: JsonOption = False) -> None:
    from arena.tracks.dual.intervals import compare as compared
    from arena.tracks.dual.metrics import KS
    from arena.tracks.dual.results import load_result

    one, other = load_result(first), load_result(second)
    found = compared(one, other, k or KS)
    differing = [
        f"{name}: {a!r} and {b!r}"
        for name in ("scorer", "pack", "version", "k", "judge")
        if (a := getattr(one, name)) != (b := getattr(other, name))
    ]
    for difference in differing:
        tell(f"the two were not scored alike: {difference}")
    _tell_left_out(found)
    if as_json:
        emit({"names": [one.name, other.name], "not_alike": differing, **found.to_json()})
    else:
        _print_comparison(found, one, other)


def _tell_left_out(found: Comparison) -> None:
    told = {
        "only in the first": found.only_first,
        "only in the second": found.only_second,
        "left out, their tests differ": found.unequal,
        "left out, no verdict in one of them": found.undecided,
        "judged in one only, counted for both": found.judged_in_one,
    }
    for what, names in told.items():
        if names:
            tell(f"{what}: {some(names)}")


def some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_TOLD} more" if len(names) > MAX_TOLD else ""
    return ", ".join(names[:MAX_TOLD]) + more


def _print_comparison(found: Comparison, one: Result, other: Result) -> None:
    from arena.report.grid import Table, print_grid
    from arena.tracks.dual.views import percent

    rows = []
    for name, difference in found.differences.items():
        before, after = found.rates[name]
        low, high = percent(difference.low), percent(difference.high)
        span = None if low is None or high is None else f"{low:.1f} to {high:.1f}"
        change = percent(difference.value)
        rows.append((name, percent(before), percent(after), change, span, difference.n))
    columns = ("rate", "first %", "second %", "difference", "95 %", "tasks")
    title = f"{one.name} and {other.name}: second minus first over {len(found.tasks)} tasks"
    print_grid([Table(0, title, columns, tuple(rows), "Bootstrap over tasks, the same for both.")])
    for name, test in found.mcnemar.items():
        only = f"only first {test['only_first']}, only second {test['only_second']}"
        print(f"{name}: {only} of {test['pairs']} samples; McNemar p = {test['p']:.4f}")


def explain(
    result: ResultArgument,
    task: Annotated[str, typer.Argument(help="A task's id.")],
    sample: Annotated[str, typer.Argument(help="A sample; default: all of the task.")] = "",
    test: Annotated[str, typer.Option("--test", help="Only this test.")] = "",
    pack: PackOption = "",
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.dual.facts import facts_for
    from arena.tracks.dual.results import load_result

    found = load_result(result)
    rows = _chosen(found, result, task, sample)
    known = {one.id for row in rows for one in row.tests}
    if test and test not in known:
        raise ValueError(f"--test: {test!r} is none of {some(sorted(known)) or 'none'}")
    facts = facts_for([found], pack, tell)
    for row in rows:
        tests = [one for one in row.tests if not test or one.id == test]
        if as_json:
            emit(_explained(row, tests, facts))
        else:
            _print_sample(row, tests, facts)


def _chosen(found: Result, path: Path, task: str, sample: str) -> list[SampleResult]:
    of_task = [row for row in found.samples if row.task == task]
    if not of_task:
        known = sorted({row.task for row in found.samples})
        raise ValueError(f"{path}: no task {task!r}; known: {some(known)}")
    rows = [row for row in of_task if not sample or row.sample == sample]
    if not rows:
        known = sorted(row.sample for row in of_task)
        raise ValueError(f"{path}: no sample {sample!r} of {task!r}; known: {some(known)}")
    return rows


def _explained(row: SampleResult, tests: Sequence[TestResult], facts: Facts) -> dict[str, Any]:
    own = facts.get(row.task, {})
    return {
        **row.model_dump(mode="json", exclude={"tests"}),
        "tests": [
            {**(vars(own[one.id]) if one.id in own else {}), **one.model_dump(mode="json")}
            for one in tests
        ],
    }


def _print_sample(row: SampleResult, tests: Sequence[TestResult], facts: Facts) -> None:
    state = str(row.state) if row.health == "ok" else "infra"
    print(one_line(f"{row.task}/{row.sample} {row.language}: {state} {row.why}"))
    own = facts.get(row.task, {})
    for one in tests:
        print()
        print(one_line(f"{one.verdict.upper()} {one.id} ({one.kind}) {one.cwe}"))
        told = own.get(one.id)
        parts = {
            "title": told.title if told else "",
            "input": told.input if told else "",
            "expected": told.expected if told else "",
            "observed": one.observed,
            "oracle": one.oracle,
            "why": one.reason,
        }
        for name, text in parts.items():
            if text:
                print(f"  {name:9}" + visible(text).replace("\n", "\n" + " " * 11))
        for oracle in one.oracles:
            by = "model" if oracle.judge else "seen"
            print("    " + one_line(f"{oracle.oracle} ({by}): {oracle.verdict} {oracle.reason}"))
