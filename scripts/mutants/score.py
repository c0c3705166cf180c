"""The mutation score of the deciding files, by tests that need no sandbox, server or browser.

    ./scripts/deciding                            all files of scripts/mutants/deciding.toml
    ./scripts/deciding harness/grade/decide.py    a single file
    ./scripts/deciding --list                     with each surviving mutant as a diff
    ./scripts/deciding --json                     counts and survivors as JSON

mutmut makes and runs the mutants, in a copy of the tree. It mutates functions and methods, neither tables of
a module nor decorated functions. A mutant counts as killed if a test fails or it never ends. The exit status
is 1 where a file is below the minimum, or where `deciding.toml` lists an equivalent mutant that does not
survive.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("deciding.toml")
ROOMS = ("arena", "harness", "images", "parsers", "szz", "tasks")
# mutmut's exit codes of a mutant: a test failed, pytest broke, or it ran out of time.
CAUGHT_STATUSES = {1, 3, 24, -24, 36, 152, 255}


@dataclass(frozen=True)
class Mutant:
    """A change of a function: the lines that it removes and adds, without indentation."""

    function: str
    before: str
    after: str


@dataclass
class Score:
    """Mutants of a file by outcome; `stale` are listed equivalents that no surviving mutant is."""

    file: str
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    stale: list[Mutant] = field(default_factory=list)

    @property
    def percent(self) -> float:
        """Percentage of mutants killed, of those that are not equivalent."""
        return 100 * self.killed / max(1, self.mutants - self.equivalent)


def main() -> int:
    parser = argparse.ArgumentParser(description="The mutation score of the deciding files.")
    parser.add_argument("files", nargs="*", help="by default all of deciding.toml")
    parser.add_argument("--list", action="store_true", help="print each surviving mutant")
    parser.add_argument("--json", action="store_true", help="print counts and survivors as JSON")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at once")
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text("utf-8"))
    unknown = set(options.files) - set(table["files"])
    if unknown:
        parser.error(f"not in deciding.toml: {', '.join(sorted(unknown))}")
    chosen = {
        name: row
        for name, row in table["files"].items()
        if name in (options.files or table["files"])
    }
    with tempfile.TemporaryDirectory(prefix="deciding-") as folder:
        tree = Path(folder, "tree")
        run_mutmut(tree, chosen, options.jobs)
        scores = [read_score(tree, name, row) for name, row in chosen.items()]
    if options.json:
        print(
            json.dumps([asdict(score) | {"percent": score.percent} for score in scores], indent=1)
        )
    else:
        print_scores(scores, options.list)
    minimum = table["minimum_percent"]
    return any(score.percent < minimum or score.stale for score in scores)


def run_mutmut(tree: Path, chosen: Mapping[str, Mapping[str, Any]], jobs: int) -> None:
    """Mutate the files in a copy of the working tree. Raises SystemExit where mutmut fails."""
    copy_tree(tree)
    tests = sorted({test for row in chosen.values() for test in row["tests"]})
    settings = {
        "source_paths": ROOMS,
        "only_mutate": [*chosen],
        "pytest_add_cli_args": ["--tier=quick", "-p", "no:cacheprovider", "-p", "no:xdist"],
        "pytest_add_cli_args_test_selection": tests,
        "use_git_change_detection": False,
        "track_dependencies": False,
    }
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    with (tree / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[tool.mutmut]\n{lines}")
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    done = subprocess.run(
        [mutmut, "run", "--max-children", str(jobs)],
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTEST_DEBUG_TEMPROOT": str(tree.parent)},
        check=False,
    )
    if done.returncode:
        sys.stderr.buffer.write(done.stdout[-20_000:])
        raise SystemExit(f"deciding: mutmut ended with {done.returncode}")


def copy_tree(folder: Path) -> None:
    """Copy what git tracks, and new files, as they are in the working tree."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=TREE, check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (TREE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TREE / name, folder / name)


def read_score(tree: Path, file: str, row: Mapping[str, Any]) -> Score:
    """Count the outcomes of a file's mutants."""
    results = json.loads((tree / "mutants" / f"{file}.meta").read_text())["exit_code_by_key"]
    score = Score(file, len(results))
    listed = [Mutant(*entry[:3]) for entry in row.get("equivalent", ())]
    survivors = []
    for name, code in results.items():
        if code in CAUGHT_STATUSES:
            score.killed += 1
        else:
            survivors.append(describe_mutant(tree, file, name))
    score.survivors = [mutant for mutant in survivors if mutant not in listed]
    score.equivalent = len(survivors) - len(score.survivors)
    score.stale = [mutant for mutant in listed if mutant not in survivors]
    return score


def describe_mutant(tree: Path, file: str, name: str) -> Mutant:
    """The lines that a mutant changes."""
    mangled = name.rpartition(".")[2]
    base, _, _ = mangled.rpartition("__mutmut_")
    spans = json.loads((tree / "mutants" / f"{file}.spans").read_text())["spans"]
    lines = (tree / "mutants" / file).read_text("utf-8").splitlines()
    original, mutated = (
        [line.replace(key, "f") for line in lines[spans[key][0] - 1 : spans[key][1]]]
        for key in (f"{base}__mutmut_orig", mangled)
    )
    diff = list(difflib.unified_diff(original, mutated, n=0, lineterm=""))[2:]
    before, after = (join_lines(diff, sign) for sign in "-+")
    return Mutant(base.removeprefix("x_").replace("xǁ", "").replace("ǁ", "."), before, after)


def join_lines(diff: Iterable[str], sign: str) -> str:
    return " / ".join(line[1:].strip() for line in diff if line.startswith(sign))


def print_scores(scores: Sequence[Score], with_survivors: bool) -> None:
    for score in scores:
        print(
            f"{score.percent:5.1f} %  {score.killed}/{score.mutants - score.equivalent}  {score.file}",
            end="",
        )
        print(f"  ({score.equivalent} equivalent)" if score.equivalent else "")
        for mutant in score.stale:
            print(
                f"    listed as equivalent, but found or gone: {mutant.function}: {mutant.before}"
            )
        for mutant in score.survivors if with_survivors else ():
            print(f"    {mutant.function}\n      - {mutant.before}\n      + {mutant.after}")


if __name__ == "__main__":
    sys.exit(main())
