"""How quick and how large the dashboard is with 100,000 attempts: `python scripts/bench/dashboard.py`.

Writes the page of synthetic attempts as a single file and as a folder, opens both in a real browser, and
prints a JSON object for each mix: seconds to write it, bytes, ms to the first paint and until all is shown,
and the median ms of filter changes, each measured in the page until two frames later.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.report.board.data import board
from arena.report.board.page import write_file, write_folder
from arena.store.model import Row

LABELS = ("NO", "CE", "IC", "CV", "CS", "C&S")
AGENTS = (
    "sweagent",
    "openhands",
    "aider",
    "mini",
    "codex",
    "claude",
    "gemini",
    "goose",
    "amp",
    "q",
)
MODELS = ("model-a", "model-b", "model-c", "model-d", "model-e")
FILTERS = ("model=model-b", "agent=aider", "cwe=CWE-122", "label=CV", "project=project-3")
VIEWS = ("overview", "leaderboard", "heatmap", "compare", "attempts")
CHANGE = """async (hash) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const begun = performance.now();
  location.hash = hash;
  await frame();
  await frame();
  return performance.now() - begun;
}"""
SHOWN = """async () => {
  const shown = () => performance.getEntriesByName("arena-shown").length;
  while (!shown()) await new Promise((done) => setTimeout(done, 10));
}"""
PAINTS = """() => ({
  first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  shown: performance.getEntriesByName("arena-shown")[0]?.startTime,
  received: performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .reduce((sum, entry) => sum + entry.transferSize, 0),
})"""


@dataclass(frozen=True)
class BenchRun:
    id: str
    created: float
    settings: Mapping[str, Any] = field(default_factory=dict)


def rows(tasks: int, agents: int, models: int, attempts: int) -> Iterator[Row]:
    """Synthetic attempts over a full matrix, as many replicates as it takes; the same attempts each time."""
    draw = random.Random(20_260)
    columns = [(agent, model) for agent in AGENTS[:agents] for model in MODELS[:models]]
    skill = {column: [draw.random() + 0.2 for _ in LABELS] for column in columns}
    for number in range(attempts):
        repeat, place = divmod(number, tasks * len(columns))
        task, column = divmod(place, len(columns))
        ended = draw.random() < 0.97
        agent, model = columns[column]
        paired = column == 0
        reminded = paired and repeat % 2 == 1
        yield Row(
            id=f"{draw.getrandbits(64):016x}",
            run="20261122-100000-bench",
            track="repo",
            pack="bench",
            task=f"task-{task}",
            agent=agent,
            model=model,
            prompt="reminder" if reminded else "neutral",
            replicate=repeat // 2 if paired else repeat,
            health="ok" if ended else "infra",
            label=draw.choices(LABELS, skill[columns[column]])[0] if ended else None,
            score=None,
            usd=draw.lognormvariate(-1.5, 0.8),
            tokens=int(draw.lognormvariate(12, 0.7)),
            seconds=draw.lognormvariate(5.5, 0.6),
            flags=("history",) if draw.random() < 0.01 else (),
            new_cwes=(f"CWE-{draw.choice((415, 416, 120, 676, 14))}",)
            if draw.random() < 0.03
            else (),
            language="c" if task % 3 else "c++",
            project=f"project-{task % 40}",
            cwes=(f"CWE-{(122, 787, 416, 476, 125, 120, 190, 415, 457, 475, 119)[task % 11]}",),
        )


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """The address of a web server of the folder, on this machine only."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """A line for each file would bury the figures."""


def measure_page(browser: Any, address: str, changes: int) -> dict[str, Any]:
    """What a page takes: ms to paints, and for each view the median ms of changes of a filter."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.evaluate(SHOWN)
    paints: dict[str, Any] = page.evaluate(PAINTS)
    paints["heap_bytes"] = page.evaluate("performance.memory.usedJSHeapSize")
    for view in VIEWS:
        page.evaluate(CHANGE, f"#tab={view}")
        took = [
            page.evaluate(CHANGE, f"#tab={view}&{FILTERS[n // 2 % len(FILTERS)] if n % 2 else ''}")
            for n in range(changes)
        ]
        paints[f"{view}_ms"] = round(statistics.median(took), 1)
        paints[f"{view}_worst_ms"] = round(max(took), 1)
    page.close()
    return paints


def measure_mix(
    mix: tuple[int, int, int], attempts: int, changes: int, chromium: str
) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    made_rows = list(rows(*mix, attempts))
    begun = time.perf_counter()
    data = board(made_rows, [BenchRun("20261122-100000-bench", 1.8e9)], live=False)
    built = time.perf_counter() - begun
    text = json.dumps(data, separators=(",", ":")).encode()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as play:
        folder = Path(temporary)
        write_folder(folder / "site", data, ())
        written = write_file(folder / "page.html", data, ()).path
        browser = play.chromium.launch(executable_path=chromium or None, args=["--no-sandbox"])
        with serve_folder(folder / "site") as address:
            site = measure_page(browser, address, changes)
        alone = measure_page(browser, written.as_uri(), changes)
        return {
            "tasks": mix[0],
            "columns": mix[1] * mix[2],
            "attempts": len(made_rows),
            "board_seconds": round(built, 2),
            "json_bytes": len(text),
            "gzip_bytes": len(gzip.compress(text, 6)),
            "file_bytes": written.stat().st_size,
            "folder": site,
            "file": alone,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=100_000)
    parser.add_argument(
        "--changes", type=int, default=20, help="Changes of a filter for each view."
    )
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="'' for Playwright's own.")
    options = parser.parse_args()
    for mix in ((105, 3, 3), (5_000, 10, 5)):
        print(
            json.dumps(measure_mix(mix, options.attempts, options.changes, options.chromium)),
            flush=True,
        )


if __name__ == "__main__":
    main()
