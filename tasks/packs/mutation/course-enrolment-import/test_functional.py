from datetime import date
from decimal import Decimal

import pytest

HEAD = "name,email,born,course,fee\n"


def test_two_rows():
    courses = {"pottery": 3, "chess": 1}
    rows = "Ada Lovelace,Ada@Example.org,1990-12-10,pottery,120.50\nBob O'Hara,bob@mail.example.com,2001-01-02,chess,0\n"
    found = EnrolmentImport(courses).load(HEAD + rows)
    assert [e.email for e in found] == ["ada@example.org", "bob@mail.example.com"], "addresses in lower case"
    assert found[0].born == date(1990, 12, 10) and found[0].fee == Decimal("120.50"), "typed fields"
    assert courses == {"pottery": 2, "chess": 0}, "places are taken"


def test_full_course_takes_nobody():
    courses = {"chess": 1}
    rows = "Ada,ada@example.org,1990-12-10,chess,10\nBob,bob@example.org,1990-12-10,chess,10\n"
    with pytest.raises(ImportProblem) as caught:
        EnrolmentImport(courses).load(HEAD + rows)
    assert caught.value.line == 3, "the line of the bad row is told"
    assert courses == {"chess": 1}, "all or nothing"


def test_second_load_knows_the_first():
    importer = EnrolmentImport({"chess": 5})
    importer.load(HEAD + "Ada,ada@example.org,1990-12-10,chess,10\n")
    with pytest.raises(ImportProblem):
        importer.load(HEAD + "Ada,ADA@example.org,1990-12-10,chess,10\n")
    assert len(importer.enrolled) == 1, "one enrolment"


def test_unknown_course():
    with pytest.raises(ImportProblem):
        EnrolmentImport({"chess": 5}).load(HEAD + "Ada,ada@example.org,1990-12-10,opera,10\n")
