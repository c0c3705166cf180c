"""What the SAST part of the grader hands over: what is new, and what could not be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from harness.grade.sast.scanner import ScanError
from parsers.sarif import Finding

_MAX_LISTED = 200  # entries of a list that go into JSON; a hostile patch can make a million


@dataclass(frozen=True)
class NotScanned:
    """Code of a file that the scanner did not see.

    `lines` are those that the patch added there; `before`: the file's text at PVIC was not
    scanned either; `c_family`: the file is C or C++.
    """

    path: str
    lines: tuple[int, ...]
    reason: str
    before: bool
    c_family: bool = True

    @property
    def suspicious(self) -> bool:
        """The patch put code where the scanner is blind, or blinded it to a file that it saw."""
        return self.c_family and bool(self.lines or not self.before)

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "lines": ranges(self.lines),
            "reason": self.reason,
            "before": self.before,
            "suspicious": self.suspicious,
        }


@dataclass(frozen=True)
class SastEvidence:
    """The outcome of a comparison.

    `findings` are the new ones; `scanned` the files that were read after the patch; `proven` is False
    when the tool does not report which it read. `uncovered` are touched files that no rule is for.
    """

    findings: tuple[Finding, ...]
    not_scanned: tuple[NotScanned, ...]
    errors: tuple[ScanError, ...]
    scanned: tuple[str, ...]
    uncovered: tuple[str, ...]
    tool: str
    rules: int
    seconds: float
    proven: bool = True

    @property
    def suspicious(self) -> bool:
        """Whether a correct, safe-looking patch is to be labelled CS."""
        return bool(self.findings) or any(item.suspicious for item in self.not_scanned)

    def to_json(self) -> dict[str, Any]:
        """All of it; long lists are cut, and `counts` holds their true lengths."""
        lists: dict[str, list[Any]] = {
            "findings": [finding.to_json() for finding in self.findings[:_MAX_LISTED]],
            "not_scanned": [item.to_json() for item in self.not_scanned[:_MAX_LISTED]],
            "errors": [_error_json(error) for error in self.errors[:_MAX_LISTED]],
            "scanned": list(self.scanned[:_MAX_LISTED]),
            "uncovered": list(self.uncovered[:_MAX_LISTED]),
        }
        return {
            "suspicious": self.suspicious,
            **lists,
            "counts": {name: len(getattr(self, name)) for name in lists},
            "tool": self.tool,
            "rules": self.rules,
            "proven": self.proven,
            "seconds": round(self.seconds, 3),
        }


def ranges(lines: Iterable[int]) -> list[list[int]]:
    """Line numbers as [first, last] pairs."""
    return [list(pair) for pair in _ranges(sorted(lines))]


def _ranges(lines: list[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for line in lines:
        if first is None or last is None:
            first = last = line
        elif line <= last + 1:
            last = line
        else:
            yield first, last
            first = last = line
    if first is not None and last is not None:
        yield first, last


def _error_json(error: ScanError) -> dict[str, Any]:
    return {
        "path": error.path,
        "kind": error.kind,
        "message": error.message,
        "spans": [[span.first, span.last] for span in error.spans[:_MAX_LISTED]],
    }
