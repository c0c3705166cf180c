"""Runs commands in sandboxes of a disposable container, and prints as JSON what came of each.

Started by `test_disposable.py` in a file system of its own, whose `/src`, `/out` and `/tmp` may be moved.
"""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness.command import Command, ExecResult, Limits
from harness.sandbox.disposable import MARKER, USER, DisposableBackend, DisposableSandbox

HOME = MARKER.parent
LIMITS = Limits(output=1000, memory=64 << 20)
DAEMON = "setsid sh -c 'exec sleep 1000' >/dev/null 2>&1 </dev/null & sleep 0.2"
HOARD = "python3 -c 'import time; held = bytearray(200 << 20); time.sleep(60)'"


def told(done: ExecResult) -> list[Any]:
    return [done.status, done.output.decode().strip(), done.stopped]


def left_processes() -> int:
    return sum(
        path.stat().st_uid == USER for path in Path("/proc").iterdir() if path.name.isdigit()
    )


def started(backend: DisposableBackend, image: str) -> DisposableSandbox:
    box = backend.create(image, LIMITS)
    box.start()
    return box


def stopped_under_a_command(box: DisposableSandbox) -> list[Any]:
    with ThreadPoolExecutor() as pool:
        running = pool.submit(box.exec, Command("echo begun; sleep 100", "/src", 200))
        time.sleep(1)
        box.stop()
        waiting = pool.submit(box.exec, Command("true"))
        return [told(running.result()), type(waiting.exception()).__name__]


def outcomes(backend: DisposableBackend) -> dict[str, Any]:
    image = backend.resolve("arena/cpp")
    first, second = started(backend, image), started(backend, image)

    def run(box: DisposableSandbox, line: str, timeout: float = 20) -> list[Any]:
        return told(box.exec(Command(line, "/src", timeout)))

    first.put({"kept": b"content"}, "/src")
    found = {
        "is_root": run(first, "test $(id -u) = 0"),
        "reads_home": run(first, f"ls {HOME} 2>/dev/null"),
        "writes": run(first, "echo of-first > /tmp/note; echo of-first > /dev/shm/note; cat kept"),
        "other_sandbox": run(second, "cat kept /tmp/note /dev/shm/note 2>/dev/null"),
        "same_sandbox": run(first, "cat kept /tmp/note"),
        "no_folder": told(first.exec(Command("true", "/src/none")))[0],
        "daemon": run(first, DAEMON),
        "processes_after_daemon": left_processes(),
        "kills_all": run(first, "kill -9 -1; sleep 0.1; kill -9 $$")[0],
        "after_kills": run(first, "echo alive"),
        "timeout": run(first, "sleep 100", 1)[2],
        "output": run(first, "yes")[2],
        "memory": run(first, HOARD)[2],
    }
    found["stopped_under_a_command"] = stopped_under_a_command(second)
    name = first.snapshot("arena/env:abc", {})
    third = started(backend, name)
    found["snapshot"] = run(third, "cat kept /tmp/note")
    found["bytes_of_get"] = b"of-first" in third.get(["note"], "/tmp")
    found["places_after_stop"] = [Path(name).exists() for name in ("/src", "/out", "/tmp")]
    return found


def main() -> None:
    (HOME / "scratch").mkdir(parents=True)
    MARKER.touch()
    Path("/dev/shm").chmod(0o1777)
    HOME.chmod(0o700)
    os.environ |= {"ARENA_HOME": str(HOME / "home"), "TMPDIR": str(HOME / "scratch")}
    backend = DisposableBackend()
    backend.prepare()
    print(json.dumps(outcomes(backend)))


if __name__ == "__main__":
    main()
