"""Names in TAP without what a harness adds to them: how a test ended, why, and how long it took.

A name is to be the same in each run of a test. Additions of: Check 0.15 (`file:case:test: why`), Criterion
2.4 (`suite::test  (0.01s)`, `... timed out (0.3s)`), cmocka 1.1
(`test Could not run test: Test setup failed`), bats 1.13 (`test in 22ms`, `# timeout after 1s`),
pg_regress (`test      312 ms`), kselftest (`test # exit=1`, `test [FAIL]`), node-tap (`test # time=5ms`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from parsers.outcomes import Outcome

# Harnesses stack their additions: a status, a reason and a time may stand behind a name.
_MAX_SUFFIXES = 4
_NUMBER = r"[0-9]{1,9}(?:[.,][0-9]{1,9})?"
_TIME = (
    rf"(?:[0-9]{{1,9}} ?(?:h|m|min)[ ]?){{0,2}}{_NUMBER} ?"
    r"(?:[num\u00b5\u03bc]?s|m|min|[mun]?secs?|(?:milli|micro|nano)?seconds?|minutes?)"
)
_WORDS = (
    r"(?:passed|pass|ok|succeeded|success|failed|failure|fail|error|crashed|crash|skipped|skip"
    r"|timed? ?out)"
)
# The last of a description, each tried at the last `#`, bracket, word or blanks of it.
_COMMENT = re.compile(
    rf"#[ \t]*(?:(?P<late>time(?:d )?out)\b.*|(?:exit|time|duration(?:_ms)?)[=:].*|(?:in )?{_TIME}[ \t]*)\Z",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    rf"[(\[](?:{_WORDS}|(?:in |took |after |time[:=] ?|duration[:=] ?)?{_TIME})[)\]]\Z",
    re.IGNORECASE,
)
_SUFFIX = re.compile(
    rf"(?:(?<=[ \t])(?:in|took)[ \t]+{_TIME}|(?<=[ \t]){_TIME}"
    rf"|(?:(?<=[ \t])-|:)[ \t]+{_TIME}|(?:(?<=[ \t])[-=]>?[ \t]|:[ \t]|\.\.\.)[ \t]*{_WORDS}[.!]?)\Z",
    re.IGNORECASE,
)
_FAILURES = (
    (
        "Could not run test",
        re.compile(r"[ \t]Could not run test: Test (?:setup|teardown) failed\Z"),
        Outcome.ERROR,
    ),
    ("timed out", re.compile(rf"[ \t]timed out(?: (?:after )?\(?{_TIME}\)?)?\Z"), Outcome.TIMEOUT),
    (
        "unexpected signal",
        re.compile(r"[ \t]unexpected signal(?: after [^\s:]{1,500}:[0-9]{1,9})?\Z"),
        Outcome.CRASHED,
    ),
)
_LAST_WORD = re.compile(
    rf"[0-9]*+(?:[num\u00b5\u03bc]?s|m|min|[a-z]*secs?|[a-z]*seconds?|minutes?|out|{_WORDS}[.!]?)\Z",
    re.IGNORECASE,
)
# A suffix that is longer than this is none.
_MAX_SUFFIX_CHARACTERS = 600
_CHECK = re.compile(
    r"(?:[^:]{0,500}\.\w{1,5}|\(null\)):(?P<name>.*?:[A-Za-z_]\w*): (?:\(after this point\) )?(?P<why>.*)\Z"
)
_CHECK_PASSED = re.compile(
    r"^ok [0-9]{1,9} - [^:\n]{0,500}\.\w{1,5}:[^\n]*:[A-Za-z_]\w*: Passed$", re.MULTILINE
)
_CHECK_FAILURES = (
    ("Test timeout expired", Outcome.TIMEOUT),
    ("Received signal ", Outcome.CRASHED),
    ("Early exit ", Outcome.CRASHED),
)


_CATCH2 = re.compile(r"(?:\# filters: [^\n]{1,9999}\n)?\# rng-seed: [0-9]{1,10}$", re.MULTILINE)
_CATCH2_OF_2 = re.compile(r"\# [^\n]{1,9999}\n(?:not )?ok 1 - ")
_RESULT = re.compile(r"^(?:not )?ok [0-9]{1,9} - ", re.MULTILINE)
_PLAN = re.compile(r"^1\.\.[0-9]{1,9}$(?P<end>\n\n)?", re.MULTILINE)


class TapName(NamedTuple):
    """A test's name, and how it failed where its description says more than `not ok`."""

    name: str
    failure: Outcome = Outcome.FAILED


def is_catch2(text: str) -> bool:
    """Whether Catch2 wrote this TAP: 3 begins with its seed, 2 with the first test's name.

    2.13 prints a comment with the test's name before each result, and an empty line behind the plan at
    the end; Test::More, whose notes are comments as well, prints none there. Of a report that
    lacks only that line the names are those of the expressions, which a whole report never has.
    """
    if _CATCH2.match(text):
        return True
    if not _CATCH2_OF_2.match(text):
        return False
    plan = _PLAN.search(text)
    is_closed_by_catch2 = plan is None or plan["end"] is not None
    results = _RESULT.finditer(text)
    return is_closed_by_catch2 and all("# " in _line_before(text, m.start()) for m in results)


def _line_before(text: str, start: int) -> str:
    """The line before the line that starts at `start`; "" for the first."""
    return text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]


def is_checks(text: str) -> bool:
    """Whether Check wrote this TAP: a test that passes is called `file.c:case:test: Passed`."""
    return ": Passed\n" in text and _CHECK_PASSED.search(text) is not None


def stable_name(description: str, of_check: bool = False) -> TapName:
    """What `description` names; the same for each end and duration of the test."""
    if of_check and (match := _CHECK.match(description)):
        failures = (how for start, how in _CHECK_FAILURES if match["why"].startswith(start))
        return TapName(match["name"], next(failures, Outcome.FAILED))
    name, failure = description.strip(), Outcome.FAILED
    if "#" not in name and (plain := _plainly_stable(name)):
        return TapName(plain)
    for _ in range(_MAX_SUFFIXES):
        shorter, how = _split_suffix(name)
        failure = how or failure
        if not shorter or shorter == name:
            break
        name = shorter
    return TapName(name, failure)


def _plainly_stable(name: str) -> str:
    """The stable name of common names, by their last words alone; "" where the patterns have to decide.

    Such names are numbered, end with a plain word, or with a time behind such a word.
    """
    last = name.rpartition(" ")[2]
    if last[-1:].isdecimal():
        return "" if "unexpected" in name else name
    if not last.isalpha() and _SIMPLE_TIME.fullmatch(last):
        name = name[: -len(last)].rstrip()
        if last[0] != "(":
            name = name.removesuffix(" in").rstrip()
        last = name.rpartition(" ")[2]
    parts = last.replace("::", "").replace("_", "")
    is_word = last[-1:].isalpha() and (parts.isalpha() or (parts != last and parts.isalnum()))
    if is_word and last.lower() not in _ADDED_WORDS and not last.endswith(_SECONDS):
        return name
    return ""


_SIMPLE_TIME = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?m?s|\([0-9]{1,9}(?:\.[0-9]{1,9})?m?s\)")
_SECONDS = ("sec", "secs", "second", "seconds")
# Last words of what `_SUFFIX` and `_FAILURES` find, and those that belong to a time behind them.
_ADDED_WORDS = frozenset(
    word
    for words in (
        "passed pass ok succeeded success failed failure fail error crashed crash skipped skip",
        "timeout out signal in took after s ms us ns m h min minute minutes \u00b5s \u03bcs",
    )
    for word in words.split()
)


def _split_suffix(name: str) -> tuple[str, Outcome | None]:
    """`name` without its last addition, if it has any; the tests before the patterns save time."""
    # The patterns end with \Z and would else be tried at each character of a long name.
    tail = name[-_MAX_SUFFIX_CHARACTERS:]
    head = name[: len(name) - len(tail)]
    for sign, pattern, how in _FAILURES:
        if sign in tail and (match := pattern.search(tail)):
            return (head + tail[: match.start()]).rstrip(), how
    hashes = tail.rfind("#")
    if hashes > 0 and tail[hashes - 1] in " \t" and (comment := _COMMENT.match(tail, hashes)):
        late = Outcome.TIMEOUT if comment["late"] else None
        return (head + tail[:hashes]).rstrip(), late
    if tail[-1:] in (")", "]"):
        opening = max(tail.rfind("("), tail.rfind("["))
        bracketed = opening > 0 and _BRACKETED.match(tail, opening)
        return (head + tail[:opening]).rstrip() if bracketed else name, None
    suffix = None
    if _LAST_WORD.match(tail, max(tail.rfind(" "), tail.rfind("\t"), tail.rfind(".", 0, -1)) + 1):
        words = tail[-60:].rsplit(None, 3)
        first = len(tail) - min(len(tail), 60) + len(words[0]) if len(words) > 3 else 0
        suffix = _SUFFIX.search(tail, max(first - 3, len(tail) - 60, 0))
    return (head + tail[: suffix.start()]).rstrip() if suffix else name, None
