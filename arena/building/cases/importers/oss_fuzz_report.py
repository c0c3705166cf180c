"""The text of an OSS-Fuzz report, in a separate file; or a folder of such `*.txt`.

A report names neither the repository nor the fix, so two lines are added by hand:

    Fix: <commit id, or the address of the commit>
    Repository: <address>
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from arena.building.cases.importers import Imported, ImporterExample, Rejected, writes
from arena.building.cases.importers._arvo import from_record
from arena.building.cases.importers._facts import COMMIT, NAME, NOT_IN_NAMES
from arena.building.cases.importers._report_text import MAX_TEXT, Report, read_report
from arena.building.cases.store import natural_key

COMMIT_URL = re.compile(r"(?P<repository>\S+?)/(?:-/)?(?:commit|\+)/[0-9a-fA-F]{40}")
TELLING = ("crash type", "job type")
HEAD = 64 << 10
NEWER = """\
Detailed Report: https://oss-fuzz.com/testcase?key=5000000000000001

Project: brook
Fuzzing Engine: libFuzzer
Fuzz Target: fuzz_load
Job Type: libfuzzer_asan_brook

Crash Type: Heap-use-after-free READ 8
Crash Address: 0x602000000010
Crash State:
  brook_section_find
  brook::parse<int>

Sanitizer: address (ASAN)
Fix: https://example.org/brook/commit/0123456789abcdef0123456789abcdef01234567
"""
OLDER = """\
Project: brook
Fuzzer: afl_brook_fuzz_load
Job Type: afl_asan_brook

Crash Type: Stack-buffer-overflow WRITE 1
Minimized Testcase (0.10 Kb): https://oss-fuzz.com/download?testcase_id=5000000000000002
"""


class OssFuzzReport:
    """See `Importer`."""

    what = "the text of an OSS-Fuzz report, or a folder of such *.txt"
    examples = (
        ImporterExample(writes({"31.txt": NEWER}, "31.txt"), imported=("31",)),
        ImporterExample(
            writes({"31.txt": NEWER, "32.txt": OLDER, "33.txt": "hello\n", "34.txt": b"\xff"}),
            imported=("31",),
            rejected={"32": "Repository:", "33": "no report", "34": "not UTF-8"},
        ),
    )

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            return any(path.glob("*.txt"))
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(HEAD).lower()
        return path.suffix == ".txt" or any(f"{key}:".encode() in head for key in TELLING)

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        report_files = path.glob("*.txt") if path.is_dir() else [path]
        for file in sorted(report_files, key=lambda file: natural_key(file.stem)):
            yield _read_file(file)

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        file = path / f"{id_}.txt"
        return self.read(file if file.is_file() else path)


def _read_file(path: Path) -> Imported | Rejected:
    name = NOT_IN_NAMES.sub("-", path.stem).lstrip("-._+")[:100]
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TEXT + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        return Rejected(path.stem, f"{path.name}: {error.strerror}")
    except UnicodeDecodeError as error:
        return Rejected(path.stem, f"{path.name}: not UTF-8 ({error.reason} at byte {error.start})")
    if len(data) > MAX_TEXT:
        return Rejected(path.stem, f"{path.name}: larger than {MAX_TEXT >> 20} MiB")
    report = read_report(text)
    if not NAME.fullmatch(name):
        return Rejected(path.stem, f"{path.name}: its name makes no id")
    if not (report.crash_type or report.job):
        lines = " or ".join(f"{key.title()}:" for key in TELLING)
        return Rejected(name, f"{path.name}: no report (no line {lines})")
    return _from_report(name, report)


def _from_report(name: str, report: Report) -> Imported | Rejected:
    linked = COMMIT_URL.search(report.fix)
    repository = report.repository or (linked["repository"] if linked else "")
    fixes = [
        commit_pair[0] if (commit_pair := _last_commit(word)) else word
        for word in report.fix.split()
    ]
    lacking = [
        f"a line {line}"
        for line, value in (("Fix:", fixes), ("Repository:", repository))
        if not value
    ]
    if lacking:
        return Rejected(
            name, f"a report names no fix and no repository: add {' and '.join(lacking)}"
        )
    record = {"localId": name, "repo_addr": repository, "fix_commit": fixes}
    record_case = from_record(record, report, name)
    if isinstance(record_case, Rejected):
        return record_case
    return Imported(record_case.case.model_copy(update={"source": "oss-fuzz"}))


def _last_commit(word: str) -> list[str]:
    return COMMIT.findall(word)[-1:] if "/" in word else []


PLUGIN = OssFuzzReport()
