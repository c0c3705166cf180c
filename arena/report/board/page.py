"""Writes the dashboard's page: a file without dependencies, or a folder for a web server."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.report.board.bundle import STATIC, bundle_modules
from arena.report.board.data import board, describe_withdrawn_of
from arena.report.board.index_page import run_facts, with_facts
from arena.report.provenance import summary_line
from arena.report.text import visible
from arena.version import installed
from tasks.writing import write_whole

if TYPE_CHECKING:
    from arena.store.model import Row
    from arena.store.store import Store
    from arena.store.tables import RunRow

# Characters of attempts' details in a page of one file; with 100,000 attempts it stays below 10 MB.
MAX_DETAIL_CHARACTERS = 6_000_000
DATA = "application/octet-stream"
HEAD = '<meta http-equiv="Content-Security-Policy" content="{}">'
ICON = '<link rel="icon" href="data:,">\n'
STYLES = ("style.css", "detail.css")
STYLE = "\n".join(f'<link rel="stylesheet" href="static/{name}">' for name in STYLES)
SCRIPT = '<script type="module" src="static/app.js"></script>'
MAX_RUN_LINES = 5
STATEMENT = '<p id="statement"></p>'
LIVE, FOLDER, FILE = (f'data-source="{source}"' for source in ("live", "folder", "file"))

# An attempt's id, and what `arena.report.detail.detail` knows of it.
Detail = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Page:
    """The written page: where, how many attempts it shows, and how many of them with details."""

    path: Path
    attempts: int
    details: int


def write(
    store: Store,
    runs: Sequence[str],
    target: Path,
    folder: bool,
    papers: Sequence[Mapping[str, Any]] = (),
    say: Callable[[int, int], None] = lambda done, all_: None,
) -> Page:
    """Write the page of these runs, or of all for (), as a file or as a folder. Raises OSError.

    papers: tables and figures of runs, as `arena.tracks.paper_view.paper` has them.
    say: called before each attempt's details are read, with how many were read and their total.
    """
    from arena.report.detail import detail

    # A list, since the rows are read twice: for the columns and for the details.
    rows = list(store.rows(runs))
    data = written_board(rows, store.runs(), papers)

    # A generator: the details of 100,000 attempts never are in memory at once.
    def details_of() -> Iterator[Detail]:
        for done, row in enumerate(rows):
            say(done, len(rows))
            yield row.id, detail(store, row.id)

    return (write_folder if folder else write_file)(target, data, details_of())


def written_board(
    rows: Sequence[Row], runs: Sequence[RunRow], papers: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The data of a written page; `statement` is what a reader cites. runs: at least the rows'."""
    return board(rows, runs, live=False) | {
        "papers": list(papers),
        "statement": _statement(rows, runs),
        "facts": run_facts(rows, runs),
    }


def _statement(rows: Sequence[Row], runs: Sequence[RunRow]) -> list[str]:
    """Lines on which runs the page shows, of which packs and dates, and on what their labels rest."""
    shown = {row.run for row in rows}
    withdrawn = describe_withdrawn_of(run for run in runs if run.id in shown)
    lines = [
        f"Run {run.id}, pack {run.pack}, made {time.strftime('%Y-%m-%d', time.gmtime(run.created))}."
        for run in runs
        if run.id in shown
    ]
    more = len(lines) - MAX_RUN_LINES
    rests_on = summary_line(rows)
    return [
        *lines[:MAX_RUN_LINES],
        *([f"And {more} more runs."] if more > 0 else []),
        *([f"{withdrawn}."] if withdrawn else []),
        *([f"Rests on {rests_on}."] if rests_on else []),
        f"Written by arena {installed()} on {time.strftime('%Y-%m-%d', time.gmtime())}.",
    ]


def _with_statement(page: str, data: Mapping[str, Any]) -> str:
    """The page with its statement in the footer, as text that needs no script, and facts for an index."""
    # Facts of the page are in its head, from where an index reads them without running it.
    page = with_facts(page, data.get("facts", ()))
    lines = "<br>".join(html.escape(visible(line)) for line in data.get("statement", ()))
    return page.replace(STATEMENT, f'<p id="statement">{lines}</p>' if lines else "")


def assets() -> list[Path]:
    """The files of the page beside index.html: modules and the style sheet."""
    return sorted(path for path in STATIC.iterdir() if path.suffix in (".js", ".css"))


def write_file(path: Path, data: Mapping[str, Any], details: Iterable[Detail]) -> Page:
    """Write a self-contained page, whole or not at all; details are included up to a maximum length.

    Raises OSError where the path cannot be written.
    """
    blocks = list(_encode_fitting_details(details))
    # Last, since it says how many details found room.
    blocks.append(_block("board", {**data, "details": len(blocks)}))
    # Only now: what cannot be computed leaves no folder behind.
    path.parent.mkdir(parents=True, exist_ok=True)
    page = _with_statement(_self_contained("\n".join(blocks)), data)
    write_whole(path, page.encode("utf-8", "replace"))
    return Page(path, data["n"], len(blocks) - 1)


def write_folder(folder: Path, data: Mapping[str, Any], details: Iterable[Detail]) -> Page:
    """A folder that any web server of plain files can publish: index.html, static/, board.json.gz, attempts/.

    index.html comes last, so that a half-written folder does not pass for a complete page. Raises OSError.
    """
    (folder / "static").mkdir(parents=True, exist_ok=True)
    (folder / "attempts").mkdir(exist_ok=True)
    for asset in assets():
        write_whole(folder / "static" / asset.name, asset.read_bytes())
    written = 0
    for attempt, detail in details:
        write_whole(folder / "attempts" / f"{attempt}.json", _json(detail))
        written += 1
    write_whole(folder / "board.json.gz", compress_json(data))
    page = _with_statement(_index().replace(LIVE, FOLDER), data)
    write_whole(folder / "index.html", page.encode("utf-8", "replace"))
    return Page(folder / "index.html", data["n"], written)


def compress_json(data: Mapping[str, Any]) -> bytes:
    """JSON as gzip, the same bytes for the same data."""
    return gzip.compress(_json(data), 6, mtime=0)


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode()


def _encode_fitting_details(details: Iterable[Detail]) -> Iterator[str]:
    left = MAX_DETAIL_CHARACTERS
    for attempt, detail in details:
        block = _block(f"attempt-{attempt}", detail)
        # Stops at the first that does not fit, so that details are of the first attempts without gaps.
        left -= len(block)
        if left < 0:
            return
        yield block


def _block(name: str, data: Mapping[str, Any]) -> str:
    """Data in a script element of a type that no browser runs; base64 has nothing that ends it."""
    return f'<script type="{DATA}" id="{name}">{base64.b64encode(compress_json(data)).decode()}</script>'


def _index() -> str:
    return (STATIC / "index.html").read_text("utf-8")


def _self_contained(blocks: str) -> str:
    """index.html with style, script and data in it, and a policy that allows just these two by hash."""
    # A single module: a page that is opened as a file cannot import others.
    script = bundle_modules()
    style = "".join((STATIC / name).read_text("utf-8") for name in STYLES)
    text = _index().replace(LIVE, FILE).replace(ICON, "")
    # The policy of the folder allows files beside the page; here there are none.
    before, _, rest = text.partition('<meta http-equiv="Content-Security-Policy"')
    rest = rest.partition(">")[2]
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    text = before + HEAD.format(policy) + rest
    text = text.replace(STYLE, f"<style>{style}</style>")
    return text.replace(SCRIPT, f'<script type="module">{script}</script>').replace(
        "</body>", f"{blocks}\n</body>"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
