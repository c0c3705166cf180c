"""Test frameworks' programs whose truth is known: run them, and compare what the parsers read.

Each folder of `programs/` is a framework: a program, and `truth.toml` with the commands that build and run
it and, for each situation, how the named tests end.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parsers import reports
from parsers.outcomes import TestReport
from parsers.text import decode
from tests.real.debian import NEWEST, STABLE, install_newest, run_in_image, tools_image

PROGRAMS = Path(__file__).with_name("programs")
FRAMEWORKS = sorted(path.parent.name for path in PROGRAMS.glob("*/truth.toml"))
COMMAND_TIMEOUT_S = 120
FRAMEWORK_TIMEOUT_S = 900
# The environment that has the newest releases of PyPI and npm, on the newest Debian.
INDEX = "index"


@dataclass(frozen=True)
class ReportFormat:
    """One of a framework's reports.

    names: the parser's name of a test, "{}", or of its part behind the last " > ", "{test}".
    names_in, renames: the same for an environment whose release names otherwise. file: "" for the output.
    counts: passed and skipped tests have no names in it. provable: it can prove that it is whole.
    """

    parser: str
    options: str = ""
    file: str = ""
    names: str = "{}"
    names_in: Mapping[str, str] = field(default_factory=dict)
    separator: str = " > "
    renames: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    counts: bool = False
    provable: bool = True

    def name(self, test: str, environment: str) -> str:
        """What the parser calls a test of the truth."""
        if test.startswith("="):  # as it stands
            return test[1:]
        for pattern, instead in self.renames.get(environment, ()):
            test = re.sub(pattern, instead, test)
        names = self.names_in.get(environment, self.names)
        last = test.rpartition(" > ")[2]
        return names.replace("{}", test.replace(" > ", self.separator)).replace("{test}", last)


@dataclass(frozen=True)
class Truth:
    """What a run came to: situation -> test -> outcome ("failed/crashed": either is right).

    whole_in: whether the report of an environment's release proves that it is whole, where that differs.
    many: a pattern of the names of further tests, which pass, and how many of them there are.
    """

    whole: bool = True
    many: tuple[str, int] = ("", 0)
    whole_in: Mapping[str, bool] = field(default_factory=dict)
    outcomes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Framework:
    """A program with its reports and runs: run -> (command, truth by parser)."""

    name: str
    version: str
    build: str
    environments: tuple[str, ...]
    python: tuple[str, ...]
    node: tuple[str, ...]
    formats: tuple[ReportFormat, ...]
    commands: Mapping[str, str]
    truths: Mapping[str, Mapping[str, Truth]]


@dataclass(frozen=True)
class Reading:
    """A parser's reading of a run's report beside its truth. wrong: situation -> what differs."""

    run: str
    format: ReportFormat
    situations: tuple[str, ...]
    wrong: Mapping[str, tuple[str, ...]]
    false_passes: tuple[str, ...]
    complete: bool
    problems: tuple[str, ...]


def load(name: str) -> Framework:
    """The framework in the folder `name` of PROGRAMS."""
    text = tomllib.loads((PROGRAMS / name / "truth.toml").read_text())
    formats = tuple(
        ReportFormat(parser.partition("@")[0], **{"renames": text.get("renames", {}), **rest})
        for parser, rest in text["format"].items()
    )
    truths = {
        run: {parser: _truth(told, parser) for parser in text["format"]}
        for run, told in text["run"].items()
    }
    return Framework(
        text.get("name", name),
        text["version"],
        text.get("build", ":"),
        tuple(text.get("environments", (STABLE, NEWEST))),
        tuple(text.get("python", ())),
        tuple(text.get("node", ())),
        formats,
        {run: told["command"] for run, told in text["run"].items()},
        truths,
    )


def _truth(told: Mapping[str, Any], parser: str) -> Truth:
    """A run's truth, with what stands below `only.PARSER` in place of it."""
    instead = told.get("only", {}).get(parser, {})
    outcomes = {**told.get("outcomes", {}), **instead.get("outcomes", {})}
    whole = instead.get("whole", told.get("whole", True))
    pattern, count = instead.get("many", told.get("many", ("", 0)))
    return Truth(whole, (pattern, count), instead.get("whole_in", {}), outcomes)


def script(name: str, framework: Framework) -> str:
    """The shell script that builds a framework's program and makes each run with each report."""
    lines = [
        "cp -r /programs /tmp/programs && export LC_ALL=C.UTF-8",
        f"cd /tmp/programs/{name} && {{ {framework.version}; }} >/out/version 2>/out/build.log",
        f"{{ {framework.build}; }} >>/out/build.log 2>&1 || {{ cat /out/build.log; exit 90; }}",
    ]
    for run, command in framework.commands.items():
        for number, report in enumerate(framework.formats):
            place = f"/out/{run}-{number}"
            filled = command.replace("{options}", report.options)
            lines += [
                f"mkdir -p {place} && rm -rf report.* report-* cpputest_*.xml",
                f"timeout -k 5 {COMMAND_TIMEOUT_S} sh -c '{filled}' >{place}/output 2>&1 </dev/null",
                f"echo $? >{place}/status",
                f"mkdir {place}/reports && cp {report.file} {place}/reports 2>/dev/null"
                if report.file
                else ":",
            ]
    return "\n".join(lines) + "\nexit 0\n"


def run_framework(name: str, environment: str, folder: Path) -> str:
    """Run all of a framework's runs, whose reports lie below `folder` then; returns its version."""
    framework = load(name)
    out = folder / "out"
    out.mkdir(parents=True)
    mounts = [(PROGRAMS, "/programs:ro"), (out, "/out")]
    before = ""
    if environment == INDEX:
        install_newest(folder / "newest", framework.python, framework.node)
        mounts.append((folder / "newest", "/newest:ro"))
        before = "export PYTHONPATH=/newest PATH=/newest/bin:$(echo /newest/node_modules/*/bin | tr ' ' :):$PATH\n"
    image = tools_image(STABLE if environment == STABLE else NEWEST)
    run_in_image(image, before + script(name, framework), mounts, FRAMEWORK_TIMEOUT_S)
    return (out / "version").read_text().strip().splitlines()[0]


def readings(name: str, environment: str, folder: Path) -> list[Reading]:
    """What the parsers read of each run's reports below `folder`."""
    framework = load(name)
    parsers = list(framework.truths[next(iter(framework.truths))])
    found = []
    for run in framework.commands:
        for number, report in enumerate(framework.formats):
            place = folder / "out" / f"{run}-{number}"
            paths = (place / "reports").iterdir() if report.file else [place / "output"]
            files = {path.name: path.read_bytes() for path in sorted(paths)}
            status = int((place / "status").read_text())
            truth = framework.truths[run][parsers[number]]
            found.append(compare(run, report, truth, files, status, environment))
    return found


def compare(
    run: str,
    report: ReportFormat,
    truth: Truth,
    files: Mapping[str, bytes],
    status: int,
    environment: str,
) -> Reading:
    """A report's reading beside its truth: by its format's name, and by detection."""
    named = reports.parse(report.parser, files, status, prefixed=False)
    by_detection = reports.parse(reports.AUTO, files, status, prefixed=False)
    texts = [decode(content).text for content in files.values()]
    detected = "/".join(sorted({reports.detect(text) or "nothing" for text in texts}))
    expected = {
        situation: {report.name(test, environment): how.split("/") for test, how in tests.items()}
        for situation, tests in truth.outcomes.items()
    }
    if truth.many[1]:
        expected["further tests"] = _many_tests(named, truth.many, expected)
    whole = truth.whole_in.get(environment, truth.whole) and report.provable
    due = {test: how for tests in expected.values() for test, how in tests.items()}
    wrong = {
        situation: _wrong_tests(report, named, tests, whole)
        for situation, tests in expected.items()
    }
    false_passes = _false_passes(report, named, due)
    if detected != report.parser:
        false_passes += _false_passes(report, by_detection, due)
    wrong["report"] = _wrong_whole(report, named, whole, due)
    is_report = bool(named.outcomes) or by_detection.complete
    wrong["detection"] = [f"as {detected}"] * (is_report and detected != report.parser)
    return Reading(
        run,
        report,
        tuple(wrong),
        {situation: tuple(lines) for situation, lines in wrong.items() if lines},
        tuple(false_passes),
        named.complete,
        named.problems,
    )


def _many_tests(
    read: TestReport, many: tuple[str, int], expected: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, list[str]]:
    """The names that a pattern describes and no situation has; a missing one is called by its number."""
    pattern, count = many
    due = {test for tests in expected.values() for test in tests}
    names = [test for test in read.outcomes if re.fullmatch(pattern, test) and test not in due]
    missing = [f"{pattern} number {number}" for number in range(len(names), count)]
    return {name: ["passed"] for name in [*names[:count], *missing]}


def _wrong_tests(
    report: ReportFormat, read: TestReport, tests: Mapping[str, Sequence[str]], whole: bool
) -> list[str]:
    """The tests of a situation that ended otherwise."""
    lines: list[str] = []
    if not read.outcomes and not read.complete and not whole:
        return lines  # a report that is written at the end, and was not
    for test, due in tests.items():
        outcome = str(read.outcomes.get(test, "missing"))
        unnamed = outcome == "missing" and report.counts
        if unnamed and ({*due} & {"passed", "skipped"} or not read.complete):
            continue
        if outcome not in due:
            lines.append(f"{test}: {outcome}, due {'/'.join(due)}")
    return lines


def _wrong_whole(
    report: ReportFormat, read: TestReport, whole: bool, due: Mapping[str, Sequence[str]]
) -> list[str]:
    """What is wrong with the report as a whole; that a test outside of a filter is skipped is not."""
    lines = [] if read.complete == whole else [f"complete is {read.complete}"]
    for test, outcome in read.outcomes.items():
        if test not in due and outcome != "skipped" and not (report.counts and _is_count(test)):
            lines.append(f"{test}: {outcome}, no such test")
    if report.counts and read.complete:
        passed = sum(map(_is_count, read.outcomes)) - len(_unnamed(read, "skipped"))
        least = sum(how == ["passed"] for how in due.values())
        most = sum("passed" in how for how in due.values())
        named = sum(read.outcomes.get(test) == "passed" for test in due)
        if not least <= passed + named <= most:
            lines.append(f"{passed + named} passed, due {least} to {most}")
    return lines


def _false_passes(
    report: ReportFormat, read: TestReport, due: Mapping[str, Sequence[str]]
) -> list[str]:
    """Tests read as passed that did not pass. One that is none counts where the report claims to be whole."""
    if report.counts:
        passed = len(_unnamed(read, "passed"))
        most = sum("passed" in how for how in due.values())
        return [f"{passed} passed of {most}"] if passed > most and read.complete else []
    return [
        test
        for test, how in read.outcomes.items()
        if how == "passed" and "passed" not in due.get(test, ["passed"] * (not read.complete))
    ]


def _unnamed(read: TestReport, outcome: str) -> list[str]:
    return [test for test in read.outcomes if re.fullmatch(f"{outcome} [0-9]+", test)]


def _is_count(test: str) -> bool:
    return re.fullmatch("(passed|skipped) [0-9]+", test) is not None
