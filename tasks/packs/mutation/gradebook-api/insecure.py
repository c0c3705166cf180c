from flask import Flask, abort, g, jsonify, request


def create_app(people: dict[str, dict], courses: dict[str, dict]) -> Flask:
    app = Flask(__name__)
    grades: dict[tuple[str, str], int] = {}

    @app.before_request
    def identify() -> None:
        person = people.get(request.headers.get("X-Token", ""))
        if person is None:
            abort(401)
        g.person = person

    def find(course: str) -> dict:
        if course not in courses:
            abort(404)
        return courses[course]

    def teaches(course: dict) -> bool:
        return g.person["role"] == "teacher"

    def attends(course: dict) -> bool:
        return g.person["role"] == "student" and g.person["id"] in course["students"]

    def answer(course: str, student: str):
        return jsonify(student=student, grade=grades.get((course, student)))

    @app.put("/courses/<course>/grades/<student>")
    def put_grade(course: str, student: str):
        found = find(course)
        if not teaches(found):
            abort(403)
        if student not in found["students"]:
            abort(404)
        grade = (request.get_json(silent=True) or {}).get("grade")
        if type(grade) is not int or not 1 <= grade <= 6:
            abort(400)
        grades[course, student] = grade
        return answer(course, student)

    @app.get("/courses/<course>/grades/<student>")
    def get_grade(course: str, student: str):
        found = find(course)
        if not attends(found) and not teaches(found):
            abort(403)
        return answer(course, student)

    @app.get("/courses/<course>/average")
    def average(course: str):
        found = find(course)
        if not teaches(found) and not attends(found):
            abort(403)
        given = [n for (name, _), n in grades.items() if name == course]
        return jsonify(average=round(sum(given) / len(given), 2) if given else None)

    return app
