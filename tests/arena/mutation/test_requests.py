"""Requests to try on a Flask app: its rules, the fields they read, and attacks in each of them."""

from __future__ import annotations

import ast
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.oracle.requests import MAX_FIELDS, app_of, requests_to_try, rules

SHOP = """
from flask import Flask, request

app = Flask(__name__)


@app.route("/items/<int:number>", methods=["GET", "PUT"])
def item(number):
    return request.args.get("unit", "kg")


@app.post("/notes/<title>")
def note(title):
    request.headers["X-Token"]
    return request.form["comment"] + request.get_json()["color"]


@app.get("/files/<path:name>")
def file(name):
    return name


def helper(mapping):
    return mapping["unread"]
"""


def tried(source: str, attacks: dict[str, tuple[str, ...]] | None = None) -> list[str]:
    return list(requests_to_try(ast.parse(source), "app", attacks or {}))


def test_rules_with_their_methods_and_fields() -> None:
    found = {(rule.path, rule.method): rule for rule in rules(ast.parse(SHOP))}
    assert list(found) == [
        ("/items/<int:number>", "GET"),
        ("/items/<int:number>", "PUT"),
        ("/notes/<title>", "POST"),
        ("/files/<path:name>", "GET"),
    ]
    assert found["/items/<int:number>", "GET"].fields == {"query_string": ["unit"]}
    note = found["/notes/<title>", "POST"]
    assert (note.fields, note.headers) == ({"data": ["comment"], "json": ["color"]}, ["X-Token"])
    assert found["/files/<path:name>", "GET"].fields == {}


def test_a_post_that_reads_nothing_itself_gets_all_fields_of_the_program() -> None:
    source = "@app.post('/a')\ndef a():\n    return read()\n\ndef read():\n    return request.form['x']\n"
    assert [rule.fields for rule in rules(ast.parse(source))] == [{"data": ["x"]}]
    reading = source.replace("post", "get")
    assert [rule.fields for rule in rules(ast.parse(reading))] == [{}]


@pytest.mark.parametrize(
    "decorator",
    ["@app.route", "@app.route(PATH)", "@app.before_request()", "@cached('/x')", "@app.get()"],
)
def test_no_rule(decorator: str) -> None:
    assert rules(ast.parse(f"{decorator}\ndef f():\n    pass\n")) == []


def test_fields_of_a_hostile_program_are_few() -> None:
    body = "".join(f"    request.form['f{n}']\n" for n in range(500))
    rule = rules(ast.parse(f"@app.post('/a')\ndef f():\n{body}"))[0]
    assert [len(names) for names in rule.fields.values()] == [MAX_FIELDS]


def test_ordinary_requests_come_first() -> None:
    assert tried(SHOP)[:3] == [
        "app.test_client().open('/items/1', method='GET', query_string={'unit': 'alice'})",
        "app.test_client().open('/items/1', method='PUT', query_string={'unit': 'alice'})",
        "app.test_client().open('/notes/hello', method='POST', data={'comment': 'hello'},"
        " json={'color': 'alice'})",
    ]


def test_one_attack_at_a_time_in_every_place() -> None:
    attacked = [r for r in tried(SHOP, {"text": ("'<i>'",)}) if "<i>" in r or "%3C" in r]
    assert [r for r in attacked if "/notes" in r] == [
        "app.test_client().open('/notes/hello', method='POST', data={'comment': '<i>'},"
        " json={'color': 'alice'})",
        "app.test_client().open('/notes/hello', method='POST', data={'comment': 'hello'},"
        " json={'color': '<i>'})",
        "app.test_client().open('/notes/%3Ci%3E', method='POST', data={'comment': 'hello'},"
        " json={'color': 'alice'})",
        "app.test_client().open('/notes/hello', method='POST', data={'comment': 'hello'},"
        " json={'color': 'alice'}, headers={'X-Token': '<i>'})",
    ]


def test_a_path_keeps_its_slashes_only_where_the_rule_takes_them() -> None:
    attacked = tried(SHOP, {"text": ("'../up'",)})
    assert any("'/files/../up'" in request for request in attacked)
    assert any("'/notes/..%2Fup'" in request for request in attacked)
    assert any("'/items/1'" in request for request in attacked), "an <int:> stays a number"


def test_a_header_takes_no_line_break() -> None:
    broken = [r for r in tried(SHOP, {"text": (r"'a\nb'",)}) if "headers" in r]
    assert broken == []


@pytest.mark.slow
def test_attacks_that_are_no_texts_are_left_out() -> None:
    attacked = tried(SHOP, {"text": ("_guest()", "7", "b'raw'", "('")})
    assert attacked[:4] == attacked, "ordinary requests alone"


def test_the_app_is_a_name_or_what_makes_it() -> None:
    def arguments(maker: ast.FunctionDef) -> str:
        return ", ".join(["None"] * len(maker.args.args))

    assert app_of(ast.parse("import flask\nsite = flask.Flask('x')\n"), arguments) == "site"
    factory = "def create(db):\n    app = Flask(__name__)\n    return app\n"
    assert app_of(ast.parse(factory), arguments) == "create(None)"
    assert app_of(ast.parse("app = Bottle()\n"), arguments) == ""


TEXTS = st.text(max_size=30)


@given(TEXTS, TEXTS, st.sampled_from(["form", "args", "headers", "get_json()"]))
def test_every_request_is_one_expression(path: str, value: str, place: str) -> None:
    """Rules come from hostile programs, and attacks from anywhere."""
    source = f"@app.post({path!r})\ndef f(a):\n    return request.{place}[{value!r}]\n"
    for request in islice(requests_to_try(ast.parse(source), "app", {"text": (repr(value),)}), 20):
        assert isinstance(ast.parse(request, mode="eval").body, ast.Call)
