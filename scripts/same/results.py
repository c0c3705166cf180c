"""Labels, kills, verdicts, candidates, tables: record the results, and report later which of them changed.

    ./scripts/same-results list                            the parts, and how long each takes
    ./scripts/same-results record FOLDER [PART...]         take them, a file PART.tsv each
    ./scripts/same-results compare FOLDER [PART...]        take them anew, and print each row that differs

All is taken by the commands in `parts.toml`, in a separate store. A file has a row for each result,
sorted: what it is about, a tab, what came out. The exit status is 1 when a row differs, and 2 when a part
could not be taken.

Left out, since they differ from run to run: seconds and CPU, ids of runs and attempts, digests of evidence,
and the sentences that give reasons (they hold addresses, times and measured numbers).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.dual.tasks.pack import load_dual, read_program

ROOT = Path(__file__).resolve().parents[2]
VARIANTS = ("b-szz", "b-szz-w", "ag-szz", "ma-szz", "l-szz", "r-szz", "v-szz", "anchors")
# Of this repository's history: up to where, and how many; with the starter pack's 112 they are 200.
LATEST, DRAWN = "03e466593ce17df2e35048c6fb54284921a38b77", 88
Table = dict[str, str]
Item = Mapping[str, str]


class NotTaken(Exception):
    """A part could not be taken; the message says why."""


@dataclass(frozen=True)
class ResultRows:
    """Where results are in an answer; see `parts.toml`."""

    path: str = ""
    key: str = ""
    value: str = ""
    tally: str = ""
    flat: str = ""
    without: str = ""


@dataclass(frozen=True)
class ResultPart:
    about: str
    minutes: float
    commands: Sequence[str]
    rows: Sequence[Mapping[str, str]]
    form: str = "json"
    each: str = ""
    make: str = ""


def items_of(part: ResultPart, home: Path) -> Iterator[Item]:
    if part.make:
        yield from MAKERS[part.make](home)
    elif part.each:
        for path in sorted(ROOT.glob(part.each)):
            yield {"item": str(path), "name": path.stem, "folder": f"{path.parent}/"}
    else:
        yield {}


def samples(home: Path) -> Iterator[Item]:
    """Every reference and variant of the pack, as a folder of samples."""
    for task in load_dual("dual").tasks:
        programs = {
            f"reference-{path.suffix[1:]}{path.suffix}": read_program(path)
            for path in task.references.values()
        }
        for variant in task.spec.variants:
            path = Path(variant.file)
            programs[f"{path.stem}-{path.suffix[1:]}{path.suffix}"] = task.read_variant(variant)
        folder = home / "samples" / task.id
        folder.mkdir(parents=True)
        for name, program in programs.items():
            (folder / name).write_bytes(program)
    yield {}


def histories(home: Path) -> Iterator[Item]:
    """The starter pack's repositories, with every commit but the first."""
    for source in sorted((ROOT / "tasks/packs/starter/repositories").iterdir()):
        repository, patches = str(home / source.name), map(str, sorted(source.glob("*.patch")))
        git("init", "-q", "-b", "main", repository)
        git("-C", repository, "am", "-q", "--committer-date-is-author-date", "--keep-cr", *patches)
        fixes = git("-C", repository, "rev-list", "--min-parents=1", "main")
        (home / f"{source.name}.fixes").write_text(fixes, "utf-8")
        yield from ({"name": source.name, "variant": variant} for variant in VARIANTS)


def history(home: Path) -> Iterator[Item]:
    """Commits up to LATEST: ids are as good as random, so the smallest are a draw."""
    fixes = git("-C", str(ROOT), "rev-list", "--min-parents=1", "--max-parents=1", LATEST).split()
    (home / "fixes").write_text("\n".join(sorted(fixes)[:DRAWN]) + "\n", "utf-8")
    yield {}


MAKERS = {"samples": samples, "histories": histories, "history": history}


def git(*args: str) -> str:
    """Without the user's settings, so that ids are the same everywhere. Raises NotTaken."""
    who = {f"GIT_COMMITTER_{what}": "same@example.org" for what in ("NAME", "EMAIL")}
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC"}
    env = {**os.environ, **who, **plain}
    done = subprocess.run(["git", *args], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotTaken(f"git {' '.join(args[:4])}: {done.stderr.strip()}")
    return done.stdout


def take(part: ResultPart, options: Item) -> Table:
    """The part's rows. Raises NotTaken when a command returns no answer, or an answer without a row."""
    table: Table = {}
    with tempfile.TemporaryDirectory(prefix="same-results-", ignore_cleanup_errors=True) as scratch:
        home, out = Path(scratch, "home"), Path(scratch, "out.json")
        home.mkdir()
        for item in items_of(part, home):
            out.unlink(missing_ok=True)
            names = {**options, "home": str(home), "out": str(out), **item}
            for command in part.commands:
                argv = [word.format(**names) for word in shlex.split(command)]
                answer = run(argv, home, out)
            rows = [*rows_of(part, answer, names)]
            if not rows:
                raise NotTaken(f"no row: {shlex.join(argv)}")
            for key, value in rows:
                add_row(table, key, value)
    return table


def add_row(table: Table, key: str, value: str) -> None:
    """Add a row; a second row of the same name gets a number."""
    number, name = 1, key
    while name in table:
        number += 1
        name = f"{key} #{number}"
    table[name] = value


def run(argv: Sequence[str], home: Path, out: Path) -> str:
    """The answer of a command. Its status counts only without an answer: many report a finding by it."""
    outer = {k: v for k, v in os.environ.items() if k not in ("ARENA_STORE", "ARENA_ARTEFACTS")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{outer.get('PATH', '')}"
    env = {**outer, "ARENA_HOME": str(home), "PATH": path, "NO_COLOR": "1"}
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    is_out_named = str(out) in argv
    answer = (
        out.read_text("utf-8")
        if is_out_named and out.exists()
        else ""
        if is_out_named
        else done.stdout
    )
    if not answer.strip():
        last_lines = " / ".join(done.stderr.strip().splitlines()[-3:])
        raise NotTaken(f"{shlex.join(argv)}: status {done.returncode}: {last_lines}")
    return answer


def rows_of(part: ResultPart, answer: str, names: Item) -> Iterator[tuple[str, str]]:
    """(what it is about, what came out) of each result. Raises NotTaken when the answer has another form."""
    try:
        read = FORMS[part.form](answer)
        for rows in (ResultRows(**raw) for raw in part.rows):
            chains: list[tuple[Any, ...]] = [(read,)]
            for step in rows.path.split():
                chains = [(*c, below) for c in chains for below in field(c, step, names)]
            for chain in chains:
                yield from results(rows, chain, names)
    except (ValueError, LookupError, TypeError) as fault:
        raise NotTaken(f"the answer is not as parts.toml says: {fault!r}") from fault


def results(rows: ResultRows, chain: tuple[Any, ...], names: Item) -> Iterator[tuple[str, str]]:
    if rows.flat:
        yield from flatten_numbers(field(chain, rows.flat, names), rows.flat.rpartition(".")[2])
        return
    name, _, value = rows.without.partition("=")
    if name and cell_text(field(chain, name, names)) == value:
        return
    values = [cell_text(field(chain, name, names)) for name in rows.value.split()]
    if rows.tally:
        listed, name, result = rows.tally.split()
        others: dict[str, list[str]] = {"pass": []}
        for each in field(chain, listed, names):
            others.setdefault(each[result], []).append(each[name])
        values += [f"pass {len(others.pop('pass'))}"]
        values += [f"{kind}: {' '.join(sorted(ids))}" for kind, ids in sorted(others.items())]
    key = "/".join(cell_text(field(chain, name, names)) for name in rows.key.split())
    yield key.removeprefix(names.get("folder", "")), "\t".join(values)


def field(chain: tuple[Any, ...], name: str, names: Item) -> Any:
    if name.startswith("@"):
        return names[name[1:]]
    bare = name.lstrip("^")
    value = chain[len(bare) - len(name) - 1]
    for step in bare.split("."):
        value = value[step]
    return value


def flatten_numbers(content: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(content, Mapping):
        for below, value in content.items():
            yield from flatten_numbers(value, f"{name}.{below}")
    else:
        yield name, cell_text(content)


def cell_text(value: Any) -> str:
    """On a single line: commits by ten digits, numbers by six (more depend on the order of a sum)."""
    if isinstance(value, list):
        return " ".join(map(cell_text, value)) or "-"
    text = (
        f"{value:.6g}" if isinstance(value, float) else "-" if value in (None, "") else str(value)
    )
    return re.sub(r"\b([0-9a-f]{10})[0-9a-f]{30}\b", r"\1", " ".join(text.split()))


def tables(text: str) -> dict[str, list[dict[str, str]]]:
    """Rows of Markdown's tables: named by the cells before the first number, with the rest as values."""
    tables_found, heading = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if line.startswith("#"):
            heading = line.strip("# ")
        elif line.startswith("|") and not set(line) <= set("|-: "):
            first = next((n for n, cell in enumerate(cells) if re.match(r"[-\d.]", cell)), 1) or 1
            row = {"table": heading, "row": "/".join(cells[:first])}
            tables_found.append({**row, "cells": " | ".join(cells[first:])})
    return {"rows": tables_found}


FORMS: Mapping[str, Callable[[str], Any]] = {
    "json": json.loads,
    "lines": lambda text: {"lines": [json.loads(line) for line in text.splitlines()]},
    "tables": tables,
}


def work(verb: str, name: str, part: ResultPart, folder: Path, options: Item) -> bool:
    """Record or compare a part; returns whether it is as it was. Raises NotTaken."""
    path, began = folder / f"{name}.tsv", time.monotonic()
    if verb == "compare" and not path.is_file():
        raise NotTaken(f"{path} is not there")
    new = take(part, options)
    how = str(path)
    if verb == "record":
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{k}\t{v}\n" for k, v in sorted(new.items())), "utf-8")
    else:
        lines = path.read_text("utf-8").splitlines()
        old = {key: value for key, _, value in (line.partition("\t") for line in lines)}
        differ = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        for key in differ:
            print(f"{name}: {key}: {old.get(key, '(no row)')} -> {new.get(key, '(no row)')}")
        how = f"{len(differ)} rows differ" if differ else "same"
    print(f"{name}: {len(new)} rows in {time.monotonic() - began:.0f} s: {how}", flush=True)
    return verb == "record" or not differ


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("same-results", description=__doc__, formatter_class=form)
    parser.add_argument("verb", choices=["list", "record", "compare"])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "scripts/same")
    parser.add_argument("part", nargs="*", help="default: all")
    parser.add_argument("--data", default="data", help="the folder of secmutbench/dataset.json")
    parser.add_argument("--workers", default="0", help="at a time; default: 0, one a CPU")
    parser.add_argument("--parts", type=Path, default=ROOT / "scripts/same/parts.toml")
    args = parser.parse_args()
    parts = {
        k: ResultPart(**raw) for k, raw in tomllib.loads(args.parts.read_text("utf-8")).items()
    }
    if unknown := sorted({*args.part} - parts.keys()):
        parser.error(f"unknown: {', '.join(unknown)}; parts: {', '.join(parts)}")
    options, code = {"data": str(args.data), "workers": args.workers}, 0
    for name in args.part or parts:
        if args.verb == "list":
            print(f"{name:12}{parts[name].minutes:5} min  {parts[name].about}")
            continue
        try:
            same = work(args.verb, name, parts[name], args.folder, options)
            code = max(code, int(not same))
        except NotTaken as fault:
            print(f"{name}: not taken: {fault}", file=sys.stderr)
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main())
