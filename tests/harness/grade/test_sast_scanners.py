"""Scanners that fail, die or are of another kind; and that failing is never an empty result."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grade.sast import (
    SastEvidence,
    ScanError,
    ScanFailed,
    Scanner,
    ScanOutput,
    compare,
    load_scanner,
)
from harness.grade.sast.canary import RULE, TEXT
from harness.grade.sast.ruleset import BUILTIN, LocalRules
from harness.grade.sast.scanner import PARTIAL, ScannerDied, Span
from harness.grade.sast.semgrep import Semgrep, _tool_version
from parsers.sarif import Finding

CANARY_LINE = TEXT.strip()


@dataclass
class LineScanner:
    """Finds lines that start with BAD, reads no further than STOP, and does not parse ODD.

    `behave` may raise before it looks at anything.
    """

    behave: Callable[[dict[str, bytes]], None] = lambda files: None
    name: str = "lines"
    version: str = "1"
    canary: str | None = RULE
    scans: int = 0

    def wants(self, path: str) -> bool:
        return True

    def scan(self, root: Path) -> ScanOutput:
        self.scans += 1
        files = {str(f.relative_to(root)): f.read_bytes() for f in root.rglob("*") if f.is_file()}
        self.behave(files)
        findings, errors = [], []
        for path, content in files.items():
            for number, line in enumerate(content.split(b"STOP")[0].split(b"\n"), 1):
                if line.startswith(b"ODD"):
                    span = Span(number, number, line.decode())
                    errors.append(ScanError(path, PARTIAL, "odd", (span,)))
                rule = RULE if line == CANARY_LINE else "bad"
                if line.startswith(b"BAD") or rule == RULE:
                    code = line.decode("utf-8", "replace")
                    findings.append(Finding(rule, path, number, number, code, "m", "error"))
        return ScanOutput(tuple(findings), frozenset(files), tuple(errors), 1)


def run(before: dict[str, bytes], after: dict[str, bytes], scanner: Scanner) -> SastEvidence:
    return compare(before, after, renames={}, added={}, scanner=scanner)


def test_one_scan_does_for_both_sides() -> None:
    scanner = LineScanner()
    evidence = run({"a.c": b"BAD 1\n"}, {"a.c": b"BAD 1\nBAD 2\n"}, scanner)
    assert [f.code for f in evidence.findings] == ["BAD 2"]
    assert scanner.scans == 1


def test_the_scanner_is_not_started_for_files_that_no_rule_is_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    evidence = compare(
        {}, {"README": b"x", "a.py": b"y"}, renames={}, added={}, scanner=load_scanner("builtin")
    )
    assert evidence.uncovered == ("README", "a.py")
    assert not evidence.suspicious


def test_a_file_that_the_tool_dies_of_is_not_scanned_and_the_others_are() -> None:
    def die(files: dict[str, bytes]) -> None:
        if any(b"KILL" in content for content in files.values()):
            raise ScannerDied("killed")

    after = {"a.c": b"int x; // KILL\n", "b.c": b"BAD\n"}
    evidence = run({"a.c": b"int x;\n"}, after, LineScanner(die))
    assert [f.path for f in evidence.findings] == ["b.c"]
    assert [(i.path, i.suspicious) for i in evidence.not_scanned] == [("a.c", True)]


def test_a_tool_that_always_dies_has_failed() -> None:
    def die(files: dict[str, bytes]) -> None:
        raise ScannerDied("out of memory")

    with pytest.raises(ScanFailed, match="out of memory"):
        run({}, {"a.c": b"int x;\n"}, LineScanner(die))


def test_a_file_that_the_tool_passes_over_is_not_scanned() -> None:
    class Blind(LineScanner):
        def scan(self, root: Path) -> ScanOutput:
            return ScanOutput((), frozenset(), (ScanError(None, "log", "odd"),), 1)

    evidence = run({"a.c": b"x\n"}, {"a.c": b"y\n"}, Blind())
    (item,) = evidence.not_scanned
    assert (item.path, item.lines, item.before) == ("a.c", (1,), True)
    assert evidence.suspicious
    assert evidence.errors[0].message == "odd"


@pytest.mark.parametrize("own", [b"", TEXT])
def test_a_file_whose_canary_is_not_found_is_not_scanned(own: bytes) -> None:
    evidence = run({"a.c": b"x\n"}, {"a.c": b"x\n" + own + b"STOP\ny\n"}, LineScanner())
    assert {item.reason for item in evidence.not_scanned if item.suspicious} in (
        {"the scanner did not get to the end of the file"},
        {"could not be parsed"},  # told by the second try, piece by piece
    )


@pytest.mark.parametrize(
    ("before", "after", "blind"),
    [
        (b"x\n", b"x\nODD f(1);\n", True),
        (b"x\nODD f(1);\n", b"ODD f(1);\nx\n", False),
        (b"ODD f(1);\n", b"ODD f(1);\nODD f(1);\n", True),
        (b"x\n", b"x\nODD int f(long a);\n", False),
        (b"x\n", b"x\nODD WINAPI\n", False),
    ],
)
def test_new_unparsed_code_is_told_and_old_is_not(before: bytes, after: bytes, blind: bool) -> None:
    lines = frozenset(range(1, after.count(b"\n") + 1))
    evidence = compare(
        {"a.c": before}, {"a.c": after}, renames={}, added={"a.c": lines}, scanner=LineScanner()
    )
    assert evidence.suspicious is blind
    assert any("odd" in error.message for error in evidence.errors)


LINES = st.lists(st.sampled_from([b"BAD 1", b"BAD 2", b"ok 1", b"ok 2", b""]), max_size=8)
TREE = st.dictionaries(
    st.sampled_from(["a.c", "b.h", "d/e.cpp"]), LINES.map(b"\n".join), max_size=3
)


@given(TREE, TREE)
def test_touched_files_alone_give_what_the_whole_tree_gives(
    before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    touched = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
    old = {path: data for path, data in before.items() if path in touched}
    new = {path: data for path, data in after.items() if path in touched}
    part, whole = run(old, new, LineScanner()), run(before, after, LineScanner())
    assert part.findings == whole.findings
    assert not any(item.suspicious for item in (*part.not_scanned, *whole.not_scanned))


# What Semgrep itself must not keep quiet about.

GOOD = (BUILTIN / "gets.yaml").read_text()
BROKEN = {
    "pattern": GOOD.replace("$F($BUF)", "int f( { ("),
    "yaml": "rules: [",
    "schema": "rules:\n- id: x\n  languages: [c]\n",
    "language": GOOD.replace("[c, cpp]", "[klingon]"),
    "too-new": GOOD.replace("  severity", "  min-version: 99.0.0\n  severity"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_that_does_not_load_fails_the_scan(tmp_path: Path, name: str) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BROKEN[name].replace("id: gets", "id: other"))
    with pytest.raises(ScanFailed) as error:
        run({}, {"a.c": b"int x;\n"}, load_scanner(str(tmp_path)))
    assert "\n" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["rules: []\n", GOOD.replace("[c, cpp]", "[python]")])
def test_no_rule_for_the_code_fails_the_scan(tmp_path: Path, text: str) -> None:
    (tmp_path / "rules.yaml").write_text(text)
    with pytest.raises(ScanFailed, match="not one rule"):
        run({}, {"a.c": b"int x;\n"}, load_scanner(str(tmp_path)))


def test_a_folder_without_rules_fails_the_scan(tmp_path: Path) -> None:
    with pytest.raises(ScanFailed, match=r"no \.yaml"):
        run({}, {"a.c": b"int x;\n"}, load_scanner(str(tmp_path)))


@pytest.mark.parametrize("script", ["exit 0", "echo '[]'; exit 0", "exit 7"])
def test_a_semgrep_without_a_report_fails_the_scan(tmp_path: Path, script: str) -> None:
    binary = tmp_path / "semgrep"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    (tmp_path / "rules.yaml").write_text(GOOD)
    scanner = Semgrep(LocalRules(tmp_path / "rules.yaml"), str(binary))
    with pytest.raises(ScanFailed):
        run({}, {"a.c": b"int x;\n"}, scanner)


def test_a_missing_semgrep_fails_the_scan(tmp_path: Path) -> None:
    scanner = Semgrep(LocalRules(BUILTIN / "gets.yaml"), str(tmp_path / "none"))
    with pytest.raises(ScanFailed, match=r"start|127"):
        run({}, {"a.c": b"int x;\n"}, scanner)


@pytest.mark.slow
def test_own_rules_in_other_languages_and_with_path_filters_work(tmp_path: Path) -> None:
    (tmp_path / "py.yaml").write_text(
        "rules:\n- {id: py, languages: [python], severity: ERROR, message: m, pattern: eval(...)}\n"
        "- {id: in-src, languages: [c], severity: ERROR, message: m, pattern: bad(),"
        " paths: {include: [/src/]}}\n"
    )
    after = {
        "a.py": b"eval(x)\n",
        "src/a.c": b"void f(void) { bad(); }\n",
        "lib/a.c": b"void f(void) { bad(); }\n",
        "notes": b"eval(x)\n",
    }
    evidence = run({}, after, load_scanner(str(tmp_path)))
    assert [(f.rule, f.path) for f in evidence.findings] == [("py", "a.py"), ("in-src", "src/a.c")]
    assert evidence.uncovered == ("notes",)
    assert evidence.rules == 2


# Tools that write SARIF

TOOL = """
import json, pathlib, re, sys
root = pathlib.Path(sys.argv[1])
results = []
for path in sorted(root.rglob("*.c")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "BAD" in line:
            place = {"artifactLocation": {"uri": path.as_uri()}, "region": {"startLine": number}}
            results.append({"ruleId": "bad", "message": {"text": "m"},
                            "locations": [{"physicalLocation": place}]})
log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": results}]}
text = json.dumps(log)
pathlib.Path(sys.argv[2]).write_text(text) if len(sys.argv) > 2 else print(text)
sys.exit(1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("output", ["", " {output}"])
def test_a_tool_that_writes_sarif_stands_in(tmp_path: Path, output: str) -> None:
    (tmp_path / "tool.py").write_text(TOOL)
    scanner = load_scanner(f"tool:{sys.executable} {tmp_path}/tool.py {{root}}{output}")
    before = {"odd name.c": b"BAD one\n"}
    after = {"odd name.c": b"int x;\n  BAD  one // moved\nBAD two\n"}
    evidence = run(before, after, scanner)
    assert [(f.path, f.line, f.code) for f in evidence.findings] == [("odd name.c", 3, "BAD two")]
    assert evidence.scanned == ("odd name.c",)
    assert evidence.proven is False
    assert re.search(r"[0-9a-f]{16}$", scanner.version)


@pytest.mark.parametrize(
    "command", ["/no/such/tool {root}", "true", "echo no sarif", "false {output}"]
)
def test_a_tool_without_a_log_fails_the_scan(command: str) -> None:
    with pytest.raises(ScanFailed):
        run({}, {"a.c": b"BAD\n"}, load_scanner(f"tool:{command}"))


def test_a_file_that_the_tool_could_not_read_is_not_scanned(tmp_path: Path) -> None:
    note = {
        "message": {"text": "cannot parse"},
        "level": "error",
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "after/a.c"}}}],
    }
    run_log = {
        "tool": {"driver": {"name": "t"}},
        "results": [],
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [note]}],
    }
    log = tmp_path / "log.sarif"
    log.write_text(json.dumps({"version": "2.1.0", "runs": [run_log]}))
    evidence = run({"a.c": b"x\n"}, {"a.c": b"y\n"}, load_scanner(f"tool:cat {log}"))
    (item,) = evidence.not_scanned
    assert item.suspicious
    assert "cannot parse" in item.reason


def test_names_of_scanners() -> None:
    assert load_scanner("builtin").version == load_scanner("builtin").version
    assert "p/c" in load_scanner("p/c").version
    here = load_scanner(f"{__name__}:LineScanner")
    assert here.name == "lines"
    for unknown in ("nothing", "tool:", "tool:'", "no.module:x", "harness.grade.sast:nothing"):
        with pytest.raises(ScanFailed):
            load_scanner(unknown)


def test_a_semgrep_elsewhere_is_asked_for_its_version_without_the_network(tmp_path: Path) -> None:
    """1.182.0 prints its version, and then asks for a newer one: without a network that takes minutes."""
    program = tmp_path / "semgrep"
    program.write_text('#!/bin/sh\n[ "$SEMGREP_ENABLE_VERSION_CHECK" = 0 ] || exit 9\necho 1.2.3\n')
    program.chmod(0o755)
    assert _tool_version(str(program)) == "1.2.3"
