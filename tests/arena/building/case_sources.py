"""Stand-ins for the records and reports that cases come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.building.cases.importers import Imported, Rejected, recognise
from arena.building.cases.schema import Case

FIX = "0123456789abcdef0123456789abcdef01234567"
OTHER = "89abcdef0123456789abcdef0123456789abcdef"
URL = "https://example.org/group/brook.git"
OLD_REPORT = """\
Detailed report: https://oss-fuzz.com/testcase?key=5000000000000001

Project: brook
Fuzzer: libFuzzer_brook_fuzz_load
Fuzz target binary: fuzz_load
Job Type: libfuzzer_msan_brook
Platform Id: linux

Crash Type: Use-of-uninitialized-value
Crash Address: 0x602000000010
Crash State:
  brook::Parser<int>::parse
  fixed: not a fact
  NULL
  \x20
Sanitizer: memory (MSAN)

Recommended Security Severity: Medium

Regressed: https://oss-fuzz.com/revisions?job=libfuzzer_msan_brook&range=201801120659:201801140700

Reproducer Testcase: https://oss-fuzz.com/download?testcase_id=5000000000000001
"""
VERIFIED = (
    "ClusterFuzz testcase 5000000000000001 is verified as fixed in "
    "https://oss-fuzz.com/revisions?job=x&range=201801140700:201801150718\n"
)


def record(**changes: object) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "localId": 17,
        "project": "brook",
        "fix": f"https://example.org/group/brook/commit/{FIX}",
        "verify": "0",
        "fuzzer": "libfuzzer",
        "sanitizer": "msan",
        "crash_type": "Use-of-uninitialized-value",
        "severity": "Medium",
        "report": {"comments": [{"content": OLD_REPORT}, {"content": ""}, {"content": VERIFIED}]},
        "fix_commit": FIX,
        "repo_addr": URL,
    }
    made = {**whole, **changes}
    return {key: value for key, value in made.items() if value is not ...}


def read(path: Path) -> list[Imported | Rejected]:
    return list(recognise(path).read(path))


def read_one(tmp_path: Path, content: object) -> Imported | Rejected:
    path = tmp_path / "17.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    (found,) = read(path)
    return found


def case_of(found: Imported | Rejected) -> Case:
    assert isinstance(found, Imported), found
    return found.case


def reason(found: Imported | Rejected) -> str:
    assert isinstance(found, Rejected), found
    return found.reason
