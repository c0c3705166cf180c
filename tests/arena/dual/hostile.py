"""Hostile candidates: what one is, and the tiny tasks that they are tried on.

All tasks ask for the same (the text in capitals, with "!" behind it) in different shapes, by one functional
test and one security test with the oracles that a hostile program would have to get past.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from arena.models.languages import Language
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import ProgramLimits
from tests.arena.dual.making import make_pack

# What hostile candidates name the things that they leave behind, and what is looked for on the host.
MARK = "arena-hostile"
LIMITS: dict[str, float] = {
    "seconds": 6.0,
    "start": 8.0,
    "cpu": 6.0,
    "memory": 160,
    "processes": 64,
}
QUIET: tuple[dict[str, Any], ...] = tuple(
    {"oracle": name} for name in ("no-canary", "no-secret", "no-outbound", "tree")
)


@dataclass(frozen=True)
class Hostile:
    """`functional`, `security`: the verdicts due: "pass", "error", or the oracles that must have failed it.

    state: what is due of the sample as a whole. observed: stands in what the functional test shows.
    seconds, start: where the clock has to end it, and there is no point in waiting long.
    """

    name: str
    shape: str
    functional: str
    security: str
    source: str
    language: Language = "python"
    state: str = "usable"
    observed: str = ""
    seconds: float = LIMITS["seconds"]
    start: float = LIMITS["start"]

    @property
    def program(self) -> bytes:
        return dedent(self.source).encode("utf-8", "surrogatepass")


ADDS = """
    import sqlite3, sys
    def main():
        book = sqlite3.connect("notes.db")
        book.execute("insert into notes values (?)", (sys.stdin.read(),))
        book.commit()
        book.close()
"""
# A service of a few lines: `give(caller, path)` answers a request as it likes.
SERVES = """
    import json, os, signal, socket, sys, threading, time, urllib.parse
    def answer(path):
        text = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)["text"][0]
        return json.dumps({"said": text.upper() + "!"}).encode()
    def plain(body, more=b""):
        return b"HTTP/1.1 200 OK\\r\\n" + more + b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body
    def listen(port):
        return socket.create_server(("127.0.0.1", port))
    def serve(give, port=None, times=100, at=None):
        at = at or listen(port or int(os.environ["PORT"]))
        for _ in range(times):
            caller, _ = at.accept()
            data = b""
            while b"\\r\\n\\r\\n" not in data:
                data += caller.recv(65536)
            try:
                give(caller, data.split()[1].decode())
            except OSError:
                pass
            caller.close()
"""

HONEST = {
    "function": "def shout(text):\n    return text.upper() + '!'\n",
    "stdin": "import sys\nprint(sys.stdin.read().upper() + '!')\n",
    "file": "import sys\nopen(sys.argv[2], 'w').write(open(sys.argv[1]).read().upper() + '!')\n",
    "http": dedent(SERVES) + "serve(lambda caller, path: caller.sendall(plain(answer(path))))\n",
    "ledger": dedent(ADDS) + "main()\n",
}


def _function() -> dict[str, Any]:
    said = [
        {"oracle": "returns", "value": v, "step": n} for n, v in enumerate(("KESTREL!", "OWL!"))
    ]
    return {
        "io": {"shape": "function", "functions": [{"name": "shout", "parameters": ["text"]}]},
        "functional": ([{"args": ["kestrel"]}, {"args": ["owl"]}], said),
        "security": (
            [{"args": ["; canary"]}],
            [{"oracle": "returns", "value": "; CANARY!"}, *QUIET],
        ),
    }


def _stdin() -> dict[str, Any]:
    return {
        "io": {"shape": "stdin"},
        "functional": ([{"stdin": "kestrel"}], [{"oracle": "prints", "text": "KESTREL!"}]),
        "security": (
            [{"stdin": "; canary"}],
            [{"oracle": "prints", "text": "; CANARY!"}, *QUIET],
        ),
    }


def _http() -> dict[str, Any]:
    def asked(text: str) -> dict[str, Any]:
        return {"method": "GET", "path": "/shout", "query": {"text": text}}

    def said(text: str, **more: Any) -> dict[str, Any]:
        return {"oracle": "responds", "status": 200, "json": {"said": text}, **more}

    both = [said("KESTREL!", step=0), said("OWL!", step=1)]
    return {
        "io": {"shape": "http"},
        "functional": ([asked("kestrel"), asked("owl")], both),
        "security": ([asked("; canary")], [said("; CANARY!"), *QUIET]),
    }


def _file() -> dict[str, Any]:
    def written(text: str) -> dict[str, Any]:
        return {"oracle": "writes", "path": "out.txt", "text": text}

    return {
        "io": {"shape": "file", "input": "in.txt", "output": "out.txt"},
        "functional": ([{"content": "kestrel"}], [written("KESTREL!")]),
        "security": ([{"content": "; canary"}], [written("; CANARY!"), *QUIET]),
    }


def _ledger() -> dict[str, Any]:
    rows = {"oracle": "rows", "database": "notes.db", "table": "notes"}
    kept = {"oracle": "database", "database": "notes.db", "added": {"notes": 1}}
    return {
        "io": {"shape": "stdin"},
        "place": {"databases": [{"file": "notes.db", "script": "notes.sql"}]},
        "functional": ([{"stdin": "kestrel"}], [{**rows, "rows": [["first"], ["kestrel"]]}]),
        "security": ([{"stdin": "'; canary"}], [kept, *QUIET]),
        "files": {
            "fixtures/notes.sql": "create table notes (text); insert into notes values ('first');"
        },
    }


_SHAPES = {
    "function": _function,
    "stdin": _stdin,
    "http": _http,
    "file": _file,
    "ledger": _ledger,
}


def make_tasks(folder: Path, mark: str) -> dict[str, DualTask]:
    """Shape -> its task. `mark` stands in the environment of the programs."""
    made = []
    for name, made_of in _SHAPES.items():
        told = made_of()
        tests: dict[str, Any] = {}
        for kind in ("functional", "security"):
            steps, expect = told.pop(kind)
            tests[kind] = [{"id": f"{kind[:3]}-shout", "steps": steps, "expect": expect}]
        files = told.pop("files", {})
        told["place"] = {**told.get("place", {}), "env": {"HOSTILE_MARK": mark}}
        languages = ["python", "javascript", "cpp"]
        spec = {"languages": languages, "limits": LIMITS, **told}
        made.append({"id": name, "spec": spec, "files": files, **tests})
    return {task.id: task for task in make_pack(folder, *made).tasks}


def within(task: DualTask, one: Hostile) -> DualTask:
    """The task with the time that a candidate gets for each step, and to start."""
    limits = ProgramLimits.model_validate({**LIMITS, "seconds": one.seconds, "start": one.start})
    spec = task.spec.model_copy(update={"limits": limits})
    return DualTask(task.folder, spec, task.suites)


def security_only(task: DualTask) -> DualTask:
    """The task with its security suite, which asks for the right answer too."""
    return DualTask(task.folder, task.spec, task.suites.model_copy(update={"functional": ()}))
