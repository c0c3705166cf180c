"""Flask itself, its helpers as bare names that work outside a request, and sensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import cut, spy
from arena.tracks.mutation.runner.mocks._text import holds

HELPERS = (
    "redirect",
    "url_for",
    "jsonify",
    "make_response",
    "abort",
    "flash",
    "render_template_string",
)
MAX_BODY = 1500
Patch = tuple[Any, str, Any]

_HOME = "http://localhost"


class Plain:
    """An object with attributes that can be set, and the methods that programs call on a request."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def get_json(self, force: bool = False, silent: bool = False, cache: bool = True) -> Any:
        return vars(self).get("json")

    def get_id(self) -> str:
        return str(vars(self).get("id"))


class WebSession(dict[str, Any]):
    """A session outside a request."""

    modified = False
    permanent = False


def plain_request() -> Plain:
    """What `request` is outside a request, with SecMutBench's values."""
    return Plain(
        args={"id": "1", "name": "test"},
        form={"username": "testuser", "password": "testpass"},
        json={"key": "value"},
        data=b"{}",
        headers={"Content-Type": "application/json", "Authorization": "Bearer token123"},
        cookies={"session_id": "abc123"},
        files={},
        values={},
        method="GET",
        path="/",
        url=f"{_HOME}/",
        base_url=_HOME,
        host="localhost",
        remote_addr="127.0.0.1",
        is_secure=False,
        user_agent=Plain(string="Mozilla/5.0 TestAgent"),
    )


def plain_user() -> Plain:
    return Plain(
        id=1,
        username="testuser",
        email="test@example.com",
        is_authenticated=True,
        is_admin=False,
        is_active=True,
        is_anonymous=False,
    )


def login_required(function: Any) -> Any:
    """Marks a function, as SecMutBench's: a program without the mark lost its decorator."""
    function._requires_auth = True
    return function


def csrf_exempt(function: Any) -> Any:
    return function


def within(app: Any, helper: Callable[..., Any]) -> Callable[..., Any]:
    """A helper of Flask's that opens a context where it is missing."""
    import flask

    @functools.wraps(helper)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if flask.has_app_context():
            return helper(*args, **kwargs)
        with app.test_request_context():
            return helper(*args, **kwargs)

    return wrapper


def url_for(app: Any) -> Callable[..., Any]:
    """`url_for`, which outside an application context returns the endpoint's name as a path."""
    import flask

    @functools.wraps(flask.url_for)
    def wrapper(endpoint: str, **values: Any) -> Any:
        return flask.url_for(endpoint, **values) if flask.has_app_context() else f"/{endpoint}"

    return wrapper


def render_template(template: Any, **context: Any) -> str:
    """A page that names its template: programs here have no folder of templates."""
    import flask

    if flask.has_app_context():
        return flask.render_template(template, **context)
    return f"<html>{template}</html>"


def bare_names(app: Any) -> dict[str, Any]:
    """What programs use without importing it."""
    import flask
    from werkzeug.local import LocalProxy

    outside = {"request": plain_request(), "session": WebSession(), "g": Plain()}

    def proxy(name: str, has: Callable[[], bool]) -> Any:
        inside = getattr(flask, name)

        def current() -> Any:
            return inside._get_current_object() if has() else outside[name]

        # Looked up at each use: the same name is a plain object outside of a request and Flask's inside.
        return LocalProxy(current)

    names = {name: within(app, getattr(flask, name)) for name in HELPERS}
    contexts = {"request": flask.has_request_context, "session": flask.has_request_context}
    names |= {name: proxy(name, has) for name, has in contexts.items()}
    names |= {"g": proxy("g", flask.has_app_context), "url_for": url_for(app)}
    return names | {
        "flask": flask,
        "Flask": flask.Flask,
        "Response": flask.Response,
        "render_template": render_template,
        "current_user": plain_user(),
        "login_required": login_required,
        "csrf_exempt": csrf_exempt,
        "app": app,
    }


def patch_templates(log: Log) -> Patch:
    """Every template from a text comes by here, Flask's too."""
    import jinja2

    real = jinja2.Environment.from_string

    def record_template(self: Any, source: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(source, str) and holds(source, log.arguments()):
            log.event("template.evaluated", cut(source))

    return jinja2.Environment, "from_string", spy(real, record_template)


def request_values(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    """What a request of a test client is called, and the values in it that an attacker may choose."""
    path = kwargs.get("path", args[0] if args else "/")
    parts = urlsplit(path if isinstance(path, str) else "/")
    pieces = [unquote(piece) for piece in parts.path.split("/") if piece]
    options = [kwargs.get(name) for name in ("query_string", "data", "json", "headers")]
    query = [value for _, value in parse_qsl(parts.query, keep_blank_values=True)]
    return f"{kwargs.get('method', 'GET')} {path}", (pieces, query, *options)


def patch_requests(log: Log) -> Patch:
    """A request of a test client is a call into the program."""
    from flask.testing import FlaskClient

    real = FlaskClient.open

    @functools.wraps(real)
    def open_request(self: Any, *args: Any, **kwargs: Any) -> Any:
        name, values = request_values(args, kwargs)
        with log.call(cut(name), cut(repr((args, kwargs))), values) as call:
            response = real(self, *args, **kwargs)
            whole = response.content_length is not None  # what streams may never end
            body = response.get_data()[:MAX_BODY] if whole else b""
            shown = body.decode("utf-8", "replace")
            call.record_return(f"{response.status_code} {shown}")
            return response

    return FlaskClient, "open", open_request


def not_serving(app_class: Any) -> Patch:
    """`Flask.run` starts no server."""

    @functools.wraps(app_class.run)
    def run(
        self: Any, host: Any = None, port: Any = None, debug: Any = None, *more: Any, **options: Any
    ) -> None:
        self.config["DEBUG"] = bool(debug)
        self._using_https = options.get("ssl_context") is not None

    return app_class, "run", run


def PLUGIN(log: Log) -> Supplied:
    """Flask's bare names and sensors."""
    import flask

    app = flask.Flask("program")
    app.config.update(SECRET_KEY="test", TESTING=True)  # noqa: S106 - a stand-in
    patches = (patch_templates(log), patch_requests(log), not_serving(flask.Flask))
    return Supplied(names=bare_names(app), patches=patches)


_T = "def page(name):\n    return render_template_string({})\n"
_A = (
    "from flask import Flask, request\nweb = Flask('web')\n@web.route('/hello')\ndef hello():\n"
    "    return 'hello ' + request.args['name']\n"
    "def ask():\n    return web.test_client().get('/hello?name=you').text\n"
)
EXAMPLES = (
    MockExample(
        _T.format("'hi ' + name"), "page('{{ 7 * 7 }}')", ("template.evaluated",), result="hi 49"
    ),
    MockExample(
        _T.format("'hi {{ n }}', n=name"),
        "page('{{ 7 * 7 }}')",
        (),
        ("template.evaluated",),
        result="hi {{ 7 * 7 }}",
    ),
    MockExample(_A, "ask()", result="hello you"),
    MockExample(
        "def who():\n    return (current_user.username, request.method)\n",
        "who()",
        result=("testuser", "GET"),
    ),
    MockExample("def go():\n    return redirect('/in').location\n", "go()", result="/in"),
    MockExample("def stop():\n    abort(403)\n", "stop()", raises="Forbidden"),
)
