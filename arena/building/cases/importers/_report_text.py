"""The text of an OSS-Fuzz report -> its facts, in all spellings since 2016.

Project: librawspeed                         Fuzzing Engine: libFuzzer      (older: Fuzzer:)
Fuzz Target: TiffDecoderFuzzer               (older: Fuzz target binary:)
Job Type: libfuzzer_asan_librawspeed         Sanitizer: address (ASAN)
Crash Type: Container-overflow READ 8        Crash State: and the functions below it
Regressed: https://.../revisions?job=...&range=A:B
Reproducer Testcase: https://.../download?testcase_id=N
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from arena.building.cases.importers._facts import plain

MAX_TEXT = 1 << 20
MAX_LINES = 20_000
MAX_FRAMES = 10
KEYS = {
    "project": "project",
    "fuzz target": "target",
    "fuzz target binary": "target",
    "fuzz binary": "target",
    "fuzzing engine": "engine",
    "fuzzer": "fuzzer",
    "fuzzer name": "fuzzer",
    "job type": "job",
    "job": "job",
    "crash type": "crash_type",
    "crash state": "state",
    "sanitizer": "sanitizer",
    "recommended security severity": "severity",
    "security severity": "severity",
    "severity": "severity",
    "regressed": "regressed",
    "fixed": "fixed",
    "reproducer testcase": "reproducer",
    "minimized testcase": "reproducer",
    "reproducer": "reproducer",
    "detailed report": "report",
    "report": "report",
    "fix": "fix",
    "repository": "repository",
}
MANY = frozenset(("fix",))
NOTE = re.compile(r"\s*\([^()]*\)\s*$")  # Minimized Testcase (0.10 Kb)
RANGE = re.compile(r"[0-9a-f]{6,40}:[0-9a-f]{6,40}\b")
TESTCASE = re.compile(r"(?:testcase_id|key|testcase)[=/]([0-9]{4,30})\b")
FIXED_IN = re.compile(r"\bfixed in (?:range )?(\S{1,500})")
NO_FRAMES = frozenset(("NULL", "null"))


@dataclass(frozen=True)
class Report:
    """The facts of a report; "" and () for those that it lacks."""

    project: str = ""
    target: str = ""
    engine: str = ""
    job: str = ""
    crash_type: str = ""
    state: tuple[str, ...] = ()
    sanitizer: str = ""
    severity: str = ""
    regressed: str = ""
    fixed: str = ""
    reproducer: str = ""
    testcase: str = ""
    report: str = ""
    fix: str = ""
    repository: str = ""


def read_report(text: str) -> Report:
    """The facts of a report; of a repeated fact, the first. Raises nothing."""
    values, state = _lines(text[:MAX_TEXT])
    engine, target = _from_fuzzer(values.get("fuzzer", ""), values.get("project", ""))
    engine = values.get("engine") or engine or values.get("job", "").partition("_")[0]
    testcase = TESTCASE.search(f"{values.get('reproducer', '')} {values.get('report', '')}")
    match = FIXED_IN.search(text[:MAX_TEXT])
    stated_values = {
        name: values.get(name, "") for name in ("project", "job", "crash_type", "sanitizer")
    }
    links = {name: values.get(name, "") for name in ("reproducer", "report", "fix", "repository")}
    return Report(
        **stated_values,
        **links,
        target=values.get("target") or target,
        engine=engine.lower(),
        state=state,
        severity=values.get("severity", ""),
        regressed=_range(values.get("regressed", "")),
        fixed=_range(values.get("fixed", "") or plain(match[1] if match else "", 500)),
        testcase=testcase[1] if testcase else "",
    )


def read_comments(texts: Iterable[str]) -> Report:
    """The facts of an issue: its first report's, and what later texts on the same test case add.

    Commenters paste unrelated reports, so only texts that name the test case count.
    """
    merged = Report()
    for text in texts:
        # A bot's comment on another crash of the project may hold a whole report.
        if merged.testcase and merged.testcase not in text:
            continue
        report = read_report(text)
        if not merged.testcase and not report.crash_type:
            continue
        names = [field.name for field in fields(Report)]
        added = {name: getattr(report, name) for name in names if not getattr(merged, name)}
        merged = replace(merged, **added)
    return merged


def _lines(text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    values: dict[str, str] = {}
    state: list[str] = []
    in_state = False
    for line in text.splitlines()[:MAX_LINES]:
        key, value = _field(line)
        # A frame may hold a colon ("brook::parse"): only an unindented line with a known key ends the state.
        if in_state and line.strip() and not (key and not line[:1].isspace()):
            state.append(line)
            continue
        in_state = False
        if key == "state" and not state:
            in_state = True
            state += [value] if value.strip() else []
        elif key and (key not in values or key in MANY):
            values[key] = f"{values.get(key, '')} {plain(value, 1000)}".strip()
    frames = [plain(frame, 300) for frame in state[:MAX_FRAMES]]
    return values, tuple(frame for frame in frames if frame and frame not in NO_FRAMES)


def _field(line: str) -> tuple[str, str]:
    """The fact that a line gives and its value; ("", "") when it gives none."""
    name, colon, value = line[:2000].partition(":")
    if not colon or value.startswith(":") or len(name) > 80:
        return "", ""
    name = NOTE.sub("", name) if ")" in name else name
    return KEYS.get(name.strip().lower(), ""), value.strip()


def _from_fuzzer(fuzzer: str, project: str) -> tuple[str, str]:
    """Engine and target of the older "libFuzzer_librawspeed_TiffDecoderFuzzer"."""
    engine, _, rest = fuzzer.partition("_")
    return engine, rest.removeprefix(f"{project}_") if project else rest


def _range(text: str) -> str:
    """The range in a link to revisions; a text without such a link is unchanged."""
    match = RANGE.search(text)
    return match[0] if match else text
