"""`arena gate`: reports written out by hand, and a tiny project in a repository of its own."""

from __future__ import annotations

from arena.gate.checkout import GitState
from arena.gate.findings import GateCause, GateFinding
from arena.gate.project import Project, ProjectSpec
from arena.gate.report import CheckStatus, GateCheck, GatePart, GateReport

PROJECT = """\
schema = 1
name = "mini"
[environment]
workdir = "/src/mini"
build = "make build/tool"
timeout = 60
[tests]
command = "make check"
parser = "tap"
report = ["build/results.tap"]
timeout = 20
runs = 2
files = ["tests/**"]
[poc]
build = "make build/fuzz"
command = "./build/fuzz {poc}"
timeout = 6
corpus = ["fuzz/corpus"]
[limits]
memory = "512m"
disk = "200m"
pids = 64
"""
SPEC = ProjectSpec.model_validate(
    {
        "schema": 1,
        "name": "mini",
        "environment": {"workdir": "/src/mini", "build": "make"},
        "tests": {"command": "make check", "parser": "tap"},
    }
)
BASE = GitState("main", "a" * 40, "1" * 40)
HEAD = GitState("HEAD", "b" * 40, "2" * 40)
CRASH = GateFinding(
    GateCause.CRASH,
    "fuzz/corpus/two",
    "heap-buffer-overflow (write) in twice",
    "src/text.c",
    26,
    26,
    {"kind": "heap-buffer-overflow", "cwe": "CWE-122", "frames": ["twice"], "input": "corpus/two"},
)
SCAN = GateFinding(
    GateCause.SAST_ERROR,
    "c-gets",
    "gets has no bound",
    "src/a file.c",
    7,
    8,
    {"cwe": ["CWE-242"], "code": "gets(line);"},
)
LOST = GateFinding(GateCause.TEST_FAILS, "upper word", "failed at HEAD, passes at BASE")


def report_of(
    *findings: GateFinding, status: CheckStatus = CheckStatus.DECIDED, strict: bool = False
) -> GateReport:
    """A report with these findings, all of the check `poc`, and two tests."""
    tests = {"upper word": "failed", "upper empty": "passed", "old": "failed"}
    parts = (
        GatePart(GateCheck("tests", CheckStatus.DECIDED, "3 tests"), (), tests),
        GatePart(GateCheck("poc", status, "BASE: it does not build"), findings),
        GatePart(GateCheck("sast", CheckStatus.DECIDED, "1 of 1 changed files scanned")),
    )
    return GateReport(Project(SPEC), BASE, HEAD, parts, strict=strict)
