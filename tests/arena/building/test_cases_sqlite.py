"""ARVO's SQLite release: its columns, and databases that are broken or hostile."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.building.cases.importers import Imported, Rejected
from tasks.loader import TaskError
from tests.arena.building.case_sources import (
    FIX,
    OLD_REPORT,
    OTHER,
    URL,
    case_of,
    read,
    reason,
)

# the database

ALL = (
    "localId INTEGER PRIMARY KEY, project TEXT NOT NULL, reproduced BOOLEAN NOT NULL, "
    "reproducer_vul TEXT, reproducer_fix TEXT, patch_located BOOLEAN, patch_url TEXT, "
    "verified BOOLEAN, fuzz_target TEXT, fuzz_engine TEXT, sanitizer TEXT, crash_type TEXT, "
    "crash_output TEXT, severity TEXT, report TEXT, fix_commit TEXT, language TEXT, "
    "repo_addr TEXT DEFAULT NULL, submodule_bug BOOLEAN DEFAULT 0"
)
CRASH = """\
==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
READ of size 8 at 0x602000000010 thread T0
    #0 0x4f in brook_section_find /src/brook/document.c:10:3
    #1 0x50 in parse_entry /src/brook/parse.c:20:3

SUMMARY: AddressSanitizer: heap-use-after-free /src/brook/document.c:10:3 in brook_section_find
"""


def database(path: Path, schema: str, *rows: dict[str, object]) -> Path:
    with closing(sqlite3.connect(path)) as base, base:
        base.executescript(schema)
        for row in rows:
            marks = ", ".join("?" * len(row))
            base.execute(f"INSERT INTO arvo ({', '.join(row)}) VALUES ({marks})", [*row.values()])
    return path


def row(**changes: object) -> dict[str, object]:
    return {
        "localId": 25402,
        "project": "brook",
        "reproduced": 0,
        "reproducer_vul": "docker run --rm n132/arvo:25402-vul arvo",
        "patch_located": 0,
        "patch_url": f"https://example.org/group/brook/commit/{FIX}",
        "fuzz_target": "fuzz_load",
        "fuzz_engine": "libFuzzer",
        "sanitizer": "asan",
        "crash_type": "Heap-use-after-free READ 8",
        "crash_output": CRASH,
        "severity": "High",
        "report": "https://issues.example.org/25402",
        "fix_commit": f"{FIX}\n{OTHER}",
        "language": "c++",
        "repo_addr": URL,
        **changes,
    }


def test_a_row_becomes_a_case(tmp_path: Path) -> None:
    (found,) = read(database(tmp_path / "arvo.db", f"CREATE TABLE arvo ({ALL})", row()))
    case = case_of(found)
    assert (case.id, case.language, case.fix) == ("25402", "c++", (FIX, OTHER))
    assert case.crash.state == ("brook_section_find", "parse_entry")
    assert (case.oss_fuzz.target, case.oss_fuzz.engine) == ("fuzz_load", "libfuzzer")
    assert case.oss_fuzz.report == "https://issues.example.org/25402"
    assert case.oss_fuzz.reproducer == "docker run --rm n132/arvo:25402-vul arvo"


def test_a_row_may_hold_the_reports_text_and_nothing_else(tmp_path: Path) -> None:
    short = {
        k: v for k, v in row(report=OLD_REPORT).items() if k in ("localId", "report", "repo_addr")
    }
    schema = "CREATE TABLE arvo (localId, report, repo_addr, patch_url)"
    link = {"patch_url": f"https://x.org/a/commit/{FIX}"}
    (found,) = read(database(tmp_path / "arvo.db", schema, {**short, **link}))
    case = case_of(found)
    assert (case.project, case.fix, case.language) == ("brook", (FIX,), "")
    assert case.oss_fuzz.target == "fuzz_load"


def test_rows_are_read_one_by_one(tmp_path: Path) -> None:
    """A blob beyond the bound, bytes that are no text, and no id lose their own row only."""
    schema = "CREATE TABLE arvo (localId, project, fix_commit, repo_addr, crash_output)"
    good = {"localId": 1, "project": "brook", "fix_commit": FIX, "repo_addr": URL}
    path = database(
        tmp_path / "arvo.db",
        schema,
        {**good, "localId": 4, "crash_output": "x" * (17 << 20)},
        {**good, "localId": None},
        {**good, "localId": 2, "fix_commit": b"\xff\xfe"},
        {**good, "project": b"\xff"},
        {**good, "localId": 3},
    )
    found = read(path)
    assert [case_of(f).id for f in found if isinstance(f, Imported)] == ["3"]
    reasons = [f"{f.id}: {f.reason}" for f in found if isinstance(f, Rejected)]
    assert [text.partition(":")[0] for text in reasons] == ["arvo.db[1]", "arvo.db[2]", "2", "1"]
    assert "too big" in reasons[0]


HOSTILE = {
    "a view": "CREATE TABLE t (localId); CREATE VIEW arvo AS SELECT * FROM t",
    "a virtual table": "CREATE VIRTUAL TABLE arvo USING fts5(localId)",
    "another table": "CREATE TABLE other (localId)",
    "no id": "CREATE TABLE arvo (project)",
    "no rowid": "CREATE TABLE arvo (localId PRIMARY KEY) WITHOUT ROWID",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_database_of_another_form_is_refused(tmp_path: Path, name: str) -> None:
    path = database(tmp_path / "arvo.db", HOSTILE[name])
    with pytest.raises(TaskError, match=r"arvo\.db: "):
        read(path)


def test_columns_that_compute_are_not_read(tmp_path: Path) -> None:
    schema = f"CREATE TABLE arvo (localId, project AS ('b'), fix_commit AS ('{FIX}'), repo_addr)"
    path = database(tmp_path / "arvo.db", schema, {"localId": 1, "repo_addr": URL})
    assert [reason(found) for found in read(path)] == ["fix commit: missing"]


def test_a_statement_is_ended_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.building.cases.importers import arvo_sqlite

    path = database(tmp_path / "arvo.db", f"CREATE TABLE arvo ({ALL})", row())
    monkeypatch.setattr(arvo_sqlite, "SECONDS", 0.0)
    monkeypatch.setattr(arvo_sqlite, "STEPS", 1)
    with pytest.raises(TaskError, match=r"arvo\.db: interrupted"):
        read(path)


def test_a_corrupt_database_is_one_line(tmp_path: Path) -> None:
    path = database(tmp_path / "arvo.db", f"CREATE TABLE arvo ({ALL})", row())
    data = bytearray(path.read_bytes())
    data[100:2000] = b"\xff" * 1900
    path.write_bytes(data)
    with pytest.raises(TaskError, match=r"arvo\.db: "):
        read(path)


def test_a_database_is_only_read_and_its_journal_is_told_of(tmp_path: Path) -> None:
    path = database(tmp_path / "arvo.db", f"CREATE TABLE arvo ({ALL})", row())
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = WAL")
    before = path.read_bytes()
    (tmp_path / "arvo.db-wal").write_bytes(b"x" * 100)
    lost, found = read(path)
    assert "not in the database yet" in reason(lost)
    assert case_of(found).id == "25402"
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arvo.db", "arvo.db-wal"]
