"""Lines in which a project's test runner reports a test: `name ... OK`, `PASS: name`, `[FAIL] name`.

No library stands behind such lines. So passes count only in a form (its separator and its word, as spelled)
in which MIN_PASSES names pass: what a program says once ("Loading rules: ok") is no test. Whatever sounds
like a failure of such a name counts against it, in any form; an unsure verdict ("parser: error 3", which a
test may print while it runs) counts only if no pass of the name follows.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from parsers.outcomes import Outcome

MIN_PASSES = 3
MAX_LINE = 500
# A line may hold thousands of words of failure; the names before the first of them suffice.
MAX_BAD = 8
# Check marks and crosses as runners in JavaScript and Rust print them.
_SIGNS = {
    **dict.fromkeys("\u2713\u2714\u2705", Outcome.PASSED),
    **dict.fromkeys("\u2717\u2718\u2716\u274c\u00d7", Outcome.FAILED),
}
_WORDS = {
    Outcome.PASSED: "ok okay pass passed success succeeded successful",
    Outcome.FAILED: "fail failed failure ko",
    Outcome.SKIPPED: "skip skipped ignored",
}
_OUTCOMES = _SIGNS | {word: outcome for outcome, words in _WORDS.items() for word in words.split()}
# What sounds like a failure, whatever follows.
_BAD = re.compile(
    r"not ok|did not|fail|error|\berr\b|crash|timeout|timed out|abort|broken|\bbad\b|segmentation|killed"
    r"|xpass|unresolved|\bn(?:ok|g)\b|wrong|mismatch|panic|core dumped|incorrect|exception"
    r"|not pass|unsuccess|segfault|\bsig[a-z]{3,5}\b|\bsignal \d|terminated|differ|exited with|expected",
    re.IGNORECASE,
)
# "failures: 0" and "error (expected)" report no failure.
_NONE = re.compile(r"\w*[ \t:=]{1,3}(?:0|none)\b|\w* \(expected\)", re.IGNORECASE)
# Before a name, a failure in other words than those that a form is made of.
_OF_FAILURE = re.compile(
    r"[\[(<*\- ]*(?:NOT OK|NOK|FAIL(?:ED|URE)?|ERROR|CRASH(?:ED)?|TIMEOUT|XPASS|UNRESOLVED|BROKEN)\b"
    r"[\])>*: -]+(?=\S)"
)
_WHY = re.compile(r": | \(| - ")
_FIRST = re.compile(r"([A-Za-z]{2,10})(:[ \t]*|[ \t]+(?:-[ \t]+)?)(?=\S)")
_COUNTER = re.compile(
    r"(?:[\[(]? {0,5}\d{1,6} ?(?:/|of) {0,5}\d{1,6} ?[\])]?|\[ {0,3}\d{1,3}%\]"
    r"|#\d{1,6}|\d{1,6}[.)](?= )|[*\u2022-])[ \t:.]+"
)
_NUMBER = r"\d{1,9}(?:[.,]\d{1,9})?(?:e-?\d{1,3})?"
_UNIT = r"(?:[mun\u00b5]s|[mun]?sec|secs|seconds?|minutes?|ticks|[KMG]B)"
_TIME = (
    rf"(?:in |took |time:? ?)?(?<![\w.])"
    rf"(?:{_NUMBER} ?{_UNIT}|\d{{1,9}}[.,]\d{{1,9}}(?:e-?\d{{1,3}})? ?s"
    r"|(?:\d{1,3}[hm]){1,2}[\d.]{1,9}s)(?!\w)"
)
_LAST_TIME = re.compile(rf"[ \t,](?:{_TIME}|\d{{1,9}} ?s)\Z", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
# Dates, times of day, addresses, seconds since 1970, process ids, scratch files, UUIDs.
_CLOCK = (
    rf"\d{{4}}-\d\d-\d\d(?:T(?=\d))?|\b\d{{1,2}}/(?:\d\d|{_MONTH})/\d{{2,4}}\b"
    rf"|(?:\b(?:mon|tue|wed|thu|fri|sat|sun),? )?\b{_MONTH} {{1,2}}\d{{1,2}}\b"
    r"(?=.? ?\d\d:|,? \d{4})(?:,? \d{4}\b)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:(?:Z|[+-]\d\d:?\d\d)\b| (?:19|20)\d\d\b)?"
    r"|0x[0-9a-f]{5,16}|\b1[67]\d{8}(?:\.\d{1,9})?\b|==\d{1,9}==|/tmp/[\w.-]{1,100}"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
)
_NOISE = re.compile(rf"{_TIME}|{_CLOCK}", re.IGNORECASE)
_BARE = r"(?<![\w.])(?:\d{1,9} ?s|\d{1,9}\.\d{1,9})(?!\w)"
# In brackets a number alone is a time.
_INSIDE = re.compile(rf"{_BARE}|{_TIME}|{_CLOCK}", re.IGNORECASE)
_GROUP = re.compile(r"[\[(][^][()]{0,80}[\])]")
# Checks of CMake and configure end in words such as "ok" too, and are no tests.
_CHATTER = ("-- ", "checking ", "Looking for ")
# Closing counts have the form of results, and would pass as tests with such names.
_SUMMARY = re.compile(
    r"[\W\d_]*+"
    r"|\d[\d ./]*(?:sub)?(?:tests?|checks?|cases?|assertions?|suites?)\b.*"
    r"|.*\b\d{1,9} (?:passed|failed|skipped|ok|failures?|errors?)\b.*"
    r"|(?:all|total|overall)?[\W_]*+(?:tests?|checks?|cases?|passed|done|results?|summary|status)?[\W_]*+"
    r"|expected|actual|got|returned|return|errors?",
    re.IGNORECASE,
)
_OF_TEST = re.compile(r"(?:test|case)\b", re.IGNORECASE)
_OPENING = {")": "(", "]": "["}


class VerdictLine(NamedTuple):
    """Where a line begins in its text, its form, what it says of which test, and whether for sure."""

    at: int
    form: str
    name: str
    outcome: Outcome
    sure: bool = True


def verdict_lines(text: str) -> list[VerdictLine]:
    """The lines of `text` that report a test, in their order; a name may come again.

    Counters before a name ("3/17"), times, dates and addresses are left out of it. Of a line over MAX_LINE
    characters only the first and the last are read, for failures. Nothing where no form is a runner's.
    """
    verdicts, bad, at = list[VerdictLine](), list[VerdictLine](), 0
    for line in text.split("\n"):
        for verdict in _read(line, at):
            (bad if not verdict.form else verdicts).append(verdict)
        at += len(line) + 1
    passing: dict[str, set[str]] = defaultdict(set)
    for verdict in verdicts:
        if verdict.outcome is Outcome.PASSED:
            passing[verdict.form].add(verdict.name)
    # Distinct names count: a program that repeats a message has a single name in that form.
    forms = {form for form, names in passing.items() if len(names) >= MIN_PASSES}
    names = {name for form in forms for name in passing[form]}
    chosen = [
        verdict
        for verdict in verdicts
        if verdict.outcome is not Outcome.PASSED or verdict.form in forms
    ]
    failing = [*bad, *(verdict for verdict in chosen if verdict.outcome is Outcome.FAILED)]
    # A reason may stand behind a failing name: "open: no such file" is a failure of "open".
    meant = [verdict._replace(name=_WHY.split(verdict.name)[0]) for verdict in failing]
    return (
        sorted({*chosen, *(verdict for verdict in [*bad, *meant] if verdict.name in names)})
        if forms
        else []
    )


def settle_verdicts(lines: Sequence[VerdictLine]) -> Iterator[VerdictLine]:
    """Those of a program's lines that count: an unsure verdict does if no pass of its name comes later."""
    last = {
        verdict.name: verdict.at
        for verdict in lines
        if verdict.sure and verdict.outcome is Outcome.PASSED
    }
    yield from (
        verdict for verdict in lines if verdict.sure or last.get(verdict.name, -1) < verdict.at
    )


def _read(line: str, at: int) -> Iterator[VerdictLine]:
    """The verdicts of a line on tests, surely or (form "") only if it is a verdict."""
    line = line.strip()
    # A test may print megabytes before or behind its verdict on the same line.
    ends = [line] if len(line) <= MAX_LINE else [line[:MAX_LINE], line[-MAX_LINE:]]
    bare = _COUNTER.sub("", line, count=1) if _COUNTER.match(line) else line
    verdict = (_first(bare) or _last(bare)) if bare and len(ends) == 1 else None
    passed = verdict is not None and verdict[2] is not Outcome.FAILED
    # A failure counts in such lines as well: the doubt is never in favour of a patch.
    if verdict and not (passed and line.startswith(_CHATTER)):
        yield VerdictLine(at, *verdict)
    for end in ends if not passed else ():
        if behind := _OF_FAILURE.match(end):
            yield VerdictLine(at, "", _name(end[behind.end() :]), Outcome.FAILED)
        for name in _failing(_COUNTER.sub("", end, count=1) if _COUNTER.match(end) else end):
            yield VerdictLine(at, "", name, Outcome.FAILED, sure=False)


def _failing(line: str) -> Iterator[str]:
    """What stands before each word that sounds like a failure, if something separates them."""
    matches = (match for match in _BAD.finditer(line) if not _NONE.match(line, match.start()))
    for match in itertools.islice(matches, MAX_BAD):
        name = line[: match.start()].rstrip(" \t[(*")
        gap = line[len(name) : match.start()]
        apart = len(gap) > 1 or set(gap) & set("\t*") or name.endswith((":", "..", "-", "=", ">"))
        if apart or (gap and (match[0][0].isupper() or _OF_TEST.match(name))):
            yield _name(name)


def _name(text: str) -> str:
    """The name of a test without what differs from run to run; "" where no name is left."""
    text = _COUNTER.sub("", text.strip(" \t:-"), count=1) if _COUNTER.match(text) else text
    text = _GROUP.sub(lambda group: "" if _INSIDE.search(group[0]) else group[0], text)
    name = " ".join(_NOISE.sub(" ", text).split()).rstrip(" .:,-=>*")
    last = name.split(" ")[-1]
    verdict = last != name and last.lower() in _OUTCOMES and not last.islower()
    return "" if verdict or _SUMMARY.fullmatch(name) else name


def _verdict(form: str, name: str, word: str) -> tuple[str, str, Outcome] | None:
    outcome = _OUTCOMES.get(word.lower())
    before, _, last = name.rstrip(" \t.:").rpartition(" ")
    if outcome and last.lower().rpartition(".")[2] == "not":
        outcome, name = Outcome.FAILED, before or last[:-3]
    name = _name(name) if outcome else ""
    return (f"{form} {word}", name, outcome) if name and outcome else None


def _first(line: str) -> tuple[str, str, Outcome] | None:
    """The verdict before the name: `[ OK ] name`, a sign, `PASS: name`, or `PASS name` in capitals."""
    if line[0] == "[":
        word, _, name = line[1:].partition("]")
        return _verdict("[word] name", name, word.strip())
    if line[0] in _SIGNS:
        return _verdict("sign name", line[1:].lstrip("\ufe0f"), line[0])
    match = _FIRST.match(line)
    # In small letters and without a colon, such a word may begin a sentence: "ok then".
    if match is None or not (match[1].isupper() or match[2][0] == ":"):
        return None
    return _verdict(f"word{match[2].strip()} name", line[match.end() :], match[1])


def _last(line: str) -> tuple[str, str, Outcome] | None:
    """The verdict behind the name, and behind that a reason or a time: `name ... FAILED (why)`."""
    # A verdict may be followed by a reason and a time, in either order.
    for _ in range(3):
        line = _LAST_TIME.sub("", line.rstrip(" \t.!,\ufe0f")).rstrip(" \t.!,")
        rest, opened, inner = _group(line)
        if verdict := _verdict_at_end(rest):
            return verdict
        if not opened:
            return None
        if inner.lower() in _OUTCOMES:
            return _verdict(f"name {opened}word", rest, inner)
        line = rest
    return None


def _verdict_at_end(line: str) -> tuple[str, str, Outcome] | None:
    """The verdict that a line ends with, where something stands between it and the name."""
    line = line.rstrip(" \t.!,")
    start = len(line)
    while start and line[start - 1].isalpha():
        start -= 1
    word = line[start:] or line[-1:]
    if word.lower() not in _OUTCOMES:
        return None
    before = line.removesuffix(word)
    name = before.rstrip(" \t")
    form = _separator_kind(name, before[len(name) :], word)
    return _verdict(form, name, word) if form else None


def _separator_kind(name: str, gap: str, word: str) -> str:
    """What stands between a name and the verdict behind it; "" for what may be a sentence."""
    if name.endswith((":", "..", "\u2026")):
        return f"name{name[-1]}"
    if gap and name.endswith(("-", "=", ">")):
        return "name -"
    if "\t" in gap or len(gap) > 1:
        return "name  "
    alone = name and gap and (word.isupper() or word in _SIGNS) and not any(map(str.isspace, name))
    of_test = _OF_TEST.match(name) or name.lower().endswith(" test")
    return "name" if alone else "test name" if gap and of_test else ""


def _group(line: str) -> tuple[str, str, str]:
    """A line without the bracketed part that it ends with, the bracket, and what is in it; else "", ""."""
    closing = line[-1:]
    opening, depth = _OPENING.get(closing, ""), 0
    for at in range(len(line) - 1, -1, -1) if opening else ():
        depth += (line[at] == closing) - (line[at] == opening)
        if not depth:
            return (line[:at].rstrip(), opening, line[at + 1 : -1].strip())
    return line, "", ""
