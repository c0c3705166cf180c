"""Lines in which a project's own runner says how a test ended: `name ... OK`, `PASS: name`, `[FAIL] name`.

No library stands behind such lines, so only those count whose form a text uses LEAST times: what a program
says once in passing ("Loading rules: ok") is no test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from parsers.outcomes import Outcome

LEAST = 3
MAX_LINE = 500
SIGNS = {"\u2713": "ok", "\u2714": "ok", "\u2717": "fail", "\u2718": "fail", "\u2716": "fail"}
"""Check marks and crosses."""
_WORDS = {
    Outcome.PASSED: "ok okay pass passed success succeeded",
    Outcome.FAILED: "fail failed failure ko",
    Outcome.SKIPPED: "skip skipped ignored",
}
_OUTCOMES = {word: outcome for outcome, words in _WORDS.items() for word in words.split()}
_FIRST = re.compile(r"([A-Z]{2,10})(?::[ \t]*|[ \t]+)(?=\S)")
_TIME = re.compile(
    r"(?:in )?[\d.,]{1,12} ?[mun\u00b5]?s(?:ec(?:ond)?s?)?", re.ASCII | re.IGNORECASE
)
_LAST_TIME = re.compile(
    r"[ \t,](?:in )?([\d.,]{1,12} ?[mun\u00b5]?s(?:ec(?:ond)?s?)?)\Z", re.IGNORECASE
)
_COUNTER = re.compile(r"(?:[\[(]? {0,5}\d{1,6} ?(?:/|of) {0,5}\d{1,6} ?[\])]?|[*\u2022-])[ \t:.]+")
_SUMMARY = re.compile(
    r"[\W\d_]*+(?:(?:all|total|overall)\b.*|(?:tests?|checks?|cases?|results?|summary|status)\b)?[\W\d_]*+",
    re.IGNORECASE,
)
_GROUPS = {")": "(", "]": "["}
Verdict = tuple[str, str, Outcome]
"""The form of a line, and the name and outcome of its test."""


def verdict_lines(text: str) -> Iterator[tuple[str, Outcome]]:
    """The tests that `text` names, each with its outcome, in the order of their lines; a name may come again.

    Counters before a name ("3/17") and times are left out of it; lines over MAX_LINE characters are not read.
    """
    lines = (line.strip() for line in text.split("\n") if len(line) <= MAX_LINE)
    found = [hit for line in lines if line and (hit := _first(line) or _last(line))]
    uses = Counter(form for form, _, _ in found)
    return ((name, outcome) for form, name, outcome in found if uses[form] >= LEAST)


def _verdict(form: str, name: str, word: str) -> Verdict | None:
    """What a line comes to; None where the word is no verdict, or what it is said of is all tests at once."""
    outcome = _OUTCOMES.get(SIGNS.get(word, word).lower())
    name = _COUNTER.sub("", name.strip(" \t:-"), count=1)
    rest, _, inner = _group(name)
    name = " ".join((rest if inner and _TIME.fullmatch(inner) else name).rstrip(" \t.:").split())
    return None if outcome is None or _SUMMARY.fullmatch(name) else (form, name, outcome)


def _first(line: str) -> Verdict | None:
    """The verdict before the name: `[ OK ] name`, a sign, or `PASS: name` in capitals."""
    if line[0] == "[":
        word, _, name = line[1:].partition("]")
        return _verdict("[word] name", name, word.strip())
    if line[0] in SIGNS:
        return _verdict("sign name", line[1:], line[0])
    said = _FIRST.match(line)
    return _verdict("WORD name", line[said.end() :], said[1]) if said else None


def _last(line: str) -> Verdict | None:
    """The verdict behind the name, and behind that a reason or a time: `name ... FAILED (why)`."""
    line = line.rstrip(".!")
    rest, opened, inner = _group(line)
    if opened and (found := _verdict(f"name {opened}word", rest.rstrip(" \t."), inner)):
        return found
    line = _LAST_TIME.sub("", rest if opened else line).rstrip(" \t.!,")
    start = len(line)
    while start and line[start - 1].isalpha():
        start -= 1
    word = line[start:] or line[-1:]
    before = line.removesuffix(word)
    name = before.rstrip(" \t")
    form = _between(name, before[len(name) :], word)
    return _verdict(form, name.rstrip(" \t.:-=>"), word) if form else None


def _between(name: str, gap: str, word: str) -> str:
    """What stands between a name and the verdict behind it; "" for what may be a sentence."""
    if name.endswith((":", "..", "\u2026")):
        return f"name{name[-1]} word"
    if gap and name.endswith(("-", "=", ">")):
        return "name - word"
    if "\t" in gap or len(gap) > 1:
        return "name  word"
    alone = name and gap and word.isupper() and not any(map(str.isspace, name))
    return "name WORD" if alone or word in SIGNS else ""


def _group(line: str) -> tuple[str, str, str]:
    """A line without the bracketed part that it ends with, the bracket, and what is in it; else "", ""."""
    opening = _GROUPS.get(line[-1:], "")
    rest, found, inner = line[:-1].rpartition(opening) if opening else ("", "", "")
    return (rest, found, inner.strip()) if found and rest.strip() else (line, "", "")
