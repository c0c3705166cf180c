"""Recall and false alarms of the detectors on public sets, beside Bandit and Semgrep on the same programs.

    .venv/bin/python scripts/bench/exposure_sets.py [--securityeval FOLDER] [--cweval FOLDER] [--sven FOLDER]
        [--secmutbench FOLDER] [--bandit] [--semgrep RULES] [--half unseen]
        [--sets] [--wrong] [--sample 50]

A folder is a checkout of s2e-lab/SecurityEval, Co1lin/CWEval or eth-sri/sven, or holds SecMutBench's
dataset.json. Nothing of a program is run. Half of each set is looked at while detectors are fixed, the second
half is only measured: a hash of the row's name decides, of SVEN the commit's, so that what a commit changed
stays together. `--wrong` lists rows of the first half alone. A program is flagged where any detector of its
CWE says `vulnerable`.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import random
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.tracks.exposure.tools._panel import BUILTIN, ExaminedProgram, Opinion, examine
from arena.tracks.exposure.tools._tool import ToolProgram, ToolWeakness, tool_of

# Detectors, and the CWEs of the sets' rows that they are held against.
FAMILIES: Mapping[tuple[str, ...], tuple[int, ...]] = {
    ("url-regex", "url-substring"): (20,),
    ("path", "tar"): (22,),
    ("command",): (78,),
    ("html", "jinja"): (79, 80),
    ("sql",): (89,),
    ("code",): (94, 95),
    ("certificates",): (295,),
    ("crypto",): (326, 327, 328, 329, 759, 760, 916, 1204),
    ("weak-random",): (330, 331, 338, 339),
    ("upload",): (434,),
    ("yaml",): (502,),
    ("open-redirect",): (601,),
    ("xml",): (611, 776, 827),
    ("file-mode",): (732,),
    ("credentials",): (259, 321, 798),
    ("ssrf",): (918,),
}
DETECTORS = {cwe: names for names, cwes in FAMILIES.items() for cwe in cwes}
ALL = "all"
# The verdict of several detectors is the first of these that one of them gives.
STATES = ("vulnerable", "unknown", "safe", "not-applicable", "invalid")


@dataclass(frozen=True)
class Row:
    """A program of a set. unit: what decides its half."""

    set: str
    name: str
    unit: str
    cwe: int
    weak: bool
    source: str

    @property
    def is_seen(self) -> bool:
        return hashlib.sha256(f"{self.set}/{self.unit}".encode()).digest()[0] % 2 == 0


@dataclass(frozen=True)
class Judged:
    """A row with each tool's opinion of it: the detectors' verdicts are joined."""

    row: Row
    opinions: Mapping[str, Opinion]

    def is_flagged(self, tool: str) -> bool:
        return self.opinions[tool].verdict == "vulnerable"


def _lines(file: Path) -> Iterator[dict[str, str]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def securityeval(folder: Path) -> Iterator[Row]:
    for row in _lines(folder / "dataset.jsonl"):
        name = row["ID"]
        yield Row(
            "SecurityEval", name, name, int(name.split("_")[0][4:]), True, row["Insecure_code"]
        )


def cweval(folder: Path) -> Iterator[Row]:
    """Reference programs, and the functions that the tests call unsafe, with the imports of both files."""
    for task in sorted(folder.glob("benchmark/core/py/*_task.py")):
        name = task.name.removesuffix("_task.py")
        secure = task.read_text(encoding="utf-8")
        tests = task.with_name(f"{name}_test.py").read_text(encoding="utf-8")
        cwe = int(name.split("_")[1])
        yield Row("CWEval", name, name, cwe, False, secure)
        imports = [
            ast.unparse(node)
            for text in (secure, tests)
            for node in ast.parse(text).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        kept_lines = [line for line in imports if "pytest" not in line and "_task" not in line]
        functions = (each for each in ast.parse(tests).body if isinstance(each, ast.FunctionDef))
        for node in functions:
            if "_unsafe" in node.name and not node.name.startswith(("test_", "_test")):
                source = "\n".join([*kept_lines, "", ast.unparse(node)])
                yield Row("CWEval", node.name, name, cwe, True, source)


def sven(folder: Path) -> Iterator[Row]:
    for file in sorted(folder.glob("data_train_val/*/cwe-*.jsonl")):
        for number, row in enumerate(_lines(file)):
            if row["file_name"].endswith(".py"):
                cwe = int(row["vul_type"][4:])
                name = f"{file.parent.name}/{cwe}/{number}/{row['func_name']}"
                for key, weak in (("func_src_before", True), ("func_src_after", False)):
                    source = textwrap.dedent(row[key])
                    yield Row("SVEN", name, row["commit_link"], cwe, weak, source)


def secmutbench(folder: Path) -> Iterator[Row]:
    data = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))
    for sample in data["samples"]:
        for key, weak in (("insecure_code", True), ("secure_code", False)):
            cwe = int(sample["cwe"][4:])
            yield Row("SecMutBench", sample["id"], sample["id"], cwe, weak, sample[key])


READERS: Mapping[str, Callable[[Path], Iterator[Row]]] = {
    "securityeval": securityeval,
    "cweval": cweval,
    "sven": sven,
    "secmutbench": secmutbench,
}


def judge_rows(rows: Iterable[Row], tools: Iterable[str]) -> list[Judged]:
    """Collect the opinions of our detectors and the tools; each row goes to every detector of its CWE."""
    judged_rows = [row for row in rows if row.cwe in DETECTORS]
    pairs = [(row, name) for row in judged_rows for name in DETECTORS[row.cwe]]
    programs = ((_program(*each), each[0].source.encode()) for each in pairs)
    judged = examine(programs, {name: tool_of(name) for name in tools}, {})
    for name, version in judged.versions.items():
        print(f"{name}: {version}")
    by_row: dict[int, list[ExaminedProgram]] = {}
    for (row, _), each in zip(pairs, judged.programs, strict=True):
        by_row.setdefault(id(row), []).append(each)
    return [Judged(row, _join_opinions(by_row[id(row)])) for row in judged_rows]


def _program(row: Row, detector: str) -> ToolProgram:
    cwes = tuple(f"CWE-{cwe}" for cwe in FAMILIES[DETECTORS[row.cwe]])
    return ToolProgram(row.name, (), "", ToolWeakness(cwes, detector))


def _join_opinions(every: list[ExaminedProgram]) -> dict[str, Opinion]:
    def rank(opinion: Opinion) -> int:
        return STATES.index(opinion.verdict) if opinion.verdict in STATES else len(STATES)

    return {
        name: min((program.opinions[name] for program in every), key=rank)
        for name in every[0].opinions
    }


def table(every: list[Judged], tools: list[str], by_set: bool) -> Iterator[str]:
    """A line for each detector (and set), and a sum for each set and of all."""
    shown = [tool.partition(":")[0] for tool in tools]
    headings = ("found", "alarms")
    heads = ["detector", "set", *(f"{tool}: {what}" for tool in shown for what in headings)]
    yield "| " + " | ".join([*heads, "missed: unknown, safe, not applicable"]) + " |"
    yield "|---" * (len(heads) + 1) + "|"
    groups: dict[tuple[str, str], list[Judged]] = {}
    for each in sorted(every, key=lambda each: list(FAMILIES).index(DETECTORS[each.row.cwe])):
        names = ", ".join(DETECTORS[each.row.cwe])
        groups.setdefault((names, each.row.set if by_set else ALL), []).append(each)
    for each in every:
        groups.setdefault((ALL, each.row.set), []).append(each)
    groups[ALL, ALL] = every
    for (detectors, name), rows in groups.items():
        cells = [cell for tool in tools for cell in _counts(rows, tool)]
        missed = Counter(
            each.opinions[BUILTIN].verdict
            for each in rows
            if each.row.weak and not each.is_flagged(BUILTIN)
        )
        states = ", ".join(str(missed[state]) for state in STATES[1:4])
        yield "| " + " | ".join([detectors, name, *cells, states]) + " |"


def _counts(rows: list[Judged], tool: str) -> Iterator[str]:
    for weak in (True, False):
        chosen = [each for each in rows if each.row.weak is weak]
        yield f"{sum(each.is_flagged(tool) for each in chosen)}/{len(chosen)}" if chosen else "-"


def _describe_row(judged: Judged) -> str:
    row, opinion = judged.row, judged.opinions[BUILTIN]
    label = "weak" if row.weak else "secure"
    return f"{row.set} {row.name} CWE-{row.cwe} {label}: {opinion.verdict} {opinion.line}: {opinion.why}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name in READERS:
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--semgrep", help="a file or a folder of Semgrep's rules")
    parser.add_argument("--bandit", action="store_true")
    parser.add_argument("--half", choices=("seen", "unseen", "both"), default="both")
    parser.add_argument("--sets", action="store_true", help="a line for each set of a detector")
    parser.add_argument(
        "--wrong", action="store_true", help="list misses and alarms of the seen half"
    )
    parser.add_argument(
        "--sample", type=int, default=0, help="print N of what is called safe, at random"
    )
    options = vars(parser.parse_args())
    rows = [row for name, reads in READERS.items() if options[name] for row in reads(options[name])]
    chosen = [
        row for row in rows if options["half"] in ("both", "seen" if row.is_seen else "unseen")
    ]
    tools = ["bandit"] * options["bandit"]
    tools += [f"semgrep:{options['semgrep']}"] if options["semgrep"] else []
    every = judge_rows(chosen, tools)
    print("\n".join(table(every, [BUILTIN, *tools], options["sets"])))
    if options["wrong"]:
        wrong = [
            each for each in every if each.row.is_seen and each.row.weak != each.is_flagged(BUILTIN)
        ]
        print("\n".join(map(_describe_row, wrong)))
    safe_rows = [each for each in every if each.opinions[BUILTIN].verdict == "safe"]
    for each in random.Random(0).sample(safe_rows, min(options["sample"], len(safe_rows))):
        print(f"\n##### {_describe_row(each)}\n{each.row.source}")


if __name__ == "__main__":
    main()
