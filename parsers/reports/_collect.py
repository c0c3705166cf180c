"""Gathers outcomes from hostile text: bounded, the worst outcome wins, and doubts are recorded."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count as numbers
from itertools import islice

from parsers.outcomes import Level, Outcome, TestReport, worst

MAX_TESTS = 100_000
MAX_EVENTS = 200_000
MAX_PROBLEMS = 50
MAX_NAME = 300
MAX_LINES_IN_A_MATCH = 1000
# Numbers in patterns: wide enough for any count, narrow enough for int().
NUMBER = r"[0-9]{1,9}"


def clean_name(name: str) -> str:
    """`name` without spaces around it; a very long name is cut, and stays distinct by a digest."""
    name = name.strip()
    if "\n" in name:
        name = name.replace("\n", " ")
    if len(name) <= MAX_NAME:
        return name or "(no name)"
    # A cut alone would join two tests with a long common beginning, and a failure could hide behind a pass.
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return f"{name[:MAX_NAME]}...{digest}"


def drop_partial_line(text: str) -> str:
    """`text` without a last line that lacks its newline: what a cut left of it may mislead."""
    return text[: text.rfind("\n") + 1]


def compile_lines(plain: str, *forms: str) -> re.Pattern[str]:
    """A pattern that matches line by line, by any of `forms` (which have groups) or by none.

    plain: matches whole lines that are in no form, without their newline, and never goes back. Such lines
    are passed over in a single match: `re` takes 2 to 3 times as long to try `^` at each of their characters
    (50 MB of a log, Python 3.11). Every line matches, so that none is looked at twice.

    The repeat is not possessive, because Python before 3.11.5 (bpo gh-106052) continues it in the middle of
    a line; it has a limit since `re` remembers each round.
    """
    return re.compile(
        rf"(?:{plain}\n){{0,{MAX_LINES_IN_A_MATCH}}}(?:{'|'.join(forms)}|.*)(?:\n|\Z)"
    )


class Collector:
    """Outcomes and problems of a report, while it is being read.

    `counts` has every result line, repeated names included, for comparison with closing counts.
    """

    def __init__(self, level: Level = Level.CASES) -> None:
        self.level = level
        self.outcomes: dict[str, Outcome] = {}
        self.counts: Counter[Outcome] = Counter()
        self.doubted = False
        self._problems: dict[str, None] = {}
        self._unsaid = 0
        self._made_up = 0

    def add(self, name: str, outcome: Outcome, *, again: bool = False) -> None:
        """Record a result; a repeated name is a problem unless `again` says it is normal."""
        name = clean_name(name)
        earlier = self.outcomes.get(name)
        if earlier is None and len(self.outcomes) >= MAX_TESTS:
            self.doubt(f"more than {MAX_TESTS} tests; the rest is left out")
            return
        self.counts[outcome] += 1
        if earlier is None:
            self.outcomes[name] = outcome
            return
        self.outcomes[name] = worst(earlier, outcome)
        if not again:
            differs = "" if earlier is outcome else f", as {earlier} and as {outcome}"
            self.problem(f"{name}: reported more than once{differs}")

    def add_all(self, results: Sequence[tuple[str, Outcome]], *, numbered: bool) -> None:
        """Record results; where `numbered`, the second of a name as a separate test, "name [2]".

        Where the report is in doubt, its counts for instance, a repeated name may be forged: it stays
        a single test, with the worst outcome.
        """
        distinct = {clean_name(name): outcome for name, outcome in results}
        fits = len(self.outcomes) + len(distinct) <= MAX_TESTS
        if len(distinct) == len(results) and fits and self.outcomes.keys().isdisjoint(distinct):
            self.outcomes |= distinct
            self.counts.update(distinct.values())
            return
        uses: dict[str, int] = {}
        for name, outcome in results:
            nth = uses[name] = uses.get(name, 0) + 1
            if nth > 1 and numbered and not self.doubted:
                self.add(f"{clean_name(name)} [{nth}]", outcome)
            else:
                self.add(name, outcome)

    def add_counts(self, outcome: Outcome, count: int) -> None:
        """Record `count` results that have no names (level COUNTS)."""
        if count > 0:
            self.level = Level.COUNTS
        self.add_made_up(outcome, count, (f"{outcome} {number}" for number in numbers(1)))

    def add_made_up(self, outcome: Outcome, count: int, names: Iterator[str]) -> None:
        """Record `count` results under the next of `names`; bounded over all calls."""
        # A report can state a count of a billion in ten characters, and each counted test takes memory.
        many = max(min(count, MAX_TESTS + 1, MAX_EVENTS - self._made_up), 0)
        self._made_up += many
        for name in islice(names, many):
            self.add(name, outcome)
        if many < count:
            self.doubt(f"more than {MAX_TESTS} tests are counted; the rest is left out")

    def worsen(self, name: str, outcome: Outcome) -> None:
        """Make the outcome of an already recorded test worse, without counting it again."""
        name = clean_name(name)
        if name in self.outcomes:
            self.outcomes[name] = worst(self.outcomes[name], outcome)

    def problem(self, line: str) -> None:
        """Record an irregularity that leaves the report usable."""
        line = clean_name(line)
        if line in self._problems:
            return
        if len(self._problems) < MAX_PROBLEMS:
            self._problems[line] = None
        else:
            self._unsaid += 1

    @property
    def problems(self) -> tuple[str, ...]:
        """The lines written down, and how many more there were."""
        more = (f"... and {self._unsaid} more problems",) if self._unsaid else ()
        return (*self._problems, *more)

    def doubt(self, line: str) -> None:
        """Write down why the report cannot be taken for that of a whole run."""
        self.doubted = True
        self.problem(line)

    def expect(self, what: str, stated: int, counted: int) -> None:
        """Doubt the report when a count that it states differs from the count of results."""
        # No direction is harmless: fewer results than stated were lost, and more were printed by a test.
        if stated != counted:
            self.doubt(f"{what}: the report states {stated}, but {counted} were seen")

    def scan(self, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
        """The matches of `pattern`, up to a bound."""
        for number, match in enumerate(pattern.finditer(text)):
            if number >= MAX_EVENTS:
                self.doubt(f"more than {MAX_EVENTS} lines of results; the rest is left out")
                return
            yield match

    def scan_lines(self, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
        """The lines that match a form of a pattern of `compile_lines`, up to a bound."""
        events = 0
        for match in pattern.finditer(text):
            if match.lastindex is None:
                continue
            events += 1
            if events > MAX_EVENTS:
                self.doubt(f"more than {MAX_EVENTS} lines of results; the rest is left out")
                return
            yield match

    def report(self, closed: bool, *, may_be_empty: bool = False) -> TestReport:
        """The report; complete when it is `closed`, nothing was in doubt, and it has tests."""
        if not self.outcomes and not may_be_empty:
            self.doubt("no test was reported")
        elif not closed and not self.doubted:
            self.doubt("the report has no end")
        return TestReport(self.outcomes, self.level, closed and not self.doubted, self.problems)
