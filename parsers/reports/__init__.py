"""Test reports to outcomes, by format and never by project.

Each file here but those that start with `_` is a format: it carries its examples, and adding a format
needs no edit elsewhere. `parse` reads a run's report files, `detect` recognises the format of a text,
`merge` joins the reports of several files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import cast

from parsers.log_prefix import strip_prefixes
from parsers.outcomes import BAD, Level, TestReport, coarsest
from parsers.registry import lookup, names
from parsers.reports._collect import Collector
from parsers.reports._plugin import Example, Format, ReportParser
from parsers.reports._status import was_killed
from parsers.reports._syntax import document_syntax
from parsers.text import Text, decode

__all__ = [
    "AUTO",
    "Example",
    "Format",
    "ReportParser",
    "detect",
    "expect",
    "file_option",
    "merge",
    "parse",
]

AUTO = "auto"
TRUNCATED = "the report is too large; only its first part was read"


def parse(
    format: str,
    files: Mapping[str, bytes],
    status: int | None = None,
    *,
    prefixed: bool | None = None,
) -> TestReport:
    """Read the report files of a single run (file name -> content) and join them.

    `format`: a format's name, `package.module:attribute`, or "auto" (detected for each file).
    `status`: the test command's exit status, negative or above 128 for a signal.
    `prefixed`: whether test names start with their file's stem; by default when there are several
    files. Pass True where the number of files may differ between two runs to be compared.
    Raises parsers.registry.UnknownName for an unknown format; never for any content.
    """
    chosen = None if format == AUTO else _plugin(format)
    # The exit status belongs to the command as a whole, however many files there are.
    if chosen is not None and not chosen.reads_text:
        return chosen.parse("", "", status)
    labels = _labels(list(files))
    reports: dict[str, TestReport] = {}
    bare: set[str] = set()
    relayed = False
    for source, label in labels.items():
        content, prefixes = _plain(files[source])
        plugin = chosen or _detect_format(content.text)
        if plugin is None:
            line = prefixes or ("not in any known format" if content.text.strip() else "empty")
            reports[label] = TestReport({}, Level.CASES, False, (line,))
            continue
        relayed = relayed or plugin.relays_status
        named_as = f"{label}.report" if plugin.file_named else source
        report = plugin.parse(content.text, named_as, status)
        report = _add_doubt(report, TRUNCATED) if content.truncated else report
        reports[label] = _add_doubt(report, prefixes) if prefixes else report
        if plugin.file_named or prefixed is False or (prefixed is None and len(files) == 1):
            bare.add(label)
    return _doubt_by_status(status, merge(reports, bare), relayed)


def expect(format: str) -> None:
    """Raise parsers.registry.UnknownName or ValueError unless `parse` reads `format`."""
    if format != AUTO:
        _plugin(format)


def file_option(format: str) -> str:
    """How the framework of `format` writes the run to a file (FILE) that it closes at the end, or "".

    Set where a test could print the rest of the report and exit, and would be read as passed. Raises
    parsers.registry.UnknownName for an unknown format.
    """
    return "" if format == AUTO else _plugin(format).file_option


def detect(text: str) -> str | None:
    """The name of the format that `text` is in, or None."""
    plugin = _detect_format(strip_prefixes(text).text)
    return plugin.name if plugin else None


def merge(reports: Mapping[str, TestReport], bare: Collection[str] = ()) -> TestReport:
    """Join reports (label -> report); names become `label: name`, except for labels in `bare`.

    A name that two reports share keeps the worst outcome. The whole is complete when each is, and
    as detailed as the coarsest.
    """
    joined = Collector(coarsest([report.level for report in reports.values()]))
    for label, report in reports.items():
        prefix = "" if label in bare else f"{label}: "
        named = [(prefix + name, outcome) for name, outcome in report.outcomes.items()]
        joined.add_all(named, numbered=False)
        for line in report.problems:
            joined.problem(prefix + line)
    if not reports:
        joined.doubt("there is no report file")
    complete = all(report.complete for report in reports.values()) and not joined.doubted
    return TestReport(joined.outcomes, joined.level, complete, joined.problems)


def _plugin(name: str) -> ReportParser:
    return cast(ReportParser, lookup(__name__, name))


def _detect_format(text: str) -> ReportParser | None:
    """The format of `text`; where several know it as theirs, their precedence decides.

    A document quotes what the tests printed, perhaps whole reports: a text that is XML or JSON is
    read as that or not at all.
    """
    syntax = document_syntax(text)
    plugins = [_plugin(name) for name in names(__name__)]
    matching = [plugin for plugin in plugins if plugin.detect(text)]
    if syntax and not text[: syntax.start].strip():
        matching = [plugin for plugin in matching if syntax.name in plugin.syntax]
    elif syntax:  # a program printed something before its document, which may be a report itself
        before = text[: syntax.start]
        inside = [plugin for plugin in matching if syntax.name in plugin.syntax]
        matching = inside if inside and not any(p.detect(before) for p in matching) else matching
    return max(matching, key=lambda plugin: plugin.precedence, default=None)


def _labels(sources: list[str]) -> dict[str, str]:
    """A short label for each file: its stem, or its path where two share a stem."""
    stems = Counter(PurePosixPath(source).stem for source in sources)
    labels: dict[str, str] = {}
    used_labels: set[str] = set()
    for source in sources:
        path = PurePosixPath(source)
        label = path.stem if stems[path.stem] == 1 else source.removesuffix(path.suffix)
        labels[source] = label if label not in used_labels else source
        used_labels.add(labels[source])
    return labels


def _plain(data: bytes) -> tuple[Text, str]:
    """A file's text without log prefixes, and why they cannot be recognised, if so."""
    content = decode(data)
    plain = strip_prefixes(content.text)
    if plain.text is content.text:
        return content, plain.doubt
    text = decode(plain.text.encode("utf-8", "replace"))  # Docker's JSON may hold escapes
    return Text(text.text, content.truncated or text.truncated), plain.doubt


def _add_doubt(report: TestReport, line: str) -> TestReport:
    return TestReport(report.outcomes, report.level, False, (line, *report.problems))


def _doubt_by_status(status: int | None, report: TestReport, relayed: bool) -> TestReport:
    """Doubt a report when the test command was killed, or failed though no test did.

    A framework may close its report before it dies (doctest, Qt Test): the tests behind are missing.
    """
    killed = was_killed(status)
    shows_failure = bool(BAD & set(report.outcomes.values()))
    # A command that relays the status of a crashed test ends like a killed command, but closes its report.
    if status in (None, 0) or (shows_failure and (relayed or not killed)):
        return report
    if shows_failure:
        line = f"the test command was killed (status {status})"
        return TestReport(report.outcomes, report.level, False, (*report.problems, line))
    line = f"the test command ended with status {status}, though no test failed"
    complete = report.complete and not killed
    return TestReport(report.outcomes, report.level, complete, (*report.problems, line))
