"""New findings and crashes as SARIF 2.1.0, with what GitHub's code scanning asks for beyond the standard.

It wants a location for each result, paths relative to the repository, rules with descriptions, an id of the
analysis, and recognises a result in the next upload by `primaryLocationLineHash`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from arena.gate.findings import Effect, GateCause, GateFinding, effect_of
from arena.gate.report import CheckStatus, GateReport
from arena.report.text import visible
from arena.version import installed
from harness.grade.ports import digest_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# Results in one run that code scanning takes.
MAX_RESULTS = 25_000
MAX_MESSAGE = 1000
# Causes with a place in the code.
DESCRIPTION: Mapping[GateCause, str] = {
    GateCause.CRASH: "An input of the project's corpus crashes the fuzz target, and did not before.",
    GateCause.CRASH_AT_BASE: "An input of the project's corpus crashes the fuzz target, as before.",
    GateCause.NOT_SCANNED: "The static analyser could not read lines that the change adds.",
    GateCause.SAST_ERROR: "The static analyser has a finding that it did not have before.",
    GateCause.SAST_WARNING: "The static analyser has a warning that it did not have before.",
}
LEVEL = {Effect.BLOCKS: "error", Effect.STRICT: "warning", Effect.NOTE: "note"}


def to_sarif(report: GateReport) -> str:
    """A SARIF log with a single run."""
    located = [f for f in report.findings if f.cause in DESCRIPTION and f.path]
    listed = located[:MAX_RESULTS]
    rules = list(dict.fromkeys(map(_rule_id, listed)))
    undecided = [p.check for p in report.parts if p.check.status is CheckStatus.UNDECIDED]
    notices = [f"{check.step} could not be decided: {check.reason}" for check in undecided]
    if len(located) > len(listed):
        notices.append(f"{len(located)} results in all; the first {len(listed)} are listed")
    run = {
        "tool": {
            "driver": {
                "name": "arena gate",
                "version": installed(),
                "rules": [_rule(rule, listed) for rule in rules],
            }
        },
        # Keeps the uploads of several projects of a repository apart: one would replace the other's results.
        "automationDetails": {"id": f"arena-gate/{report.project.id}/"},
        "columnKind": "utf16CodeUnits",
        "invocations": [
            {
                "executionSuccessful": not undecided,
                "exitCode": report.exit_code,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": _text(notice)}} for notice in notices
                ],
            }
        ],
        "results": _results(listed, rules, report.project.spec.sast.blocks),
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, ensure_ascii=True) + "\n"


def _rule_id(finding: GateFinding) -> str:
    """The scanner's rule, or `crash/` with the kind of crash."""
    if finding.cause in (GateCause.SAST_ERROR, GateCause.SAST_WARNING):
        return finding.subject
    kind = finding.facts.get("kind")
    return f"crash/{kind}" if kind else str(finding.cause)


def _rule(rule: str, findings: Sequence[GateFinding]) -> dict[str, Any]:
    first = next(finding for finding in findings if _rule_id(finding) == rule)
    text = DESCRIPTION[first.cause]
    cwe = first.facts.get("cwe") or ()
    numbers = [cwe] if isinstance(cwe, str) else list(cwe)
    tags = [f"external/cwe/{number.lower()}" for number in numbers]
    return {
        "id": _text(rule),
        "name": _text(rule.rpartition(".")[2]),
        "shortDescription": {"text": _text(rule)},
        "fullDescription": {"text": text},
        "help": {"text": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["security", *tags]},
    }


def _results(
    findings: Sequence[GateFinding], rules: Sequence[str], sast_blocks: str
) -> list[dict[str, Any]]:
    repeats: Counter[str] = Counter()
    results = []
    for finding in findings:
        rule = _rule_id(finding)
        mark = _fingerprint(finding, rule)
        # Results with equal fingerprints would be taken for one.
        repeats[mark] += 1
        line = max(1, finding.line)
        location = {
            "artifactLocation": {"uri": _uri(finding.path), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": line, "endLine": max(line, finding.end_line)},
        }
        results.append(
            {
                "ruleId": _text(rule),
                "ruleIndex": rules.index(rule),
                "level": LEVEL[effect_of(finding, sast_blocks)],
                "message": {"text": _message(finding)},
                "locations": [{"physicalLocation": location}],
                "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{repeats[mark]}"},
            }
        )
    return results


def _message(finding: GateFinding) -> str:
    name = finding.facts.get("input")
    return _text(f"{finding.message} (input: {name})" if name else finding.message)


def _fingerprint(finding: GateFinding, rule: str) -> str:
    """16 digits that stay when lines move: rule, path, and the code or the functions of the stack."""
    code = str(finding.facts.get("code") or finding.facts.get("frames") or finding.message)
    return digest_of(rule, finding.path, code)[:16]


def _uri(path: str) -> str:
    # Names need not be UTF-8; quoted bytes are ASCII in any case.
    return quote(path.encode("utf-8", "surrogateescape"))


def _text(text: str) -> str:
    return visible(text)[:MAX_MESSAGE] or "-"
