"""TAP, the Test Anything Protocol, versions 12 to 14 (https://testanything.org).

A run is complete when exactly one plan was met. Subtests are named "parent > child". A cut last
line is not read: "ok 2 - x" may have been "ok 2 - x # TODO".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, clean_name, whole_lines
from parsers.reports._plugin import Example, Format

_LINE = re.compile(
    r"^(?P<indent>[ \t]*+)(?:(?P<failed>not )?ok(?=[ \t]|$)(?P<test>.*)"
    rf"|1\.\.(?P<plan>{NUMBER})[ \t]*+(?P<reason>#.*)?$"
    r"|Bail out!(?P<bail>.*)"
    r"|\# Subtest: (?P<subtest>.*)"
    r"|(?P<yaml>---)[ \t]*+$"
    r"|(?P<unyaml>\.\.\.)[ \t]*+$)",
    re.MULTILINE,
)
_TEST = re.compile(
    rf"[ \t]*(?P<number>{NUMBER}(?![^ \t#]))?(?:[ \t]+-[ \t]|[ \t]*-(?=[ \t]))?(?P<text>.*)"
)
_ESCAPED_OR_HASH = re.compile(r"\\.|#")
_DIRECTIVE = re.compile(r"#[ \t]*(?:(?P<skip>skip)|(?P<todo>todo\b))", re.IGNORECASE)
_SUBTEST_INDENT = 4  # TAP 14 fixes it; other indented text is a program's own output
_MAX_DEPTH = 16


@dataclass
class _Block:
    """The test lines of one indentation: the document's own, or those of a subtest."""

    name: str = ""
    plans: list[int] = field(default_factory=list)
    tests: list[tuple[str, Outcome]] = field(default_factory=list)
    nested: list[tuple[str, Outcome]] = field(default_factory=list)  # tests of its subtests
    numbers: set[int] = field(default_factory=set)
    skipped: bool = False


def _directive(text: str) -> tuple[str, str]:
    """Split a description at its directive, the first `#` that is not escaped and starts one."""
    for match in _ESCAPED_OR_HASH.finditer(text):
        if match.group() == "#" and (found := _DIRECTIVE.match(text, match.start())):
            return text[: match.start()], "skip" if found["skip"] else "todo"
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
        self.text = text
        self.found = Collector()
        self.blocks = [_Block()]
        self.yaml = 0  # indentation of the YAML block that is being skipped
        self.last_test_end = -1
        self.last_test_indent = 0

    def read(self) -> TestReport:
        for match in self.found.scan(_LINE, self.text):
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
            self.found.doubt(f"bailed out: {match['bail'].strip()}")
            self.found.add("Bail out!", Outcome.ERROR)
        elif match["subtest"] is not None:
            # TAP 14 has the comment at the child's own indentation, or at its parent's.
            own = depth > 0 and (len(self.blocks) <= depth or not self.blocks[depth].name)
            self._block(depth if own else depth + 1).name = clean_name(match["subtest"])

    def _test(self, match: re.Match[str], depth: int) -> None:
        self.last_test_end = match.end()
        self.last_test_indent = depth * _SUBTEST_INDENT
        parts = _TEST.match(match["test"])
        if parts is None:
            return
        description, directive = _directive(parts["text"])
        description = re.sub(r"\\([\\#])", r"\1", description).strip()
        self._close_to(depth, clean_name(description) if description else "")
        block = self._block(depth)
        number = int(parts["number"] or len(block.tests) + 1)
        if number in block.numbers:
            self.found.doubt(f"test number {number} was reported more than once")
        elif number != len(block.tests) + 1:
            self.found.problem(f"test number {number} is out of sequence")
        block.numbers.add(number)
        outcome = _OUTCOMES[directive, match["failed"] is not None]
        block.tests.append((clean_name(description) if description else str(number), outcome))

    def _block(self, depth: int) -> _Block:
        self._close_to(depth, "")
        while len(self.blocks) <= depth:
            self.blocks.append(_Block())
        return self.blocks[depth]

    def _close_to(self, depth: int, parent: str) -> None:
        """End the subtests deeper than `depth`; `parent` is the test line that sums them up."""
        while len(self.blocks) > depth + 1:
            block = self.blocks.pop()
            name = (parent if len(self.blocks) == depth + 1 else "") or block.name
            if not block.plans and not block.name:
                if block.tests:
                    self.found.problem("indented test lines without a plan were not read")
                continue
            name = name or "(subtest)"
            self._hold_plan(block, f"subtest {name}")
            self.blocks[-1].nested += [
                (clean_name(f"{name} > {child}"), outcome)
                for child, outcome in block.nested + block.tests
            ]

    def _hold_plan(self, block: _Block, what: str) -> None:
        if len(block.plans) != 1:
            self.found.doubt(f"{what}: {len(block.plans)} plans instead of one")
            return
        self.found.expect(f"{what}: plan", block.plans[0], len(block.tests))
        if block.numbers and max(block.numbers) > block.plans[0]:
            self.found.doubt(f"{what}: test number {max(block.numbers)} is not in the plan")

    def _document(self, block: _Block) -> TestReport:
        for name, outcome in block.nested + block.tests:
            self.found.add(name, outcome)
        if block.plans or block.tests:
            self._hold_plan(block, "document")
        skipped = block.skipped and not block.tests
        if skipped:
            self.found.problem("the whole file was skipped")
        return self.found.report(bool(block.plans), may_be_empty=skipped)


def _detect(text: str) -> bool:
    return bool(re.search(r"^(?:TAP version 1[34]|1\.\.[0-9]+|(?:not )?ok [0-9]+\b)", text, re.M))


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _TapReader(whole_lines(text)).read()


_ODD = """\
TAP version 14
1..8
ok 1 - plain
not ok 2 - broken
  ---
  message: ok 9 - not a test
  ...
ok 3 - network # SKIP no network
not ok 4 - later # TODO not written
ok 5 - early # todo
ok 6 - issue \\#7 # not a directive
not ok 7 # SKIP t_skip
ok
"""
_SUBTESTS = """\
# Subtest: decode
    ok 1 - empty
    # Subtest: long
        1..1
        not ok 1 - limit
    not ok 2 - long
    1..2
not ok 1 - decode
    1..1
    ok 1 - empty
ok 2 - encode
1..2
"""
EXAMPLES = (
    Example("1..2\nok 1 - a\nok 2 - b\n", {"a": "passed", "b": "passed"}, why="a normal run"),
    Example("ok 1 - a\nok\n1..2\n", {"a": "passed", "2": "passed"}, why="the plan comes last"),
    Example(
        "1..2\nok 1 - a\n# Expected 1\nnot ok 2 - b\n",
        {"a": "passed", "b": "failed"},
        status=1,
        why="a failure",
    ),
    Example(
        _ODD,
        {
            "plain": "passed",
            "broken": "failed",
            "network": "skipped",
            "later": "xfailed",
            "early": "xpassed",
            "issue #7 # not a directive": "passed",
            "7": "skipped",
            "8": "passed",
        },
        status=1,
        why="directives, YAML, escapes; 7 as cmocka prints a skipped test",
    ),
    Example(
        _SUBTESTS,
        {
            "decode > empty": "passed",
            "decode > long > limit": "failed",
            "decode > long": "failed",
            "decode": "failed",
            "encode > empty": "passed",
            "encode": "passed",
        },
        status=1,
        why="subtests, with and without a comment that names them",
    ),
    Example("1..0 # SKIP no zlib\n", {}, why="the whole file is skipped"),
    Example(
        "1..3\nok 1 - a\nBail out! no disk\n",
        {"a": "passed", "Bail out!": "error"},
        False,
        status=1,
        why="the harness gives up: the nearest to a crash",
    ),
    Example("1..3\nok 1 - a\nok 2 - b", {"a": "passed"}, False, why="cut in a line"),
    Example("ok 1 - a\n", {"a": "passed"}, False, why="no plan"),
    Example(
        "1..2\nok 1 - a\nok 2 - b\nnot ok 2 - b\n",
        {"a": "passed", "b": "failed"},
        False,
        status=1,
        why="a forged line beside the real one",
    ),
    Example("", {}, False, why="empty"),
)
# TAP has no word for a crash: a harness bails out, or the plan is not met.
PLUGIN = Format("tap", _detect, _parse, EXAMPLES, crash=Outcome.ERROR)
