"""DejaGnu's `.sum` file (the manual, "Output files"; tested with 1.6.3): test lines, then counts.

Tests are named "folder/script.exp: test", the second of a name in a script "name [2]". The `.log` file,
and the console, hold what the tests print as well: a line there may come from a test, and neither is whole.

Whole: the summary, whose counts are those of the lines, no ERROR, and nothing else between the results.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_WORDS = {
    "PASS": (Outcome.PASSED, "expected passes"),
    "FAIL": (Outcome.FAILED, "unexpected failures"),
    "XPASS": (Outcome.XPASSED, "unexpected successes"),
    "XFAIL": (Outcome.XFAILED, "expected failures"),
    "KPASS": (Outcome.XPASSED, "unknown successes"),
    "KFAIL": (Outcome.XFAILED, "known failures"),
    "UNRESOLVED": (Outcome.ERROR, "unresolved testcases"),
    "UNTESTED": (Outcome.SKIPPED, "untested testcases"),
    "UNSUPPORTED": (Outcome.SKIPPED, "unsupported tests"),
}
_LINE = re.compile(
    rf"^(?P<word>{'|'.join(_WORDS)}): (?P<name>[^\n]+)$"
    r"|^Running (?P<script>[^\n]{1,1000}\.exp) \.\.\.$"
    r"|^\t\t=== (?P<summary>[^\n]{0,200}) Summary"
    rf"|^\# of (?P<kind>[a-z ]{{1,30}})\t+(?P<count>{NUMBER})$"
    r"|^(?P<error>ERROR|BOTCH): (?P<why>[^\n]*)$",
    re.MULTILINE,
)
_ADDED = re.compile(r"(?: \((?:PRMS|DejaGnu)[^()]{0,100}\))\Z")
_CRASHED = re.compile(r" \((?:internal compiler error|program exited|Segmentation fault)[^\n]*\Z")


_OWN_LINE = re.compile(
    rf"(?:{'|'.join(_WORDS)}|ERROR|WARNING|NOTE|BOTCH): |Running |Using |Schedule of |    \S|\s*$|\t\t==="
)


class _SumReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.script = ""
        self.results: list[tuple[str, Outcome]] = []
        self.words: Counter[str] = Counter()
        self.stated: Counter[str] = Counter()
        self.summaries = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["word"]:
                self._result(match["word"], match["name"])
            elif match["script"]:
                # The folder that holds a script names its tool; those above differ between checkouts.
                self.script = "/".join(match["script"].split("/")[-2:])
            elif match["summary"] is not None:
                self.summaries += 1
            elif match["kind"]:
                self.stated[match["kind"]] += int(match["count"])
            else:
                self.collector.doubt(f"{match['error']}: {match['why']}")
        if foreign := _foreign_line(text):
            self.collector.doubt(f"output among the results, as in a log file: {foreign}")
        if self.summaries != 1:
            self.collector.doubt(f"{self.summaries} summaries instead of one")
        else:
            for word, (_, kind) in _WORDS.items():
                self.collector.expect(kind, self.stated[kind], self.words[word])
        self.collector.add_all(self.results, numbered=True)
        return self.collector.report(self.summaries == 1)

    def _result(self, word: str, name: str) -> None:
        self.words[word] += 1
        # A name must be the same in each run, and a bug's number (PRMS) is no part of it.
        name = _ADDED.sub("", name)
        outcome = _WORDS[word][0]
        # gcc's testsuite writes how the program ended into the name; a test has the same name in each run.
        if outcome is Outcome.FAILED and (crash := _CRASHED.search(name)):
            name, outcome = name[: crash.start()], Outcome.CRASHED
        self.results.append((f"{self.script}: {name}" if self.script else name, outcome))


def _foreign_line(text: str) -> str:
    """The first line between the first script and the summary that DejaGnu does not write there."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.endswith(".exp ...")), len(lines))
    for line in lines[start:]:
        if line.startswith("\t\t==="):
            break
        if not _OWN_LINE.match(line):
            return line
    return ""


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _SumReader().read(drop_partial_line(text))


def _detect(text: str) -> bool:
    return (
        re.search(r"^\t\t=== [^\n]{1,200} (?:tests|Summary[^\n]{0,100}) ===$", text, re.M)
        is not None
    )


_HEAD = """\
Test run by user on Sun Nov 29 00:02:51 2026
Native configuration is x86_64-pc-linux-gnu

\t\t=== tool tests ===

Schedule of variations:
    unix

Running target unix
Running /src/testsuite/tool.core/core.exp ...
"""
_PASSING = f"""\
{_HEAD}PASS: before
PASS: FAIL: not ok

\t\t=== tool Summary ===

# of expected passes\t\t2
"""
_RUN = f"""\
{_HEAD}PASS: same
FAIL: same
UNSUPPORTED: skips
UNTESTED: never tried
XFAIL: expected failure
XPASS: unexpected pass
UNRESOLVED: has no result
FAIL: loop (program exited with status 139)

\t\t=== tool Summary ===

# of expected passes\t\t1
# of unexpected failures\t2
# of unexpected successes\t1
# of expected failures\t\t1
# of unresolved testcases\t1
# of untested testcases\t\t1
# of unsupported tests\t\t1
"""
_ALL = {"tool.core/core.exp: before": "passed", "tool.core/core.exp: FAIL: not ok": "passed"}
EXAMPLES = (
    Example(_PASSING, _ALL, why="a normal run"),
    Example(
        _RUN,
        {
            "tool.core/core.exp: same": "passed",
            "tool.core/core.exp: same [2]": "failed",
            "tool.core/core.exp: skips": "skipped",
            "tool.core/core.exp: never tried": "skipped",
            "tool.core/core.exp: expected failure": "xfailed",
            "tool.core/core.exp: unexpected pass": "xpassed",
            "tool.core/core.exp: has no result": "error",
            "tool.core/core.exp: loop": "crashed",
        },
        status=1,
        why="each result",
    ),
    Example(_PASSING[: _PASSING.index("\n\t\t=== tool Summary")], _ALL, False, why="cut"),
    Example(
        _PASSING.replace("PASS: before\n", "PASS: before\nPASS: phantom\n"),
        {**_ALL, "tool.core/core.exp: phantom": "passed"},
        False,
        why="a line of a test's own, in the log file",
    ),
    Example(
        _PASSING.replace("PASS: before\n", "PASS: before\nERROR: tcl error sourcing core.exp.\n"),
        _ALL,
        False,
        status=1,
        why="a script that ends in an error",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("dejagnu", _detect, _parse, EXAMPLES)
