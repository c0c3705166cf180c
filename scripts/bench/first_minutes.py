"""The first minutes of a new user: set-up, first label, six labels, matrix, test tiers, wheel to first label.

    python3 scripts/bench/first_minutes.py PART... [--runs N] [--json FILE] [--cold]

| part | what is timed |
|---|---|
| `setup` | `./scripts/setup` |
| `label` | `./scripts/demo`: to the first label, to the six of a single task |
| `matrix` | `./scripts/demo --all`: the same, and all 78 |
| `quick`, `default` | `./scripts/test --quick`, `./scripts/test`, from a ready `.venv` |
| `wheel` | a wheel is built, installed outside the clone, `arena demo`: to the first label, to the six |

Each run has a separate clone of HEAD, home and store; `label`, `matrix` and `wheel` also have a
separate container engine without any image (as root; its data go with it), so that nothing of the user's
is used up or removed. Debian packages are not taken off: what apt installs on a bare machine comes on top.
Downloaded Python packages are taken from the user's caches, unless `--cold`. Medians go to stdout as a table.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LABEL = re.compile(r"\[(\d+)/\d+\] .*: (?:NO|CE|IC|CV|CS|C&S)$")
ENGINE_STARTS = 60.0
Times = dict[str, float]


class FailedStep(Exception):
    """A command that is timed did not do what it should; the message is its last lines."""


@dataclass(frozen=True)
class Place:
    """A clone with a home, and the environment that commands run in."""

    clone: Path
    env: Mapping[str, str]

    @property
    def room(self) -> Path:
        return self.clone.parent


@contextmanager
def fresh_place(cold: bool) -> Iterator[Place]:
    """A clone of HEAD in a room that goes when the block ends."""
    room = Path(tempfile.mkdtemp(prefix="arena-first-"))
    try:
        (room / "home").mkdir()
        subprocess.run(["git", "clone", "-q", str(ROOT), str(room / "clone")], check=True)
        cache = room / "cache" if cold else Path.home() / ".cache"
        environment = {"HOME": room / "home", "ARENA_HOME": room / "store"}
        caches = {"UV_CACHE_DIR": cache / "uv", "PIP_CACHE_DIR": cache / "pip"}
        settings = Path.home() / ".config/pip/pip.conf"
        named = {"PIP_CONFIG_FILE": settings} if settings.is_file() else {}
        added = {name: str(path) for name, path in {**environment, **caches, **named}.items()}
        kept_environment = {
            name: value for name, value in os.environ.items() if not name.startswith("ARENA_")
        }
        yield Place(room / "clone", {**kept_environment, **added})
    finally:
        shutil.rmtree(room, ignore_errors=True)


@contextmanager
def fresh_engine(place: Place) -> Iterator[Place]:
    """The folders with a separate container engine that holds nothing. Raises FailedStep."""
    if os.geteuid() != 0 or not shutil.which("dockerd"):
        raise FailedStep("an engine of its own needs root and dockerd")
    folder = Path(tempfile.mkdtemp(prefix="arena-engine-", dir="/var/tmp"))  # not in memory
    listens = folder / "socket"
    there = Path("/sys/class/net/docker0").exists()
    bridge = "docker0" if there else "none"  # with "none" dockerd would take away another one's
    argv = ["dockerd", f"--bridge={bridge}", "--iptables=false", "--host", f"unix://{listens}"]
    for name in ("data-root", "exec-root"):
        argv += [f"--{name}", str(folder / name)]
    argv += ["--pidfile", str(folder / "pid")]
    with (folder / "log").open("wb") as log:
        engine = subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True)
        try:
            until(lambda: answers(listens), f"dockerd did not start: {folder / 'log'}")
            yield Place(place.clone, {**place.env, "DOCKER_HOST": f"unix://{listens}"})
        finally:
            engine.terminate()
            engine.wait()
            for left in (folder / "exec-root/netns").glob("*"):  # dockerd leaves it mounted
                subprocess.run(["umount", str(left)], check=False)
            shutil.rmtree(folder, ignore_errors=True)


def until(there: Callable[[], bool], complaint: str) -> None:
    deadline = time.monotonic() + ENGINE_STARTS
    while not there():
        if time.monotonic() > deadline:
            raise FailedStep(complaint)
        time.sleep(0.2)


def answers(listens: Path) -> bool:
    """Whether an engine answers at a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(listens))
            probe.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return b"OK" in probe.recv(4096)
        except OSError:
            return False


def run(place: Place, *argv: str, into: Path | None = None) -> Times:
    """Run to the end; seconds to it ("end"), and to the first and the sixth label. Raises Failed."""
    began, output = time.monotonic(), [""]
    times: Times = {}
    process = subprocess.Popen(
        argv,
        cwd=into or place.clone,
        env=place.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        output.append(line.strip())
        match = LABEL.match(line.strip())
        if match and match[1] in ("1", "6"):
            times.setdefault({"1": "first label", "6": "six labels"}[match[1]], since(began))
    if process.wait():
        raise FailedStep(
            f"{' '.join(argv)}: status {process.returncode}: {' / '.join(output[-3:])}"
        )
    return {**times, "end": since(began)}


def since(began: float) -> float:
    return round(time.monotonic() - began, 1)


def setup(place: Place, stack: ExitStack) -> Times:
    return {"set-up": run(place, "./scripts/setup")["end"]}


def label(place: Place, stack: ExitStack) -> Times:
    measured = run(
        stack.enter_context(fresh_engine(place)), "./scripts/demo", "--sandbox", "docker"
    )
    return {f"demo: {name}": measured[name] for name in ("first label", "six labels")}


def matrix(place: Place, stack: ExitStack) -> Times:
    argv = ("./scripts/demo", "--all", "--sandbox", "docker")
    measured = run(stack.enter_context(fresh_engine(place)), *argv)
    return {
        f"demo --all: {name.replace('end', 'all labels')}": took for name, took in measured.items()
    }


def quick(place: Place, stack: ExitStack) -> Times:
    setup(place, stack)
    return {"test --quick": run(place, "./scripts/test", "--quick")["end"]}


def default(place: Place, stack: ExitStack) -> Times:
    setup(place, stack)
    return {"test": run(place, "./scripts/test")["end"]}


def wheel(place: Place, stack: ExitStack) -> Times:
    setup(place, stack)
    place = stack.enter_context(fresh_engine(place))
    outside = place.room / "outside"
    outside.mkdir()
    python, began = ".venv/bin/python", time.monotonic()
    run(
        place,
        python,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        "dist",
        ".",
    )
    built = next((place.clone / "dist").glob("*.whl"))
    run(place, python, "-m", "venv", str(outside / "venv"))
    run(place, str(outside / "venv/bin/pip"), "install", "-q", str(built))
    installed = since(began)
    argv = (str(outside / "venv/bin/arena"), "demo", "--sandbox", "docker")
    measured = run(place, *argv, into=outside)
    rows = {name: round(installed + measured[name], 1) for name in ("first label", "six labels")}
    return {"wheel installed": installed} | {f"wheel: {name}": took for name, took in rows.items()}


PARTS: dict[str, Callable[[Place, ExitStack], Times]] = {
    function.__name__: function for function in (setup, label, matrix, quick, default, wheel)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="+", choices=[*PARTS], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--runs", type=int, default=3, help="how often each is timed (3)")
    parser.add_argument("--json", type=Path, help="a file for all times, run by run")
    parser.add_argument("--cold", action="store_true", help="without the user's package caches")
    options = parser.parse_args()
    times: dict[str, list[float]] = {}
    for part in options.parts:
        for number in range(options.runs):
            print(f"{part}, run {number + 1} of {options.runs}", file=sys.stderr)
            try:
                with fresh_place(options.cold) as place, ExitStack() as stack:
                    for name, took in PARTS[part](place, stack).items():
                        times.setdefault(name, []).append(took)
            except FailedStep as failed:
                print(f"first_minutes: {part}: {failed}", file=sys.stderr)
                return 2
    print("| part | median, s | runs |\n|---|---|---|")
    for name, times_of in times.items():
        each = ", ".join(f"{seconds:.0f}" for seconds in times_of)
        print(f"| {name} | {statistics.median(times_of):.0f} | {each} |")
    if options.json:
        options.json.write_text(
            json.dumps({"cpus": os.cpu_count(), "seconds": times}, indent=1) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
