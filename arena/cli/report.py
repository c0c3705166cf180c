"""`arena report`: a run as tables, JSON, CSV, Markdown, a page, or a folder for a paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import blame_output, emit, print_err

if TYPE_CHECKING:
    from arena.protocols import Facts, Track
    from arena.report.grid import Table
    from arena.report.leaderboard import Entry
    from arena.report.selection import Selection
    from arena.store.model import Attempt, Row
    from arena.store.store import Store
    from arena.store.tables import RunRow


# Attempts of a run whose labels are also shown one by one.
MAX_MATRIX = 500
# Runs of a page whose tables and figures are in it.
MAX_PAPERS = 20
# Seconds between two lines on how far a page is.
PROGRESS_INTERVAL_S = 5.0

Index = Annotated[
    Path | None,
    typer.Option("--index", help="Write FOLDER/index.html over the pages that --html wrote there."),
]


def command(
    run: options.Run = "latest",
    as_json: options.Json = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print one line per attempt, as CSV.")
    ] = False,
    as_md: Annotated[bool, typer.Option("--md", help="Print tables in Markdown.")] = False,
    html: Annotated[
        str, typer.Option("--html", help="Write a page: a file, or a FOLDER/ for a web server.")
    ] = "",
    paper: Annotated[
        Path | None,
        typer.Option("--paper", help="Write a FOLDER with tables, figures and a data statement."),
    ] = None,
    index: Index = None,
    by: Annotated[
        str, typer.Option("--by", help="Print rates by cwe, project, language, domain or task.")
    ] = "",
    where: options.Where = None,
    store: options.StoreAt = "",
    all_runs: Annotated[
        bool, typer.Option("--all", help="With --html or --across: all runs of the store.")
    ] = False,
    across: Annotated[
        str,
        typer.Option("--across", help="kinds: whether agents avoid, mend and reproduce a case."),
    ] = "",
    mix_versions: options.MixVersions = False,
) -> None:
    from arena.report.selection import Selection
    from arena.store.known import known_store

    # An index needs no store: it is made of the pages alone.
    if index:
        print(write_index_page(index))
        return
    chosen = Selection.parse(where or ())
    _expect_one_form({"--json": as_json, "--csv": as_csv, "--md": as_md, "--html": bool(html)})
    _expect_possible(html, bool(by or where), all_runs, across)
    opened = known_store(store)
    run_record = opened.run(run)
    if paper:
        write_paper(opened, run_record, chosen, paper, mix_versions)
        return
    report = RunReport(opened, run_record, chosen, by)
    is_each_apart = (as_csv and not by) or (html and all_runs)  # runs of a page are shown apart
    # With --across, `print_across` looks at the rows of all runs by itself.
    if not is_each_apart and not across:
        report.expect_comparable(mix_versions)
    if html:
        # The only thing on standard output is the path, for a script to go on with.
        print(write_page(opened, "" if all_runs else run_record.id, html))
        return
    if across:
        print_across(report, all_runs, as_json, as_md, mix_versions)
    else:
        _print_report(report, as_json, as_csv, as_md)


def _print_report(report: RunReport, as_json: bool, as_csv: bool, as_md: bool) -> None:
    if as_json:
        emit(report.to_json())
    elif as_csv or as_md:
        # Both end with a line break already.
        print(report.to_csv() if as_csv else report.to_markdown(), end="")
    else:
        report.print()


def _expect_one_form(forms: Mapping[str, bool]) -> None:
    """Raise ValueError where several forms of the report are requested: the others would be left out."""
    if len(options_set := [option for option, is_given in forms.items() if is_given]) > 1:
        raise ValueError(f"{' and '.join(options_set)} exclude each other")


def _expect_possible(html: str, is_filtered: bool, all_runs: bool, across: str) -> None:
    """Raise ValueError for options that do not go together."""
    if html and is_filtered:
        raise ValueError("--html: the page has filters of its own; leave out --by and --where")
    if all_runs and not (html or across):
        raise ValueError("--all: is for --html and --across")
    # A name instead of a switch, though only one is known.
    if across not in ("", "kinds"):
        raise ValueError(f"--across: {across!r} is unknown; known: kinds")


@dataclass(frozen=True)
class RunReport:
    """The chosen attempts of a run, with rates by the field `by` unless that is ""."""

    store: Store
    run: RunRow
    chosen: Selection
    by: str

    @cached_property
    def rows(self) -> list[Row]:
        return self.chosen.rows_of_runs(self.store, self.run.id)

    @cached_property
    def attempts(self) -> list[Attempt]:
        """The chosen ones, whole."""
        ids = {row.id for row in self.rows}
        # Rows are light and chosen first; whole attempts have their evidence.
        return [attempt for attempt in self.store.attempts(self.run.id) if attempt.id in ids]

    @cached_property
    def track(self) -> type[Track]:
        from arena.tracks.opening import track_class_or_bare

        return track_class_or_bare(self.run.track)

    @cached_property
    def facts(self) -> Facts:
        return self.store.tasks(self.run.id)

    @cached_property
    def paper_tables(self) -> list[Table]:
        """The tables of the track's paper."""
        return self.track.tables(self.attempts, self.facts)

    @cached_property
    def entries(self) -> list[Entry]:
        from arena.report.leaderboard import leaderboard

        return leaderboard(self.rows)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        return self.track.metrics(self.attempts, self.facts)

    @cached_property
    def entries_by_value(self) -> dict[str, list[Entry]]:
        from arena.report.breakdown import breakdown

        return breakdown(self.rows, self.by) if self.by else {}

    @cached_property
    def warnings(self) -> list[str]:
        from arena.report.provenance import mixing
        from arena.report.unlabelled import warnings
        from arena.store.model import describe_withdrawn

        withdrawn = describe_withdrawn(self.withdrawn)
        return [*warnings(self.rows), *mixing(self.rows), *([withdrawn] if withdrawn else [])]

    @cached_property
    def withdrawn(self) -> int:
        """The number of attempts of the run in no rate, since the sweep's last file does not name them."""
        from arena.store.model import withdrawn_attempts

        return len(withdrawn_attempts(self.run.settings))

    def expect_comparable(self, mix_versions: bool) -> None:
        """Raise ValueError if the labels do not compare, unless `mix_versions` is set."""
        from arena.report.provenance import expect_comparable

        expect_comparable(self.rows, mix_versions)

    def to_json(self) -> dict[str, Any]:
        from arena.report.metrics import rates, rates_by_column
        from arena.report.provenance import summary
        from arena.report.unlabelled import list_unlabelled

        breakdown_json = {
            value: [entry.to_json() for entry in entries]
            for value, entries in self.entries_by_value.items()
        }
        return {
            "run": self.run.id,
            "pack": self.run.pack,
            "track": self.run.track,
            "all": rates(self.attempts, self.run.track),
            "agents": rates_by_column(self.attempts, self.run.track),
            "metrics": self.metrics,
            "tables": [asdict(table) for table in self.paper_tables],
            "leaderboard": [entry.to_json() for entry in self.entries],
            "unlabelled": [agent.to_json() for agent in list_unlabelled(self.rows)],
            "withdrawn": self.withdrawn,
            "warnings": self.warnings,
            "provenance": dict(summary(self.rows)),
            **({"breakdown": {"by": self.by, "values": breakdown_json}} if self.by else {}),
            "attempts": [attempt.to_json() for attempt in self.attempts],
        }

    def tables(self, whole: bool = True) -> list[Table]:
        """whole: labels have their intervals, which makes a table wide."""
        from arena.report.boards import breakdown_table, leaderboards

        breakdowns = [breakdown_table(self.entries_by_value, self.by)] if self.by else []
        boards = leaderboards(self.entries, self.metrics.get("columns"), whole)
        return [*boards, *breakdowns, *self.paper_tables]

    def to_csv(self) -> str:
        """The attempts, a line each; with `by` the tables of rates in their place."""
        from arena.report import grid, tables

        return grid.to_csv(self.tables()) if self.by else tables.to_csv(self.attempts)

    def to_markdown(self) -> str:
        from arena.report.grid import markdown_text, to_markdown
        from arena.report.provenance import summary_line

        warnings = [f"Warning: {warning}" for warning in self.warnings]
        if rests_on := summary_line(self.rows):
            warnings.append(f"Rests on {markdown_text(rests_on)}")
        return to_markdown(self.tables()) + "".join(f"\n{line}\n" for line in warnings)

    def print(self) -> None:
        """The label of each attempt where these are not too many, then the rates."""
        from arena.report.grid import print_grid
        from arena.report.names import break_into_lines
        from arena.report.provenance import summary_line
        from arena.report.tables import MAX_HEAD_WIDTH, print_matrix

        if not self.rows:
            print_err(f"run {self.run.id}: no attempt to report; see --where")
            return
        # Without the intervals of labels, which make a table wide.
        tables = self.tables(whole=False)
        if len(self.rows) <= MAX_MATRIX:
            columns = list(dict.fromkeys(attempt.column for attempt in self.attempts))
            print_matrix(self.attempts, columns, track=self.run.track)
        else:
            print_err(
                f"{len(self.rows)} attempts: their labels one by one are on the page (--html PATH)"
            )
        names = break_into_lines(
            {entry.column: entry.lines for entry in self.entries}, MAX_HEAD_WIDTH
        )
        print_grid(tables, wrap=True, names=names)
        for warning in self.warnings:
            print_err(f"warning: {warning}")
        if rests_on := summary_line(self.rows):
            print_err(f"rests on {rests_on}")
        print_err(
            f"run {self.run.id}, pack {self.run.pack}; arena show ATTEMPT for the evidence of one"
        )


def write_paper(
    store: Store, run: RunRow, chosen: Selection, out: Path, mix_versions: bool = False
) -> None:
    """`arena export RUN --to paper`. Raises ValueError where the folder cannot be written."""
    from arena.exchange.formats.paper import PLUGIN
    from arena.exchange.source import Source

    with blame_output(f"--paper {out}"):
        PLUGIN.write(Source(store, run, chosen, mix_versions), out, print_err)


def print_across(
    report: RunReport, all_runs: bool, as_json: bool, as_md: bool, mix_versions: bool = False
) -> None:
    """Print the track's tables of a run, or of all runs of its track. Raises ValueError if there are none."""
    from arena.report.grid import print_grid, to_markdown
    from arena.report.provenance import warn_of_mixing

    # Tables across kinds are of one track: labels of another mean something else.
    runs = [run for run in report.store.runs() if run.track == report.run.track]
    # Its own run is there with the attempts that `--where` chose.
    others = [run for run in runs if all_runs and run.id != report.run.id]
    attempts, facts = list(report.attempts), dict(report.facts)
    for run in others:
        attempts += report.store.attempts(run.id)
        facts |= report.store.tasks(run.id)
    # Without this test [] would stand for all runs of the store.
    rows = [*report.rows, *report.store.rows([run.id for run in others])] if others else report.rows
    warn_of_mixing(rows, mix_versions, print_err)
    tables = report.track.tables(attempts, facts)
    if not tables:
        raise ValueError("--across: there are attempts of one kind of task only")
    if as_json:
        emit({"run": report.run.id, "tables": [asdict(table) for table in tables]})
    elif as_md:
        print(to_markdown(tables), end="")
    else:
        print_grid(tables, wrap=True)


def _make_progress_reporter() -> Callable[[int, int], None]:
    """A function that reports every few seconds how many details are written, which may take minutes."""
    last_time = time.monotonic()

    def say(done: int, total: int) -> None:
        nonlocal last_time
        # Progress by time: a line for each attempt would be too many.
        if time.monotonic() - last_time >= PROGRESS_INTERVAL_S:
            last_time = time.monotonic()
            print_err(f"details of {done} of {total} attempts")

    return say


def _papers(store: Store, run: str) -> list[dict[str, Any]]:
    """The tables and figures of a run, or of the newest ones for "", where there are any."""
    from arena.tracks.paper_view import paper

    chosen = [store.run(run)] if run else store.runs()[:MAX_PAPERS]
    paper_views = (paper(store, view) for view in chosen)
    return [
        view
        for view in paper_views
        if any(view[part] for part in ("tables", "figures", "scores", "pairs"))
    ]


def write_index_page(folder: Path) -> Path:
    """Write the page of links; returns its path. Raises ValueError where it cannot be written."""
    from arena.report.board.index_page import write_index

    with blame_output(f"--index: {folder}"):
        path, pages = write_index(folder)
    print_err(f"{pages} pages")
    return path


def write_page(store: Store, run: str, out: str = "") -> Path:
    """Write the page of a run, or of all for "", whole or not at all; returns its path.

    out: a file, or a folder ("..." that ends in "/", or that is there); "" for a file below the store's
    folder. Raises ValueError where it cannot be written.
    """
    from arena.report.board.page import write

    runs = (run,) if run else ()
    target = Path(out or store.folder / "reports" / f"{run or 'all'}.html")
    with blame_output(f"--html: {target}"):
        folder = out.endswith("/") or target.is_dir()
        page = write(store, runs, target, folder, _papers(store, run), _make_progress_reporter())
    if page.details < page.attempts:
        print_err(
            f"details of {page.details} of {page.attempts} attempts are in the page; --html FOLDER/ has all"
        )
    return page.path
