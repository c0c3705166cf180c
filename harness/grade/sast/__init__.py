"""The SAST part of the grader: what a patch brings that a scanner flags, and what it could not see.

scanner.py    what a scanner is             load.py      a scanner by its name
semgrep.py    Semgrep                       ruleset.py   the rules that it uses
bandit.py     Bandit, for Python code
sarif_tool.py any tool that writes SARIF    rules/       the built-in rules, a file each
compare.py    the files of a patch          trees.py     two directories, two SARIF logs
files.py      which files, which lines      languages.py which of them are C or C++
stage.py      what the scanner gets to see  canary.py    proof that the scanner read it
blind.py      what it did not see           diff.py      which findings are new
evidence.py   what is handed over           piecewise.py files that only parse piece by piece
expand.py     macros and includes in place  macros.py    tokens, and macros in a run of them
readings.py   what only that text shows  logs.py     new findings of two SARIF logs
"""

from __future__ import annotations

from harness.grade.sast.compare import compare
from harness.grade.sast.evidence import NotScanned, SastEvidence
from harness.grade.sast.load import load_scanner
from harness.grade.sast.scanner import ScanError, ScanFailed, Scanner, ScanOutput
from harness.grade.sast.trees import compare_sarif, compare_trees

__all__ = [
    "NotScanned",
    "SastEvidence",
    "ScanError",
    "ScanFailed",
    "ScanOutput",
    "Scanner",
    "compare",
    "compare_sarif",
    "compare_trees",
    "load_scanner",
]
