"""An index of the pages of runs in a folder, with what each shows."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from arena.report.text import one_line
from tasks.writing import write_whole

if TYPE_CHECKING:
    from arena.store.model import Row
    from arena.store.tables import RunRow

META = '<meta name="arena-runs" content="{}">'
INDEX_META = '<meta name="arena-index" content="1">'
CHARSET = '<meta charset="utf-8">'
# Bytes of a page that are read: the facts stand at its beginning.
MAX_HEAD = 1 << 16
MAX_PAGES = 1_000
MAX_RUNS = 20
# Attempts of a page from which the best column is looked for: the intervals of more take seconds.
MAX_RANKED = 20_000
FIELDS = ("run", "pack", "track", "made", "attempts", "best", "good")
INDEX = """\
{% extends "frame.html" %}
{% block title %}runs{% endblock %}
{% block body %}
<h1>Runs</h1>
<div class="wide" tabindex="0" role="region" aria-label="Runs"><table>
<tr>{% for name in names %}<th scope="col">{{ name }}</th>{% endfor %}</tr>
{% for row in rows %}
<tr><td><a href="{{ row.href }}">{{ row.run }}</a></td><td>{{ row.pack }}</td><td>{{ row.track }}</td>
<td>{{ row.made }}</td><td>{{ row.attempts }}</td><td>{{ row.best }}</td><td>{{ row.good }}</td></tr>
{% endfor %}
</table></div>
<p class="note">Best: the column with the highest good rate, in percent with its 95 % interval;
calibration is left out.
{% if without %}{{ without }} pages tell nothing of their runs.{% endif %}</p>
{% endblock %}
"""


def run_facts(rows: Sequence[Row], runs: Sequence[RunRow]) -> list[dict[str, Any]]:
    """For an index, of each run of a page, the newest first: FIELDS, all texts or numbers."""
    attempts: dict[str, list[Row]] = {}
    for row in rows:
        attempts.setdefault(row.run, []).append(row)
    shown = [run for run in runs if run.id in attempts][:MAX_RUNS]
    return [
        {
            "run": run.id,
            "pack": run.pack,
            "track": run.track,
            "made": time.strftime("%Y-%m-%d", time.gmtime(run.created)),
            "attempts": len(attempts[run.id]),
            **_best(attempts[run.id] if len(rows) <= MAX_RANKED else ()),
        }
        for run in shown
    ]


def _best(rows: Sequence[Row]) -> dict[str, str]:
    from arena.report.boards import share_cell
    from arena.report.leaderboard import leaderboard

    ranked = [entry for entry in leaderboard(rows) if not entry.calibration and entry.good.share.n]
    if not ranked:
        return {"best": "", "good": ""}
    first = max(ranked, key=lambda entry: entry.good.share.value or 0.0)
    return {"best": one_line(first.column), "good": share_cell(first.good.share) or ""}


def with_facts(page: str, facts: Sequence[dict[str, Any]]) -> str:
    """The page with the facts in its head, as text that nothing runs."""
    meta = META.format(html.escape(json.dumps(facts, ensure_ascii=True), quote=True))
    # Behind the charset, which a browser looks for in the first 1024 bytes only.
    return page.replace(CHARSET, f"{CHARSET}\n{meta}", 1)


def write_index(folder: Path) -> tuple[Path, int]:
    """Write FOLDER/index.html over all pages in the folder and the folders in it; returns it, and how many.

    Raises ValueError where there is no page, or an index.html that is another page; OSError.
    """
    from arena.report.html import templates

    target = folder / "index.html"
    # A page that the user put there is not ours to replace.
    if target.exists() and INDEX_META not in _head(target):
        raise ValueError(f"{target}: is there, and no index of runs")
    pages = [(path, _facts(path)) for path in _pages(folder)]
    if not pages:
        raise ValueError(f"{folder}: holds no page; arena report RUN --html {folder}/RUN.html")
    rows = [
        {
            **{name: fact.get(name, "") for name in FIELDS},
            "href": _link(path.relative_to(folder)),
        }
        for path, facts in pages
        for fact in facts
    ]
    rows.sort(key=lambda row: (row["made"], row["run"]), reverse=True)
    text = (
        templates()
        .from_string(INDEX)
        .render(names=FIELDS, rows=rows, without=sum(not facts for _, facts in pages))
    )
    write_whole(
        target, text.replace(CHARSET, f"{CHARSET}\n{INDEX_META}", 1).encode("utf-8", "replace")
    )
    return target, len(pages)


def _link(path: Path) -> str:
    """The address of a file beside the index; "./" since a name could begin like a scheme."""
    return f"./{quote(path.as_posix(), errors='replace')}"


def _pages(folder: Path) -> Iterator[Path]:
    """Pages that are a file, and the index.html of written folders; not the index itself."""
    pages = [path for path in sorted(folder.glob("*.html")) if path.name != "index.html"]
    pages += sorted(folder.glob("*/index.html"))
    yield from (path for path in pages[:MAX_PAGES] if path.is_file())


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MAX_HEAD).decode("utf-8", "replace")


def _facts(path: Path) -> list[dict[str, str]]:
    """The facts in a page's head, which may be written by a stranger: texts only; [] for none."""
    before, _, rest = META.partition("{}")
    _, marker, after = _head(path).partition(before)
    try:
        value_read = json.loads(html.unescape(after.partition(rest)[0])) if marker else []
    except (ValueError, RecursionError):
        return []
    rows = value_read[:MAX_RUNS] if isinstance(value_read, list) else []
    return [
        {name: one_line(str(value))[:200] for name, value in row.items() if name in FIELDS}
        for row in rows
        if isinstance(row, dict)
    ]
