import sqlite3

import pytest


@pytest.fixture
def job(tmp_path):
    return CustomerImport(sqlite3.connect(":memory:"), tmp_path)


def put(job, *rows, head="email,name,credit"):
    (job.store / "new.csv").write_text("\n".join([head, *rows]) + "\n")
    return job.run("new.csv")


def test_all_good(job):
    report = put(job, "a@x.example,Ada,100", "b@x.example,Bob,0")
    assert (report.imported, report.problems, report.fatal) == (2, [], None), f"unexpected: {report}"
    rows = job.db.execute("SELECT email, credit, score FROM crm_customers ORDER BY email").fetchall()
    assert rows[0] == ("a@x.example", 100, 1.0), "rows are stored with their score"


def test_mistakes_are_explained(job):
    report = put(job, "a@x.example,Ada,1", "b@x.example,,2", "c@x.example,Cy,many", "a@x.example,Ann,3", "d@x.example,Di,-1")
    assert report.imported == 1, "one row is good"
    assert [p.line for p in report.problems] == [3, 4, 5, 6], "the lines are told"
    assert "name" in report.problems[0].message, "the missing field is told"
    assert len(render(report).splitlines()) == 5, "each problem has a line"


def test_file_is_missing_or_odd(job):
    assert job.run("gone.csv").fatal, "a missing file is told"
    assert put(job, "1,2", head="a,b").fatal, "odd columns are told"


def test_reference_is_logged(job, caplog):
    job.rate = lambda name, credit: 1 / 0
    report = put(job, "a@x.example,Ada,1")
    words = report.problems[0].message.replace(".", " ").split()
    assert any(w in caplog.text for w in words if len(w) == 8 and w.isalnum()), "the reference is in the log"
