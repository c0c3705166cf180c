"""TAP, the Test Anything Protocol, versions 12 to 14 (https://testanything.org).

Subtests are named "parent > child", the second test of a name "name [2]"; what harnesses add to names
is left out (`_tap_names`). A cut last line is not read: "ok 2 - x" may have been "ok 2 - x # TODO".
cmocka's groups ("# ok - group" behind each) are named as its XML does, "group > test"; Catch2's lines
are those of assertions, and count for the test case in the comment before them.

Whole: a single plan, for each of cmocka's groups too, which was met, and no number twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, clean_name, drop_partial_line
from parsers.reports._plugin import Format
from parsers.reports._tap_examples import EXAMPLES
from parsers.reports._tap_lines import split_glued_results
from parsers.reports._tap_names import is_catch2, is_checks, stable_name

_LINE = re.compile(
    r"^(?P<indent>[ \t]*+)(?:(?P<failed>not )?ok(?=[ \t]|$)(?P<test>.*)"
    rf"|1\.\.(?P<plan>{NUMBER})[ \t]*+(?P<reason>#.*)?$"
    r"|Bail out!(?P<bail>.*)"
    r"|\# Subtest: (?P<subtest>.*)"
    rf"|\# (?:not )?ok - (?P<group>.*+)(?=\n1\.\.{NUMBER}|\s*\Z)"
    r"|(?P<yaml>---)[ \t]*+$"
    r"|(?P<unyaml>\.\.\.)[ \t]*+$)",
    re.MULTILINE,
)
_TEST = re.compile(
    rf"[ \t]*(?P<number>{NUMBER}(?![^ \t#]))?(?:[ \t]+-[ \t]|[ \t]*-(?=[ \t]))?(?P<text>.*)"
)
_ESCAPED_OR_HASH = re.compile(r"\\.|#")
_ESCAPED = re.compile(r"\\([\\#])")
_DIRECTIVE = re.compile(r"#[ \t]*(?:(?P<skip>skip)|(?P<todo>todo\b))", re.IGNORECASE)
_SUBTEST_INDENT = 4  # TAP 14 fixes it; other indented text is a program's own output
_MAX_DEPTH = 16


@dataclass
class _Block:
    """The test lines of an indentation: of the document itself, or of a subtest."""

    name: str = ""
    plans: list[int] = field(default_factory=list)
    tests: list[tuple[str, Outcome]] = field(default_factory=list)
    nested: list[tuple[str, Outcome]] = field(default_factory=list)  # tests of its subtests
    numbers: set[int] = field(default_factory=set)
    same: dict[str, int] = field(default_factory=dict)  # how often a name was given
    unplanned: int = 0  # results that Catch2 does not count
    skipped: bool = False


def _directive(text: str) -> tuple[str, str]:
    """Split a description at its directive, the first `#` that is not escaped and starts a directive."""
    if "#" not in text:
        return text, ""
    for match in _ESCAPED_OR_HASH.finditer(text):
        if match.group() == "#" and (directive := _DIRECTIVE.match(text, match.start())):
            return text[: match.start()], "skip" if directive["skip"] else "todo"
    return text, ""


_OUTCOMES = {
    ("", False): Outcome.PASSED,
    ("", True): Outcome.FAILED,
    ("todo", False): Outcome.XPASSED,
    ("todo", True): Outcome.XFAILED,
    ("skip", False): Outcome.SKIPPED,
    ("skip", True): Outcome.SKIPPED,  # cmocka prints `not ok 3 # SKIP name`
}


class _TapReader:
    def __init__(self, text: str) -> None:
        self.text = split_glued_results(text)
        self.of_check = is_checks(text)
        self.of_catch2 = is_catch2(text)
        self.collector = Collector()
        self.blocks = [_Block()]
        self.grouped: list[tuple[str, Outcome]] = []  # tests of cmocka's groups that ended
        self.yaml = 0  # indentation of the YAML block that is being skipped
        self.last_test_end = -1
        self.last_test_indent = 0

    def read(self) -> TestReport:
        for match in self.collector.scan(_LINE, self.text):
            indent = len(match["indent"].expandtabs(_SUBTEST_INDENT))
            if self.yaml and indent >= self.yaml:
                self.yaml = 0 if match["unyaml"] is not None else self.yaml
                continue
            self.yaml = 0
            if match["yaml"]:
                # Only right after a test line and deeper than it: else a test's own output could
                # hide the results that follow.
                after_test = match.start() == self.last_test_end + 1
                self.yaml = indent if after_test and indent > self.last_test_indent else 0
            elif indent % _SUBTEST_INDENT == 0 and indent <= _SUBTEST_INDENT * _MAX_DEPTH:
                self._line(match, indent // _SUBTEST_INDENT)
        self._close_to(0, "")
        return self._document(self.blocks[0])

    def _line(self, match: re.Match[str], depth: int) -> None:
        if match["test"] is not None:
            self._test(match, depth)
        elif match["plan"] is not None:
            block = self._block(depth)
            block.plans.append(int(match["plan"]))
            block.skipped = match["plan"].strip("0") == ""
        elif match["bail"] is not None:
            self.collector.doubt(f"bailed out: {match['bail'].strip()}")
            self.collector.add("Bail out!", Outcome.ERROR)
        elif match["group"] is not None:
            self._close_group(depth, clean_name(match["group"]))
        elif match["subtest"] is not None:
            # TAP 14 has the comment at the child's own indentation, or at its parent's.
            is_own = depth > 0 and (len(self.blocks) <= depth or not self.blocks[depth].name)
            self._block(depth if is_own else depth + 1).name = clean_name(match["subtest"])

    def _test(self, match: re.Match[str], depth: int) -> None:
        self.last_test_end = match.end()
        self.last_test_indent = depth * _SUBTEST_INDENT
        parts = _TEST.match(match["test"])
        if parts is None:
            return
        description, directive = _directive(parts["text"])
        description, failure = stable_name(description, self.of_check)
        # TAP 14 escapes # and \ in descriptions. The directive was split off before, on the escaped text.
        if "\\" in description:
            description = _ESCAPED.sub(r"\1", description)
        name = clean_name(description) if description else ""
        if len(self.blocks) != depth + 1:
            self._close_to(depth, name)
        block = self._block(depth)
        if self.of_catch2 and depth == 0:
            name = self._comment_before(match.start()) or name
        number = int(parts["number"] or len(block.tests) + 1)
        # Under the same number a line of a test's output would replace a real result.
        if number in block.numbers:
            self.collector.doubt(f"test number {number} was reported more than once")
        elif number != len(block.tests) + 1:
            self.collector.problem(f"test number {number} is out of sequence")
        outcome = _OUTCOMES[directive, match["failed"] is not None]
        if self.of_catch2 and directive == "todo" and outcome is Outcome.XPASSED:
            outcome = Outcome.PASSED  # CHECK_NOFAIL
            block.unplanned += 1
        name = name or str(number)
        # A second test of a name gets a number, but a repeated number stays a single test: its worst outcome.
        if number not in block.numbers and not self.of_catch2:
            nth = block.same[name] = block.same.get(name, 0) + 1
            name = f"{name} [{nth}]" if nth > 1 else name
        block.numbers.add(number)
        block.tests.append((name, failure if outcome is Outcome.FAILED else outcome))

    def _comment_before(self, at: int) -> str:
        """The text of the comment in the line before, which a test's output may have begun."""
        line = self.text[self.text.rfind("\n", 0, at - 1) + 1 : at - 1]
        _, mark, name = line.partition("# ")
        return clean_name(name) if mark else ""

    def _close_group(self, depth: int, name: str) -> None:
        """End a group of cmocka's; all groups stand in a single document."""
        block = self.blocks[0]
        if depth or not block.plans:
            return
        self._close_to(0, "")
        if 0 in block.numbers:
            self.collector.problem(f"group {name}: its set-up or tear-down failed")
        else:
            self._compare_plan(block, f"group {name}")
        tests = [(clean_name(f"{name} > {test}"), how) for test, how in block.nested + block.tests]
        self.grouped += tests
        self.blocks = [_Block()]

    def _block(self, depth: int) -> _Block:
        if len(self.blocks) > depth + 1:
            self._close_to(depth, "")
        while len(self.blocks) <= depth:
            self.blocks.append(_Block())
        return self.blocks[depth]

    def _close_to(self, depth: int, parent: str) -> None:
        """End the subtests deeper than `depth`; `parent` is the test line that sums them up."""
        while len(self.blocks) > depth + 1:
            block = self.blocks.pop()
            name = (parent if len(self.blocks) == depth + 1 else "") or block.name
            # node names each test in a comment before it, as if it had subtests.
            empty = not (block.tests or block.nested)
            if not block.plans and (empty or not block.name):
                if block.tests:
                    self.collector.problem("indented test lines without a plan were not read")
                continue
            name = name or "(subtest)"
            self._compare_plan(block, f"subtest {name}")
            self.blocks[-1].nested += [
                (clean_name(f"{name} > {child}"), outcome)
                for child, outcome in block.nested + block.tests
            ]

    def _compare_plan(self, block: _Block, what: str) -> None:
        # A second plan means a second run, or a test that printed a plan to fit its lines.
        if len(block.plans) != 1:
            self.collector.doubt(f"{what}: {len(block.plans)} plans instead of one")
            return
        planned = block.plans[0] + block.unplanned
        self.collector.expect(f"{what}: plan", planned, len(block.tests))
        if block.numbers and max(block.numbers) > planned:
            self.collector.doubt(f"{what}: test number {max(block.numbers)} is not in the plan")

    def _document(self, block: _Block) -> TestReport:
        for name, outcome in self.grouped + block.nested + block.tests:
            self.collector.add(name, outcome, again=self.of_catch2)
        if block.plans or block.tests:
            self._compare_plan(block, "document")
        skipped = block.skipped and not block.tests and not self.grouped
        if skipped:
            self.collector.problem("the whole file was skipped")
        return self.collector.report(bool(block.plans or self.grouped), may_be_empty=skipped)


def _detect(text: str) -> bool:
    # A result without a number is also plain English, so it is no sign of TAP.
    return bool(re.search(r"^(?:TAP version 1[34]|1\.\.[0-9]+|(?:not )?ok [0-9]+\b)", text, re.M))


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _TapReader(drop_partial_line(text)).read()


# TAP has no word for a crash: a harness bails out, or the plan is not met.
PLUGIN = Format("tap", _detect, _parse, EXAMPLES, crash=Outcome.ERROR)
