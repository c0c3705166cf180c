"""What the program runner adds to a program's run time, compared with a bare start of the same program.

    .venv/bin/python scripts/bench/program_runner.py [--rounds N]

Small test programs, a program for each shape and language, are run bare in a folder on this machine and in
the program runner, in turn, so that what else the machine does falls on both. For each: the median of both in
milliseconds, and the excess of the program runner over 1.3 x the bare time + 150 ms (negative: below it).

For "call" the bare program is the interpreter that imports the file, calls the function and prints the
result; for "serve" it is started, queried once as soon as it listens, and ended.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from arena.tracks.dual.runner.drivers import call_argv  # noqa: E402
from arena.tracks.dual.runner.hooks import environment  # noqa: E402
from arena.tracks.dual.runner.order import HOME, Order, Shape  # noqa: E402
from arena.tracks.dual.runner.pool import ProgramRunner  # noqa: E402

FLASK = """
import os
from flask import Flask

app = Flask(__name__)


@app.get("/")
def home():
    return "home"


app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
"""
NODE_FILTER = """
let t = '';
process.stdin.on('data', d => t += d).on('end', () => console.log(t.toUpperCase()));
"""
NODE_SERVER = """
const serve = (request, response) => response.end('home');
require('http').createServer(serve).listen(Number(process.env.PORT), '127.0.0.1');
"""
SOURCES: dict[str, dict[Shape, str]] = {
    "python": {
        "call": "def shout(text):\n    return text.upper()\n",
        "run": "import sys\nprint(sys.stdin.read().upper())\n",
        "serve": FLASK,
    },
    "javascript": {
        "call": "module.exports = { shout: (text) => text.toUpperCase() };\n",
        "run": NODE_FILTER,
        "serve": NODE_SERVER,
    },
}
BUSY = "n = 0\nfor i in range(3_000_000):\n    n += i * i % 7\nprint(n)\n"
STEPS: dict[Shape, dict[str, Any]] = {
    "call": {"call": "shout", "args": ["text"], "kwargs": {}},
    "run": {"stdin": "text"},
    "serve": {"method": "GET", "path": "/"},
}
ASK = "import solution; print(solution.shout('text'))"
NODE_ASK = "console.log(require('./solution.js').shout('text'))"
PORT = 8123


@dataclass(frozen=True)
class BenchRow:
    name: str
    shape: Shape
    file: str
    source: str
    bare: tuple[str, ...]
    argv: tuple[str, ...]
    step: dict[str, Any]
    hooks: str


def rows() -> list[BenchRow]:
    table_rows = [
        row_of(language, interpreter, file, ask, shape, source)
        for language, interpreter, file, ask in (
            ("python", sys.executable, "solution.py", ("-c", ASK)),
            ("javascript", "node", "solution.js", ("-e", NODE_ASK)),
        )
        for shape, source in SOURCES[language].items()
    ]
    busy = row_of("python", sys.executable, "solution.py", (), "run", BUSY)
    return [*table_rows, replace(busy, name="python busy")]


def row_of(
    language: str, interpreter: str, file: str, ask: tuple[str, ...], shape: Shape, source: str
) -> BenchRow:
    path = f"{HOME}/{file}"
    called = shape == "call"
    alone = (interpreter, *ask) if called else (interpreter, file)
    argv = call_argv(language, path, ["shout"]) if called else (interpreter, path)
    return BenchRow(f"{language} {shape}", shape, file, source, alone, argv, STEPS[shape], language)


def bare(row: BenchRow, folder: str) -> float:
    (Path(folder) / row.file).write_text(row.source)
    started = time.perf_counter()
    if row.shape == "serve":
        serve_once(row, folder)
    else:
        done = subprocess.run(row.bare, cwd=folder, input=b"text", capture_output=True, check=True)
        if not done.stdout.strip():
            raise SystemExit(f"{row.name}: printed nothing")
    return time.perf_counter() - started


def serve_once(row: BenchRow, folder: str) -> None:
    env = {**os.environ, "PORT": str(PORT)}
    process = subprocess.Popen(
        row.bare, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for_port(process)
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
        connection.request("GET", "/")
        if connection.getresponse().read() != b"home":
            raise SystemExit(f"{row.name}: answered something else")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def wait_for_port(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", PORT)) == 0:
                return
        time.sleep(0.005)
    raise SystemExit("the bare service does not listen")


def time_run(row: BenchRow, runner: ProgramRunner, coverage: bool) -> float:
    order = Order(
        row.shape,
        row.argv,
        (row.step,),
        files={f"{HOME}/{row.file}": row.source.encode()},
        hooks=(row.hooks,),
        env=environment((row.hooks,), coverage=coverage),
        coverage=coverage,
        covered=(f"{HOME}/{row.file}",) if coverage else (),
    )
    started = time.perf_counter()
    watched = runner.run(order)
    if watched.ended != "ok" or watched.last is None or watched.last.ended != "ok":
        raise SystemExit(f"{row.name}: {watched.ended} {watched.why} {watched.last}")
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-coverage", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows_found = []
    with ProgramRunner() as runner, tempfile.TemporaryDirectory() as folder:
        for row in rows():
            time_run(row, runner, not options.no_coverage)
            times = [
                (bare(row, folder), time_run(row, runner, not options.no_coverage))
                for _ in range(options.rounds)
            ]
            alone, with_it = (1000 * statistics.median(each) for each in zip(*times, strict=True))
            rows_found.append((row.name, alone, with_it, with_it - 1.3 * alone - 150))
    if options.json:
        keys = ("program", "bare_ms", "stand_ms", "over_ms")
        print(json.dumps([dict(zip(keys, each, strict=True)) for each in rows_found]))
        return
    print(f"{'program':18}{'bare ms':>9}{'stand ms':>10}{'beyond 1.3 x + 150':>20}")
    for name, alone, with_it, over in rows_found:
        print(f"{name:18}{alone:9.1f}{with_it:10.1f}{over:20.1f}")


if __name__ == "__main__":
    main()
