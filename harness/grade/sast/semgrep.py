"""Semgrep as a scanner: offline, without any of the ways in which scanned code can switch it off."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from itertools import accumulate
from pathlib import Path
from typing import Any

from harness.grade.sast import canary
from harness.grade.sast.diff import clip
from harness.grade.sast.ruleset import RuleSet
from harness.grade.sast.scanner import PARTIAL, ScanError, ScanFailed, ScannerDied, ScanOutput, Span
from parsers.sarif import Finding, cwes

# The version of Semgrep in one binary (`--experimental`) starts in 0.3 s instead of 3 to 4 s, and
# reports rules that do not load, partial parses and timeouts just the same.
_FLAGS = (
    "--experimental",
    "--metrics=off",
    "--disable-version-check",
    # A patch could silence a finding by a comment.
    "--disable-nosem",
    "--no-git-ignore",
    "--x-ignore-semgrepignore-files",  # also drops the built-in list: tests/, vendor/, build/ ...
    "--max-target-bytes=0",
    "--no-rewrite-rule-ids",
    "--oss-only",
    "--json",
    "--time",  # names the rules that ran
    "--quiet",
    "--jobs=1",
)
# Seconds for a rule and a file. A rule takes well under 1 s on the largest ordinary file; the first one
# that runs out of time ends the work on the file, which then counts as not scanned in any case.
_RULE_TIMEOUT_S = 20
_MEMORY_MIB = 4000  # MiB, for a rule and a file
_SCAN_TIMEOUT_S = 600
_MAX_OUTPUT_BYTES = 256 * 2**20
_MAX_SPAN_CHARACTERS = 2000
# Only a pack from the registry needs the network; all else runs without the user's environment.
_PASSED_FOR_PACKS = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SEMGREP_URL")

# Semgrep's `type` of an error that is about the rules, not about the code. An incompatible rule is
# only an `info` to Semgrep, and does not run.
_RULE_ERRORS = frozenset(
    {
        "Rule parse error",
        "Pattern parse error",
        "PatternParseError",
        "Invalid YAML",
        "IncompatibleRule",
        "Missing plugin",
        "Invalid rule schema",
        "Unknown language error",
        "SemgrepError",
    }
)


@dataclass(frozen=True)
class Semgrep:
    """The Semgrep of this environment, else of the PATH, with a set of rules."""

    rules: RuleSet
    binary: str | None = None
    name: str = "semgrep"

    @property
    def canary(self) -> str | None:
        return canary.RULE

    @cached_property
    def version(self) -> str:
        return f"semgrep {_tool_version(self._command)}; rules {self.rules.version}"

    def wants(self, path: str) -> bool:
        return self.rules.wants(path)

    def scan(self, root: Path) -> ScanOutput:
        with tempfile.TemporaryDirectory(prefix="arena-semgrep-") as scratch:
            report = self._run(root, Path(scratch))
        failures = [_rule_failure(error) for error in _dicts(report.get("errors"))]
        broken = [failure for failure in failures if failure]
        if broken:
            raise ScanFailed(f"{len(broken)} rule(s) did not load: {broken[0]}")
        return _output(report, root, self.rules.count)

    @property
    def _command(self) -> str:
        beside = Path(sys.executable).with_name("semgrep")
        binary = self.binary or (str(beside) if beside.is_file() else shutil.which("semgrep"))
        if not binary:
            raise ScanFailed("semgrep is not installed: pip install semgrep")
        return binary

    def _run(self, root: Path, scratch: Path) -> dict[str, Any]:
        """Start Semgrep once over everything in `root`, and return its JSON."""
        canary_rules = scratch / "canary.yaml"
        canary_rules.write_text(canary.RULE_TEXT)
        configs = [
            f"--config={config}" for config in (*self.rules.configs(scratch), str(canary_rules))
        ]
        limits = [
            f"--timeout={_RULE_TIMEOUT_S}",
            "--timeout-threshold=1",
            f"--max-memory={_MEMORY_MIB}",
        ]
        # The scanned directories as targets, not their parent: `paths:` of rules count from there.
        targets = sorted(path.name for path in root.iterdir())
        argv = [self._command, "scan", *_FLAGS, *limits, *configs, "--", *targets]
        output, log = scratch / "output", scratch / "log"
        code = _execute(argv, root, self._environment(scratch), output, log)
        return _report(code, output, log)

    def _environment(self, scratch: Path) -> dict[str, str]:
        passed = ("PATH", *(_PASSED_FOR_PACKS if self.rules.remote else ()))
        return {
            **{name: os.environ[name] for name in passed if name in os.environ},
            "HOME": str(scratch),
            "XDG_CONFIG_HOME": str(scratch),
            "TMPDIR": str(scratch),
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "SEMGREP_SEND_METRICS": "off",
            "SEMGREP_ENABLE_VERSION_CHECK": "0",
            "SEMGREP_SETTINGS_FILE": str(scratch / "settings.yml"),
        }


def _execute(
    argv: list[str], root: Path, environment: Mapping[str, str], output: Path, log: Path
) -> int:
    """Run with the streams in files, whose size is limited. Returns the exit code."""
    # The file's size is limited by the kernel: Semgrep quotes code of a patch, and could fill the disk.
    limited = ["prlimit", f"--fsize={_MAX_OUTPUT_BYTES}", "--", *argv]
    command = limited if shutil.which("prlimit") else argv
    try:
        with output.open("wb") as out, log.open("wb") as err:
            done = subprocess.run(
                command,
                cwd=root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                timeout=_SCAN_TIMEOUT_S,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise ScannerDied(f"semgrep took more than {_SCAN_TIMEOUT_S} s") from error
    except OSError as error:
        raise ScanFailed(f"semgrep does not start: {error}") from error
    return done.returncode


def _report(code: int, output: Path, log: Path) -> dict[str, Any]:
    # A death is a fault of its kind: the files are then scanned each alone.
    if code < 0 or code > 128:
        raise ScannerDied(f"semgrep was killed (exit status {code}){_last_words(log)}")
    if output.stat().st_size >= _MAX_OUTPUT_BYTES:
        raise ScannerDied("semgrep wrote more than 256 MiB")
    try:
        # Semgrep quotes code that it cannot parse byte for byte, in whatever encoding that is.
        report = json.loads(output.read_bytes().decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise ScanFailed(f"semgrep wrote no report (exit {code}){_last_words(log)}") from error
    if not isinstance(report, dict) or "results" not in report:
        raise ScanFailed(f"semgrep's report has no results (exit {code})")
    return report


def _last_words(log: Path) -> str:
    lines = log.read_bytes()[-4000:].decode("utf-8", "replace").strip().splitlines()
    return ": " + lines[-1][:300] if lines else ""


def _output(report: dict[str, Any], root: Path, declared: int | None) -> ScanOutput:
    contents = _Contents(root)
    applied = set(_dict(report.get("time")).get("rules") or ())
    ran = applied - {canary.RULE}
    # A rule set without a rule for the language would report every patch as clean (law 2).
    if applied and not ran:
        raise ScanFailed("there are C or C++ files, and not one rule for them")
    scanned = frozenset(map(str, _dict(report.get("paths")).get("scanned") or ()))
    findings = [_finding(item, contents) for item in _dicts(report.get("results"))]
    errors = [_error(item, contents) for item in _dicts(report.get("errors"))]
    rules = len(ran) if declared is None else declared
    return ScanOutput(tuple(findings), scanned, tuple(errors), rules)


class _Contents:
    """The scanned files, read once each, for the texts that Semgrep only gives the places of."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, bytes] = {}
        self._line_starts: dict[str, list[int]] = {}

    def text(self, path: str, start: int, end: int) -> str:
        """The text between two byte offsets."""
        if path not in self._read:
            self._read[path] = (self._root / path).read_bytes()
        return self._read[path][start:end].decode("utf-8", "replace")

    def span(self, path: str, start: dict[str, Any], end: dict[str, Any]) -> Span:
        """The text between two places, as line and column (in bytes, from 1)."""
        first, last = int(start["line"]), int(end["line"])
        try:
            begin, stop = (self._offset(path, place) for place in (start, end))
        except (IndexError, OSError):
            return Span(first, last)
        return Span(first, last, self.text(path, begin, stop)[:_MAX_SPAN_CHARACTERS])

    def _offset(self, path: str, place: dict[str, Any]) -> int:
        starts = self._line_starts.get(path)
        if starts is None:
            data = (self._root / path).read_bytes()
            starts = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0))
            self._line_starts[path] = starts
        return starts[int(place["line"]) - 1] + int(place["col"]) - 1


def _finding(item: dict[str, Any], contents: _Contents) -> Finding:
    extra, start, end = _dict(item["extra"]), _dict(item["start"]), _dict(item["end"])
    path = str(item["path"])
    code = contents.text(path, int(start["offset"]), int(end["offset"]))
    return Finding(
        rule=str(item["check_id"]),
        path=path,
        line=int(start["line"]),
        end_line=int(end["line"]),
        code=clip(code),
        message=" ".join(str(extra.get("message", "")).split()),
        severity=str(extra.get("severity", "WARNING")).lower(),
        cwe=cwes(_dict(extra.get("metadata")).get("cwe")),
    )


def _kind(error: dict[str, Any]) -> str:
    kind = error.get("type")
    return str(kind[0] if isinstance(kind, list) and kind else kind)


def _rule_failure(error: dict[str, Any]) -> str:
    """A line about a rule that did not load; "" for an error about the scanned code."""
    about_code = error.get("path") and _kind(error) not in _RULE_ERRORS
    if about_code or (_kind(error) not in _RULE_ERRORS and error.get("level") != "error"):
        return ""
    return " ".join(str(error.get("message", _kind(error))).split())[:300]


def _error(error: dict[str, Any], contents: _Contents) -> ScanError:
    path = error.get("path")
    kind = _kind(error)
    spans = tuple(
        contents.span(str(path), _dict(span["start"]), _dict(span["end"]))
        for span in _dicts(error.get("spans"))
    )
    if kind == "PartialParsing" and spans:
        kind = PARTIAL
    # Semgrep quotes the code, to the end of the file if need be; the first line tells enough.
    message = " ".join(str(error.get("message", "")).split())[:200]
    return ScanError(str(path) if path else None, kind, message, spans)


def _tool_version(command: str) -> str:
    """Its version: from the installed package when the binary is that package's, else by a call."""
    if Path(command).parent == Path(sys.executable).parent:
        return metadata.version("semgrep")
    # Without the variable 1.182.0 asks for a newer version after it has printed its own: without a network it
    # stays for minutes, and no version is known.
    env = {**os.environ, "SEMGREP_ENABLE_VERSION_CHECK": "0"}
    try:
        answer = subprocess.run(
            [command, "--version"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env=env,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ScanFailed(f"semgrep --version failed: {error}") from error
    return answer.stdout.strip()


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
