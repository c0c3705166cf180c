"""Rows for pages, and folders that a browser can ask."""

from __future__ import annotations

import functools
import http.server
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.store.model import Row

LABELS = ("NO", "CE", "IC", "CV", "CS", "C&S")
Answer = Callable[[], bytes]


@dataclass(frozen=True)
class Run:
    id: str
    created: float = 1.8e9
    settings: Mapping[str, Any] = field(default_factory=dict)


def row(number: int, **more: Any) -> Row:
    """An attempt of the track repo that got a label, unless told otherwise."""
    facts: dict[str, Any] = {
        "id": f"{number + 1:016x}",
        "run": "run-1",
        "track": "repo",
        "pack": "starter",
        "task": "task-1",
        "agent": "aider",
        "model": "model-a",
        "prompt": "neutral",
        "replicate": 0,
        "health": "ok",
        "label": "C&S",
        "score": None,
        "usd": 0.5,
        "tokens": 1000,
        "seconds": 60.0,
    }
    return Row(**(facts | more))


def many(number: int, tasks: int = 8, seed: int = 1) -> list[Row]:
    """Attempts of two agents, two models and both prompts over some tasks, of which some have no label."""
    draw = random.Random(seed)
    found = []
    for n in range(number):
        repeat, place = divmod(n, tasks * 8)
        task, column = divmod(place, 8)
        labelled = draw.random() < 0.9
        found.append(
            row(
                n,
                run=f"run-{1 + repeat % 2}",
                task=f"task-{task}",
                agent=("aider", "openhands")[column % 2],
                model=("model-a", "model-b")[column // 2 % 2],
                prompt=("neutral", "reminder")[column // 4],
                replicate=repeat,
                health="ok" if labelled else draw.choice(("infra", "timeout", "")),
                label=draw.choice(LABELS) if labelled else None,
                usd=draw.random(),
                flags=("history", "network")[: draw.choice((0, 0, 0, 1, 2))],
                new_cwes=("CWE-416",) if draw.random() < 0.1 else (),
                language=("c", "c++")[task % 2],
                project=f"project-{task % 3}",
                domain="",
                cwes=("CWE-122", "CWE-787")[: 1 + task % 2],
            )
        )
    return found


class _Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args: Any, answers: dict[str, Answer], **more: Any) -> None:
        self.answers = answers
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        answer = self.answers.get(self.path)
        if answer is None:
            super().do_GET()
            return
        body = answer()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Tests say by themselves what went wrong."""


@contextmanager
def served(folder: Path, answers: dict[str, Answer] | None = None) -> Iterator[str]:
    """The address of a web server of a folder; `answers` go before files."""
    handler = functools.partial(_Handler, directory=str(folder), answers=answers or {})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
