import pytest

PEOPLE = {
    "k-t": {"id": "tess", "role": "teacher"}, "k-u": {"id": "ulf", "role": "teacher"}, "k-a": {"id": "abe", "role": "student"},
    "k-b": {"id": "bea", "role": "student"}, "k-c": {"id": "cal", "role": "student"}, "k-s": {"id": "tess", "role": "student"},
    "k-p": {"id": "abe", "role": "parent"}, "k-q": {"id": "abe", "role": "teacher"}, "k-g": {"id": "tess", "role": "guest"},
    "k-n": {"id": "ab", "role": "student"}, "k-0": {"id": "zeno", "role": "user"},
    "k-w": {"id": "abe", "role": "user"}, "k-v": {"id": "abe", "role": "guest"}, "k-y": {"id": "tess", "role": ""}, "k-z": {"id": "tess", "role": "teacher-trainee"},
}
COURSES = {"maths": {"teacher": "tess", "students": ["abe", "bea"]}, "art": {"teacher": "ulf", "students": ["cal"]}}
PUTTING, READING, AVERAGING = {"k-t"}, {"k-t", "k-a"}, {"k-t", "k-a", "k-b"}


@pytest.fixture(scope="module")
def client():
    return create_app(PEOPLE, COURSES).test_client()


@pytest.fixture
def ask(client):
    ask = lambda method, path, token, **more: client.open(path, method=method, headers={"X-Token": token}, **more)
    ask("PUT", "/courses/maths/grades/abe", "k-t", json={"grade": 5})
    return ask


@pytest.mark.parametrize("token", PEOPLE)
def test_grades_are_given_by_the_courses_teacher(ask, token):
    status = ask("PUT", "/courses/maths/grades/abe", token, json={"grade": 1}).status_code
    assert (status == 200) == (token in PUTTING), f"{PEOPLE[token]} gives a grade: {status}"
    grade = ask("GET", "/courses/maths/grades/abe", "k-t").json["grade"]
    assert grade == (1 if token in PUTTING else 5), f"{PEOPLE[token]} changed the grade to {grade}"
    assert status in (200, 403), f"{PEOPLE[token]}: {status}"


@pytest.mark.parametrize("token", PEOPLE)
def test_a_grade_is_read_by_teacher_and_student(ask, token):
    reply = ask("GET", "/courses/maths/grades/abe", token)
    assert reply.status_code == (200 if token in READING else 403), f"{PEOPLE[token]} reads: {reply.status_code}"
    assert ("5" in reply.text and token in READING) or token not in READING, "the grade is told to who may"


@pytest.mark.parametrize("token", PEOPLE)
def test_the_average_is_for_the_course(ask, token):
    status = ask("GET", "/courses/maths/average", token).status_code
    assert status == (200 if token in AVERAGING else 403), f"{PEOPLE[token]} reads the average: {status}"


@pytest.mark.parametrize("token", ["", "k-", "tess", "k-tt", "None"])
@pytest.mark.parametrize("method, path", [("PUT", "/courses/maths/grades/abe"), ("GET", "/courses/maths/grades/abe"), ("GET", "/courses/maths/average")])
def test_unknown_tokens(ask, token, method, path):
    assert ask(method, path, token, json={"grade": 1}).status_code == 401, f"{token!r} is nobody's"


def test_refusal_tells_not_who_attends(ask):
    for student in ("abe", "zoe", "cal"):
        assert ask("PUT", f"/courses/maths/grades/{student}", "k-u", json={"grade": 1}).status_code == 403, student
        assert ask("GET", f"/courses/maths/grades/{student}", "k-c").status_code == 403, student


def test_each_course_is_judged_by_itself(ask):
    assert ask("PUT", "/courses/art/grades/cal", "k-t", json={"grade": 6}).status_code == 403, "teacher of maths in art"
    assert ask("PUT", "/courses/art/grades/cal", "k-u", json={"grade": 3}).status_code == 200, "teacher of art in art"
    assert ask("GET", "/courses/art/grades/cal", "k-a").status_code == 403, "student of maths in art"
