"""The evidence of an attempt's grading: build, tests, crash, SAST. Of the track `repo`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.report.details.bounds import (
    SizeBudget,
    line_number,
    list_or_empty,
    mapping,
    number,
    scalar,
    select_entries,
    words,
)
from parsers.crashes import parse_crash
from parsers.sarif import cwes

# The text of a digest, or None when it is none or is not here.
Read = Callable[[Any], str | None]

LOG = 32_000
REPORT = 64_000
MAX_FINDINGS = 500
MAX_FRAMES = 64
ENDED = ("status", "stopped", "seconds")
TESTS = (*ENDED, "wanted", "passed", "complete", "unstable", "not_passed", "problems", "tail")
SAST = (
    *("suspicious", "counts", "not_scanned", "errors", "scanned", "uncovered"),
    *("tool", "rules", "proven", "seconds"),
)
FLAG = ("name", "detector", "severity", "where", "quote", "why")
FINDING = ("rule", "path", "message", "severity", "code")


def step(evidence: Any, read: Read, budget: SizeBudget) -> dict[str, Any] | None:
    """A command of the grader: how it ended, and the end of its log; None when it was not run."""
    if not isinstance(evidence, Mapping):
        return None
    return select_entries(evidence, (*ENDED, "tail"), budget) | {"log": log(evidence, read, budget)}


def log(evidence: Mapping[str, Any], read: Read, budget: SizeBudget) -> dict[str, Any] | None:
    """The end of a log, which is where a failure is reported."""
    text = read(evidence.get("log"))
    return None if text is None else budget.text(text, LOG, tail=1.0)


def tests(evidence: Any, read: Read, budget: SizeBudget) -> dict[str, Any] | None:
    """Counts, and the names of tests that gold passes and the attempt does not."""
    if not isinstance(evidence, Mapping):
        return None
    return select_entries(evidence, TESTS, budget) | {"log": log(evidence, read, budget)}


def crash(evidence: Any, read: Read, budget: SizeBudget) -> dict[str, Any] | None:
    """The replay of the PoC; None when it was not replayed.

    crashed: None when the fuzz target was not even run. signature: kind, access and innermost functions.
    historical: whether it is the case's vulnerability. frames: as the sanitizer's report has them.
    """
    if not isinstance(evidence, Mapping):
        return None
    facts = mapping(evidence.get("crash"))
    report = read(evidence.get("report"))
    text = report if report is not None else read(evidence.get("log"))
    functions = [words(name, 300) for name in list_or_empty(facts.get("frames"))]
    crash_text = " ".join(
        filter(None, (words(facts.get("kind"), 200), words(facts.get("access"), 20)))
    )
    return select_entries(evidence, (*ENDED, "via", "historical"), budget) | {
        # An entry that is null means that it was run and did not crash.
        "crashed": None if "crash" not in evidence else bool(facts),
        "facts": budget.plain(facts),
        "signature": " in ".join(filter(None, (crash_text, " < ".join(functions[:5])))),
        "frames": _frames(text, functions) if facts else [],
        "report": None if report is None else budget.text(report, REPORT),
        "log": log(evidence, read, budget),
    }


def _frames(text: str | None, functions: list[str]) -> list[dict[str, Any]]:
    """Frames with places from the report; where it has none, the functions that the evidence names."""
    parsed_crash = parse_crash(text[: 4 * REPORT]) if text else None
    if parsed_crash is None or not parsed_crash.frames:
        return [{"function": name, "file": "", "line": None} for name in functions[:MAX_FRAMES]]
    return [
        {"function": words(f.function, 300), "file": words(f.file, 300), "line": f.line}
        for f in parsed_crash.frames[:MAX_FRAMES]
    ]


def sast(evidence: Any, budget: SizeBudget) -> dict[str, Any] | None:
    """New findings, and what could not be scanned; None when nothing was scanned."""
    if not isinstance(evidence, Mapping):
        return None
    return select_entries(evidence, SAST, budget) | {"findings": findings(evidence.get("findings"))}


def findings(value: Any) -> list[dict[str, Any]]:
    """Findings that have a location or a rule, in the same form for every scanner.

    {"rule", "path", "message", "severity", "code", "line", "end_line", "cwe"}; line: None when not recorded.
    """
    rows = []
    for item in map(mapping, list_or_empty(value)[:MAX_FINDINGS]):
        line = line_number(item.get("line"))
        if not item or not (line or words(item.get("rule")) or words(item.get("message"))):
            continue
        last = line_number(item.get("end_line"))
        rows.append(
            {name: words(item.get(name), 2_000) for name in FINDING}
            | {"line": line, "end_line": max(last or 0, line or 0) or None}
            | {"cwe": list(cwes(item.get("cwe"), item.get("cwes")))}
        )
    return rows


def detector_findings(value: Any) -> list[dict[str, Any]]:
    """The finding of a detector of the track `exposure`, as by `findings`; [] unless it is a weakness."""
    item = mapping(value)
    if item.get("verdict") != "vulnerable":
        return []
    return findings([{**item, "rule": item.get("detector"), "message": item.get("why")}])


def flags(names: Any, audit: Any) -> list[dict[str, Any]]:
    """Signs of cheating with their evidence; those of which only the name is stored come last."""
    flags_with_evidence = [
        {name: words(item.get(name), 2_000) for name in FLAG}
        | {"step": scalar(number(item.get("step")))}
        for item in map(mapping, list_or_empty(audit)[:MAX_FINDINGS])
    ]
    evidenced_names = {item["name"] for item in flags_with_evidence}
    stored_names = [words(name, 200) for name in list_or_empty(names)[:MAX_FINDINGS]]
    return flags_with_evidence + [
        {"name": name}
        for name in dict.fromkeys(stored_names)
        if name and name not in evidenced_names
    ]
