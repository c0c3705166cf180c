import sqlite3
from contextlib import closing

from flask import Flask, abort, redirect, render_template_string, request

PAGE = """<!doctype html><title>Our wedding</title>
<form><input name="from" value="{{ chosen }}"></form>
{% if chosen %}<h2>{{ chosen }}</h2>{% endif %}
<ul>{% for guest, message in entries %}<li><b>{{ guest }}</b>: <q>{{ message }}</q></li>{% endfor %}</ul>
<script id="data" type="application/json">{{ data | tojson }}</script>
"""


def create_app(database: str) -> Flask:
    app = Flask(__name__)

    def run(statement: str, *values: str) -> list[tuple[str, str]]:
        with closing(sqlite3.connect(database)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    run("CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, guest TEXT, message TEXT)")

    @app.post("/entries")
    def write():
        guest = request.form.get("guest", "").strip()
        message = request.form.get("message", "").strip()
        if not 1 <= len(guest) <= 80 or not 1 <= len(message) <= 2000:
            abort(400)
        run("INSERT INTO entry (guest, message) VALUES (?, ?)", guest, message)
        return redirect("/", 303)

    @app.get("/")
    def show():
        chosen = request.args.get("from", "")
        if chosen:
            entries = run("SELECT guest, message FROM entry WHERE guest = ? ORDER BY id", chosen)
        else:
            entries = run("SELECT guest, message FROM entry ORDER BY id")
        data = {"count": len(entries), "guests": list(dict.fromkeys(guest for guest, _ in entries))}
        return render_template_string(PAGE, chosen=chosen, entries=entries, data=data)

    return app
