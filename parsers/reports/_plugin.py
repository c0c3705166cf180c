"""What a report format is: how it is detected and parsed, and examples of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from parsers.outcomes import Outcome, TestReport
from parsers.reports._syntax import TEXT

PLAIN = 0
GENERAL = 1  # any document of a kind that other formats know more about
QUOTING = 2  # quotes the tests' output, and with it perhaps reports in other formats


@dataclass(frozen=True)
class Example:
    """A real report and what it must parse to; `why` says what it shows.

    `joined`: the text holds several runs in sequence, and the format has no closing for the
    whole, so that a cut between two of them cannot be detected.
    """

    text: str
    outcomes: dict[str, str]
    complete: bool = True
    source: str = "report"
    status: int | None = 0
    why: str = ""
    level: str = "cases"
    joined: bool = False


# A protocol, so that a plug-in of another distribution needs no base class of this project.
class ReportParser(Protocol):
    """A report format. Neither method raises, whatever the text."""

    @property
    def name(self) -> str: ...
    @property
    def examples(self) -> Sequence[Example]: ...
    @property
    def crash(self) -> Outcome:
        """The outcome that a crash of a test shows as; not all formats can distinguish it from a failure."""

    @property
    def file_named(self) -> bool:
        """Its test names come from the report's file name and need no prefix."""

    @property
    def precedence(self) -> int:
        """Which format wins where several know a text as theirs; see PLAIN and its like."""

    @property
    def reads_text(self) -> bool:
        """It looks at the text at all."""

    @property
    def relays_status(self) -> bool:
        """Whether its command ends with the status of a test, which may have been killed."""

    @property
    def file_option(self) -> str:
        """How its framework writes the run to a file that it closes at the end, FILE; "" where it cannot.

        Set for text that the tests' process prints: a test can print the rest of it and exit.
        """

    @property
    def syntax(self) -> Collection[str]:
        """What its reports are written in: TEXT, XML or JSON of `_syntax`."""

    def detect(self, text: str) -> bool: ...
    def parse(self, text: str, source: str, status: int | None) -> TestReport: ...


@dataclass(frozen=True)
class Format:
    """A ReportParser that consists of two functions."""

    name: str
    detect: Callable[[str], bool]
    parse: Callable[[str, str, int | None], TestReport]
    examples: Sequence[Example]
    crash: Outcome = Outcome.CRASHED
    file_named: bool = False
    precedence: int = PLAIN
    reads_text: bool = True
    relays_status: bool = False
    file_option: str = ""
    syntax: Collection[str] = (TEXT,)
