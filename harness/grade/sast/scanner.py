"""The scanner protocol: it looks at the files under a directory and reports findings and gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from parsers.sarif import Finding

# The kind of an error that concerns only `spans`; any other with a path concerns the whole file.
PARTIAL = "partial"


class ScanFailed(Exception):
    """The tool itself failed: not installed, no rule loaded, a rule that did not load, no report."""


class ScannerDied(ScanFailed):
    """The tool was killed, ran out of time or wrote without end: perhaps because of a single file."""


@dataclass(frozen=True)
class Span:
    """Code that was left out: first and last line, and the very text if the tool reports it."""

    first: int
    last: int
    text: str | None = None


@dataclass(frozen=True)
class ScanError:
    """Something that the scanner could not do.

    `path` is None when it is about no file in particular; only a PARTIAL error has `spans`.
    """

    path: str | None
    kind: str
    message: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class ScanOutput:
    """What a scan gave; paths are relative to the scanned directory.

    `scanned` are the files that were read. `proven` is False when the tool does not say which these
    were, and they are only presumed. `rules` is the number of rules that were applied; `described` says
    what CWEs those that the tool describes are about, None where it describes none.
    """

    findings: tuple[Finding, ...]
    scanned: frozenset[str]
    errors: tuple[ScanError, ...]
    rules: int
    proven: bool = True
    described: Mapping[str, tuple[str, ...]] | None = None


class Scanner(Protocol):
    """A static analyser.

    `version` identifies the tool and its rules: the same version gives the same findings on the same
    files, so it goes into a verdict's key. `canary` is the rule that matches `canary.TEXT`, or None
    when the tool has none.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def canary(self) -> str | None: ...

    def wants(self, path: str) -> bool:
        """False when no rule can apply to a file of this name."""
        ...

    def scan(self, root: Path) -> ScanOutput:
        """Scan all files under `root`. Raises ScanFailed, and ScannerDied when a file may be why."""
        ...
