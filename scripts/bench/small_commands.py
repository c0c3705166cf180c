"""CPU seconds of the small commands, of this tree and an earlier tree by turns.

    .venv/bin/python scripts/bench/small_commands.py EARLIER_TREE [--takes 3] [--dataset FILE]

Both run with the packages of this tree's `.venv`, unless the earlier tree has its. Each take runs each
command once in each tree, with a store of 1,508 synthetic attempts that the tree wrote; user and system time
of the child are added up, which a busy machine leaves nearly alone. dataset: SecMutBench's, for
`arena grade reference`, which takes minutes. Medians go to stdout as a table.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILL = """import importlib.util, sys
from pathlib import Path
from arena.store.store import Store
spec = importlib.util.spec_from_file_location("sweep_store", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.fill(Store(Path(sys.argv[2])), 26, 29)
"""
COMMANDS: dict[str, tuple[str, ...]] = {
    "arena --help": ("--help",),
    "arena tasks list": ("tasks", "list"),
    "a misspelt agent": ("run", "--pack", "starter", "--agent", "codxe", "--model", "script:hello"),
    "report of 1,508 attempts": ("report", "latest"),
}


def cpu_seconds(tree: Path, args: Sequence[str], home: Path) -> float:
    """User and system time of a command and its children. Raises CalledProcessError for a wrong status."""
    env = {
        **os.environ,
        "ARENA_HOME": str(home),
        "ARENA_STORE": str(home / "store"),
        "COLUMNS": "120",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python = tree / ".venv/bin/python"
    command = [str(python) if python.exists() else sys.executable, *args]
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, check=False)
    if done.returncode != (2 if "codxe" in args else 0):
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("earlier", type=Path)
    parser.add_argument("--takes", type=int, default=3)
    parser.add_argument("--dataset", type=Path)
    options = parser.parse_args()
    commands = dict(COMMANDS)
    if options.dataset:
        grade = (
            "grade",
            "reference",
            "--pack",
            str(options.dataset.resolve()),
            "--set",
            "mutants=stored",
        )
        commands["grade reference"] = grade
    trees = {"earlier": options.earlier.resolve(), "this": ROOT}
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: Path(folder, name) for name in trees}
        fixture = ROOT / "tests/arena/serve/sweep_store.py"
        for name, tree in trees.items():
            cpu_seconds(tree, ("-c", FILL, str(fixture), str(homes[name] / "store")), homes[name])
        times: dict[tuple[str, str], list[float]] = {}
        for _ in range(options.takes):
            for what, args in commands.items():
                for name, tree in trees.items():
                    seconds = cpu_seconds(tree, ("-m", "arena", *args), homes[name])
                    times.setdefault((what, name), []).append(seconds)
    print("| command | earlier, CPU-s | this, CPU-s | part |\n|---|---|---|---|")
    for what in commands:
        earlier, this = (statistics.median(times[what, name]) for name in trees)
        print(f"| {what} | {earlier:.2f} | {this:.2f} | {this / earlier:.2f} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
