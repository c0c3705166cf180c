import sqlite3

import pytest

TABLES = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, role TEXT, token TEXT);
CREATE TABLE courses (id INTEGER PRIMARY KEY, teacher INTEGER, title TEXT);
CREATE TABLE members (course INTEGER, pupil INTEGER);
CREATE TABLE notes (id INTEGER PRIMARY KEY, course INTEGER, pupil INTEGER, text TEXT);
INSERT INTO users VALUES (1, 'Tom', 'teacher', 't1'), (2, 'Pia', 'pupil', 'p2'), (3, 'Per', 'pupil', 'p3'), (4, 'Olga', 'office', 'o4'),
                         (51, 'Tea', 'teacher', 't5'), (5, 'Kai', 'pupil', 'p5'), (6, 'Pim', 'pupil', 'p6'), (7, 'Ned', 'pupil', '');
INSERT INTO courses VALUES (10, 1, 'canary violin'), (11, 51, 'canary flute');
INSERT INTO members VALUES (10, 2), (10, 3), (11, 6);
INSERT INTO notes VALUES (1, 10, 2, 'canary pia'), (2, 10, 3, 'canary per'), (3, 11, 6, 'canary pim');
"""


@pytest.fixture(scope="module")
def school():
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.executescript(TABLES)
    return base, create_app(base).test_client()


def rows(base):
    return [tuple(row) for table in ("users", "courses", "members", "notes") for row in base.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]


def refused(school, token, method, path, status=404):
    base, client = school
    before = rows(base)
    body = {"text": "spoiled", "name": "spoiled", "pupil": 2 if "/10" in path else 6}
    answer = client.open(path, method=method, json=None if method == "GET" else body, headers={"X-Token": token})
    assert "canary" not in answer.text, f"IDOR: {method} {path} tells {token!r} what belongs to others: {answer.text[:80]}"
    assert rows(base) == before, f"IDOR: {method} {path} by {token!r} changed what belongs to others"
    assert answer.status_code == status, f"IDOR: {method} {path} by {token!r} gave {answer.status_code}"


@pytest.mark.parametrize("token, course", [("t5", 10), ("p6", 10), ("t1", 11), ("p2", 11), ("p3", 11)])
def test_courses_of_others(school, token, course):
    refused(school, token, "GET", f"/courses/{course}")
    refused(school, token, "GET", f"/courses/{course}/notes")


@pytest.mark.parametrize("token", ["t5", "p2", "p3", "p6", "o4"])
def test_notes_are_the_teachers(school, token):
    refused(school, token, "POST", "/courses/10/notes")
    for note in (1, 2):
        refused(school, token, "PUT", f"/courses/10/notes/{note}")
        refused(school, token, "DELETE", f"/courses/10/notes/{note}")


@pytest.mark.parametrize("token", ["t1", "p2", "p5", "p6", "o4"])
def test_notes_of_the_other_teacher(school, token):
    refused(school, token, "POST", "/courses/11/notes")
    refused(school, token, "PUT", "/courses/11/notes/3")
    refused(school, token, "DELETE", "/courses/11/notes/3")


def test_office_does_not_see_notes(school):
    refused(school, "o4", "GET", "/courses/10/notes")


def test_note_belongs_to_its_course(school):
    for token, path in (("t5", "/courses/11/notes/1"), ("t5", "/courses/11/notes/2"), ("t1", "/courses/10/notes/3")):
        refused(school, token, "PUT", path)
        refused(school, token, "DELETE", path)


@pytest.mark.parametrize("token, seen", [("p2", ["canary pia"]), ("p3", ["canary per"]), ("t1", ["canary pia", "canary per"])])
def test_pupils_see_their_own_notes(school, token, seen):
    found = [note["text"] for note in school[1].get("/courses/10/notes", headers={"X-Token": token}).get_json()]
    assert found == seen, f"IDOR: {token} sees {found}"


@pytest.mark.parametrize("token, user_id", [("t1", 2), ("p2", 3), ("p2", 1), ("p3", 2), ("t5", 1), ("p6", 4), ("t1", 5), ("p2", 7)])
def test_accounts_of_others(school, token, user_id):
    refused(school, token, "GET", f"/users/{user_id}")
    refused(school, token, "PUT", f"/users/{user_id}")


@pytest.mark.parametrize("token", ["", "x", "T1", "t", "t1 x", "teacher", "1", "%", "' OR '1'='1"])
def test_unknown_tokens(school, token):
    for method, path in (("GET", "/courses/10"), ("GET", "/courses/10/notes"), ("DELETE", "/courses/10/notes/1"), ("GET", "/users/7"), ("PUT", "/users/7")):
        refused(school, token, method, path, 401)


def test_notes_about_pupils_of_other_courses(school):
    base, client = school
    before = rows(base)
    for pupil in (6, 1, 77, None, "2", [2]):
        answer = client.post("/courses/10/notes", json={"pupil": pupil, "text": "x"}, headers={"X-Token": "t1"})
        assert answer.status_code == 422, f"IDOR: a note about {pupil!r}, who is not in the course"
    assert rows(base) == before, "IDOR: a note was written"


def test_requests_do_not_say_who_one_is(school):
    for query in ("?user_id=1", "?token=t1", "?role=office"):
        refused(school, "p6", "GET", "/courses/10" + query)
        refused(school, "p6", "GET", "/users/2" + query)
