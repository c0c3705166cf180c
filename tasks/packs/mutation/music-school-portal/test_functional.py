import sqlite3

import pytest

TABLES = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, role TEXT, token TEXT);
CREATE TABLE courses (id INTEGER PRIMARY KEY, teacher INTEGER, title TEXT);
CREATE TABLE members (course INTEGER, pupil INTEGER);
CREATE TABLE notes (id INTEGER PRIMARY KEY, course INTEGER, pupil INTEGER, text TEXT);
INSERT INTO users VALUES (1, 'Tom', 'teacher', 't1'), (2, 'Pia', 'pupil', 'p2'), (3, 'Per', 'pupil', 'p3'), (4, 'Olga', 'office', 'o4');
INSERT INTO courses VALUES (10, 1, 'Violin');
INSERT INTO members VALUES (10, 2), (10, 3);
INSERT INTO notes VALUES (1, 10, 2, 'fine'), (2, 10, 3, 'late');
"""


@pytest.fixture
def client():
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.executescript(TABLES)
    return create_app(base).test_client()


def by(token):
    return {"X-Token": token}


def test_courses(client):
    for token in ("t1", "p2", "o4"):
        assert client.get("/courses/10", headers=by(token)).get_json() == {"title": "Violin", "pupils": [2, 3]}, token
    assert client.get("/courses/77", headers=by("t1")).status_code == 404, "no such course"
    assert client.get("/courses/10").status_code == 401, "no token"


def test_notes(client):
    made = client.post("/courses/10/notes", json={"pupil": 2, "text": "better"}, headers=by("t1"))
    assert (made.status_code, made.get_json()) == (201, {"id": 3, "pupil": 2, "text": "better"}), "a new note"
    assert client.put("/courses/10/notes/1", json={"text": "good"}, headers=by("t1")).get_json()["text"] == "good", "changed"
    assert client.delete("/courses/10/notes/2", headers=by("t1")).status_code == 204, "deleted"
    assert [n["text"] for n in client.get("/courses/10/notes", headers=by("t1")).get_json()] == ["good", "better"], "all of them"
    assert [n["id"] for n in client.get("/courses/10/notes", headers=by("p2")).get_json()] == [1, 3], "those about oneself"


def test_bad_notes(client):
    for body in ({"pupil": 1, "text": "x"}, {"pupil": 2}, {"pupil": "2", "text": "x"}, []):
        assert client.post("/courses/10/notes", json=body, headers=by("t1")).status_code == 422, f"{body}"


def test_users(client):
    assert client.get("/users/2", headers=by("p2")).get_json() == {"id": 2, "name": "Pia"}, "oneself"
    assert client.put("/users/2", json={"name": "Pia M."}, headers=by("o4")).get_json() == {"id": 2, "name": "Pia M."}, "the office"
    assert client.get("/users/77", headers=by("o4")).status_code == 404, "nobody"
