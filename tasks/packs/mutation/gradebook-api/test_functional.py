import pytest

PEOPLE = {"k-t": {"id": "tess", "role": "teacher"}, "k-a": {"id": "abe", "role": "student"}, "k-b": {"id": "bea", "role": "student"}}
COURSES = {"maths": {"teacher": "tess", "students": ["abe", "bea"]}}


@pytest.fixture
def ask():
    client = create_app(PEOPLE, COURSES).test_client()
    return lambda method, path, token="k-t", **more: client.open(path, method=method, headers={"X-Token": token}, **more)


def test_grade_is_given_and_read(ask):
    assert ask("PUT", "/courses/maths/grades/abe", json={"grade": 2}).json == {"student": "abe", "grade": 2}, "given"
    assert ask("GET", "/courses/maths/grades/abe", "k-a").json == {"student": "abe", "grade": 2}, "read by the student"
    assert ask("GET", "/courses/maths/grades/bea").json["grade"] is None, "none yet"


def test_average(ask):
    assert ask("GET", "/courses/maths/average").json == {"average": None}, "no grades"
    for student, grade in (("abe", 1), ("bea", 2)):
        ask("PUT", f"/courses/maths/grades/{student}", json={"grade": grade})
    assert ask("GET", "/courses/maths/average", "k-b").json == {"average": 1.5}, "for students too"


@pytest.mark.parametrize("path, body, status", [("/courses/art/grades/abe", {"grade": 1}, 404), ("/courses/maths/grades/zoe", {"grade": 1}, 404),
                                                ("/courses/maths/grades/abe", {"grade": 7}, 400)])
def test_bad_requests(ask, path, body, status):
    assert ask("PUT", path, json=body).status_code == status, f"{path} {body}"


def test_students_give_no_grades(ask):
    assert ask("PUT", "/courses/maths/grades/abe", "k-a", json={"grade": 1}).status_code == 403, "not theirs to give"
    assert ask("GET", "/courses/maths/average", "k-x").status_code == 401, "unknown token"
