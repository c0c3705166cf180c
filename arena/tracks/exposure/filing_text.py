"""The facts of `filing` as Markdown. Texts of models, users and packs stand in fences and code spans alone.

A fence is longer than any run of backticks in it, so that no text can end its fence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.report.grid import MARKDOWN, Cell, Table, to_markdown
from arena.report.text import one_line, visible

# Lines of a program before and after the marked one.
AROUND = 15
MAX_LINE = 200
MAX_SPAN = 500
_TICKS = re.compile(r"`+")


def to_text(facts: Mapping[str, Any]) -> str:
    """The report as Markdown, from `filing_facts`."""
    parts = [
        _heading(facts),
        _head(facts),
        "## Prompt",
        *_prompts(facts["wordings"]),
        to_markdown([_measurements(facts["wordings"])]).strip(),
        "## Example",
        *_example(facts["example"]),
        "## How it was measured",
        _how(facts),
        "## Limits",
        _bullet_list(_escape_markdown(text) for text in facts["limits"]),
        "## How to reproduce",
        fence("\n".join(facts["reproduce"]), "sh"),
    ]
    return "\n\n".join(parts) + "\n"


def fence(text: str, language: str = "") -> str:
    """A fenced block that its text cannot end."""
    shown = visible(text)
    marks = "`" * max(3, _longest(shown) + 1)
    return f"{marks}{language}\n{shown}\n{marks}"


def span(text: str) -> str:
    """A code span that its text cannot end: a single line, cut to MAX_SPAN."""
    shown = one_line(text)
    shown = shown if len(shown) <= MAX_SPAN else f"{shown[:MAX_SPAN]} [...]"
    if not shown:
        return "-"
    marks = "`" * (_longest(shown) + 1)
    # Blanks, since a text may begin or end with a backtick; Markdown removes one on each side.
    return f"{marks} {shown} {marks}" if len(marks) > 1 else f"{marks}{shown}{marks}"


def marked_lines(source: str, line: int) -> str:
    """The lines around `line`, with their numbers, that line behind a `>`; from the start where it is 0."""
    # As Python counts lines; `splitlines` also parts at form feeds and others.
    lines = re.split(r"\r\n|\r|\n", source)
    if not lines[-1] and line < len(lines) > 1:
        lines.pop()
    first = max(1, line - AROUND)
    last = min(len(lines), max(line, 1) + AROUND)
    width = len(str(last))
    rows = [
        f"{'>' if number == line else ' '} {number:{width}} | {_cut(lines[number - 1])}"
        for number in range(first, last + 1)
    ]
    before = ["  [...]"] if first > 1 else []
    return "\n".join([*before, *rows, *(["  [...]"] if last < len(lines) else [])])


def _longest(text: str) -> int:
    return max((len(result) for result in _TICKS.findall(text)), default=0)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]} [...]"


def _escape_markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\1", one_line(text))


def _bullet_list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _heading(facts: Mapping[str, Any]) -> str:
    weakness = _escape_markdown(f"{facts['cwe']} {facts['cwe_name'] or ''}".strip())
    return f"# {weakness} in programs of {span(facts['model'])} for {span(facts['scenario_title'])}"


def _head(facts: Mapping[str, Any]) -> str:
    severity, cvss = facts["severity"], facts["cvss"]
    ends, bands = severity["interval"], severity["interval_bands"]
    interval = "no interval"
    if ends["low"] is not None and ends["high"] is not None:
        low, high = (f"{ends[end]:.1f} {bands[end]}" for end in ("low", "high"))
        interval = f"95 %: {low} to {high}"
    zero = f", {severity['zero']}" if severity["zero"] else ""
    n = "not known" if cvss["n"] is None else cvss["n"]
    return _bullet_list(
        [
            f"Identifier: {facts['id']}",
            f"Prompt Exposure: **{severity['pe']:.1f} {severity['band']}**{zero} ({interval}), "
            f"base {severity['base']:g}",
            f"Representative CVSS: {cvss['score']:.1f} {cvss['band']}, from {span(cvss['source'])}, "
            f"CVEs: {n}",
            f"Model: {span(facts['model'])}",
            f"Scenario: {span(facts['scenario'])}",
        ]
    )


def _prompts(wordings: Sequence[Mapping[str, Any]]) -> list[str]:
    texts = [f"{wording['number']}: {one_line(wording['text'])}" for wording in wordings]
    original = [
        text for text, wording in zip(texts, wordings, strict=True) if wording["number"] == 0
    ]
    others = [text for text, wording in zip(texts, wordings, strict=True) if wording["number"] != 0]
    original_text = (
        fence("\n".join(original)) if original else "The original wording has no sample."
    )
    return [original_text, *(["Reformulations:", fence("\n".join(others))] if others else [])]


def _measurements(wordings: Sequence[Mapping[str, Any]]) -> Table:
    counted = (
        "vulnerable",
        "safe",
        "unknown",
        "not_applicable",
        "valid",
        "invalid",
        "no_code",
        "missing",
    )
    rows: list[tuple[Cell, ...]] = []
    for wording in wordings:
        interval, ppl = wording["interval"], wording["perplexity"]
        bounds = None
        if interval["low"] is not None:
            bounds = f"{interval['low']:.2f}-{interval['high']:.2f}"
        numbers = (f"{wording['p']:.2f}", bounds, f"{wording['r']:.2f}", ppl)
        rows.append((wording["number"], *numbers, *(wording[name] for name in counted)))
    columns = ("wording", "P", "95 %", "R", "perplexity", *(c.replace("_", " ") for c in counted))
    note = "P: share of vulnerable programs; 95 %: Wilson's interval. R: likelihood of the wording."
    return Table(0, "What each wording came to", columns, tuple(rows), note)


def _example(example: Mapping[str, Any] | None) -> list[str]:
    if example is None:
        return ["No completion is vulnerable."]
    place = f"Wording {example['wording']}, sample {example['sample']}"
    line = f", line {example['line']}" if example["line"] else ""
    message = f"{place}{line}: {span(example['why'])}"
    if example["source"] is None:
        return [message, "The program is not at hand."]
    return [message, fence(marked_lines(example["source"], example["line"] or 0))]


def _how(facts: Mapping[str, Any]) -> str:
    measured = facts["measured"]
    inputs = measured["means"]
    over = "applicable" if inputs["applicable"] else "valid"
    curve = f"mu {inputs['mu']:g}, k {inputs['k']:g}"
    reference = f"{span(inputs['reference'])}, {curve}" if inputs["reference"] else "none; R is 1"
    version = f"version {span(measured['version'])}, digest {span(measured['digest'])}"
    parameters = json.dumps(measured["parameters"], sort_keys=True)
    return _bullet_list(
        [
            f"Mode: {span(measured['mode'] or 'programs from elsewhere')}",
            f"Parameters: {span(parameters)}",
            f"Pack: {span(measured['pack'])}, {version}",
            f"Scenario's digest: {span(measured['scenario_digest'] or '')}",
            f"Detector: {span(measured['detector'])}, version {span(str(measured['detection']))}",
            f"P: over {over} programs. Perplexities: {reference}",
            f"Run: {span(measured['run'])}",
            "Prompt Exposure: Equations 2, 3 and 6 of *From Model to Breach*; its interval: bootstrap over "
            "reformulations and completions",
        ]
    )
