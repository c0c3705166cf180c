"""Bandit as a scanner: Python code, by its command; comments in the code cannot switch it off."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.extras import need
from harness.grade.sast.scanner import ScanError, ScanFailed, ScanOutput
from parsers.sarif import Finding

BANDIT_TIMEOUT_S = 900
MAX_REPORT = 256 << 20


@dataclass(frozen=True)
class Bandit:
    """The Bandit of this environment, with all of its tests."""

    name: str = "bandit"
    canary: str | None = None

    @cached_property
    def version(self) -> str:
        need("exposure")
        return f"bandit {metadata.version('bandit')}"

    def wants(self, path: str) -> bool:
        return path.endswith(".py")

    def scan(self, root: Path) -> ScanOutput:
        """Findings in all files below `root`. Raises ScanFailed when Bandit gives no report."""
        report = self._report(root)
        errors = [
            ScanError(
                _relative(str(entry.get("filename", "")), root),
                "not scanned",
                str(entry.get("reason", "")),
            )
            for entry in report["errors"]
        ]
        rules = len(metadata.entry_points(group="bandit.plugins"))
        read = {_relative(path, root) for path in report["metrics"] if path != "_totals"}
        findings = tuple(_finding(entry, root) for entry in report["results"])
        return ScanOutput(findings, frozenset(read), tuple(errors), rules)

    def _report(self, root: Path) -> dict[str, Any]:
        _ = self.version
        # `--ignore-nosec`: a comment in the code cannot switch a test off.
        argv = [sys.executable, "-m", "bandit", "-r", "-q", "--ignore-nosec", "-f", "json", "."]
        try:
            done = subprocess.run(
                argv,
                cwd=root,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=BANDIT_TIMEOUT_S,
                env={"LC_ALL": "C.UTF-8"},
                check=False,
            )
            report = json.loads(done.stdout[:MAX_REPORT])
        except subprocess.TimeoutExpired as error:
            raise ScanFailed(f"bandit took more than {BANDIT_TIMEOUT_S} seconds") from error
        except (ValueError, RecursionError) as error:
            reason = done.stderr.decode("utf-8", "replace").strip()[-300:]
            raise ScanFailed(f"bandit gave no report: {reason or error}") from error
        if not isinstance(report, dict) or not {"results", "errors", "metrics"} <= report.keys():
            raise ScanFailed("bandit gave no report of its usual form")
        return report


def _finding(entry: dict[str, Any], root: Path) -> Finding:
    line = int(entry.get("line_number", 0))
    cwe = entry.get("issue_cwe")
    number = cwe.get("id") if isinstance(cwe, dict) else None
    return Finding(
        rule=str(entry.get("test_id", "")),
        path=_relative(str(entry.get("filename", "")), root),
        line=line,
        end_line=line,
        code="",
        message=str(entry.get("issue_text", "")),
        severity=str(entry.get("issue_severity", "")),
        cwe=(f"CWE-{number}",) if isinstance(number, int) else (),
    )


def _relative(path: str, root: Path) -> str:
    return path.removeprefix(f"{root}/").removeprefix("./")
