"""What a reading tells of small programs: paths, flows, text, checks, handlers."""

from __future__ import annotations

import textwrap

import pytest

from arena.tracks.exposure.flow.facts import CallFact, NotPython, ProgramFacts
from arena.tracks.exposure.flow.reading import compile_program, read

FLASK = "from flask import Flask, request\nimport os\napp = Flask(__name__)\n"


def reading(program: str, head: str = "") -> ProgramFacts:
    return read(head + textwrap.dedent(program))


def only(facts: ProgramFacts, *paths: str) -> CallFact:
    (call,) = facts.calls_of(*paths)
    return call


def sources_of(call: CallFact, position: int = 0) -> set[tuple[str, str]]:
    return {
        (flow.source.kind, flow.source.name) for flow in call.arguments[position].untrusted_flows
    }


@pytest.mark.parametrize(
    ("imported", "called"),
    [
        ("import os", "os.system"),
        ("import os as o", "o.system"),
        ("from os import system", "system"),
        ("from os import system as s", "s"),
        ("import os; f = os.system", "f"),
        ("import os; k = os", "k.system"),
        ("", "os.system"),
        ("from os import *", "system"),
    ],
)
def test_a_call_has_its_path_however_it_is_named(imported: str, called: str) -> None:
    assert only(read(f"{imported}\n{called}('ls')\n"), "os.system").line == 2


@pytest.mark.parametrize(
    "command",
    [
        "'ping ' + host",
        "'ping %s' % host",
        "'ping %s %s' % ('-c', host)",
        "'ping %(h)s' % {'h': host}",
        "'ping {}'.format(host)",
        "'ping {h}'.format(h=host)",
        "f'ping {host}'",
        "' '.join(['ping', host])",
        "'ping HOST'.replace('HOST', host)",
        "['ping ' + host][0]",
        "{'c': 'ping ' + host}['c']",
        "'ping ' + host.strip().lower()",
        "'ping ' + str(host)",
        "'ping ' + (host or 'localhost')",
        "(lambda h: 'ping ' + h)(host)",
        "''.join(c for c in host)",
        "'ping ' + host[:20]",
        "'ping ' + host if host else 'true'",
    ],
)
def test_data_of_a_request_is_followed_into_text(command: str) -> None:
    program = f"""
    @app.route("/ping")
    def ping():
        host = request.args.get("host")
        os.system({command})
    """
    call = only(reading(program, FLASK), "os.system")
    assert sources_of(call) == {("request", "request.args.get('host')")}


@pytest.mark.parametrize(
    "command", ["'ping %d' % n", "f'ping {n:d}'", "'ping {:d}'.format(n)", "'ping ' + str(int(n))"]
)
def test_what_can_only_be_a_number_is_no_data(command: str) -> None:
    program = f"def f():\n    n = request.args['n']\n    os.system({command})\n"
    assert not sources_of(only(reading(program, FLASK), "os.system"))


def test_text_is_kept_in_pieces() -> None:
    program = "def f(h):\n    q = 'a' + h\n    q += 'b'\n    os.system(f'{q}c')\n"
    pieces = only(reading(program, FLASK), "os.system").arguments[0].pieces
    assert [(one.texts, bool(one.flows)) for one in pieces] == [
        (("a",), False),
        ((), True),
        (("b",), False),
        (("c",), False),
    ]


def test_constants_are_folded() -> None:
    program = """
    import stat
    MODE = stat.S_IRUSR | stat.S_IWUSR
    os.chmod("f", MODE)
    os.chmod("f", int("644", 8) & ~0o044)
    """
    found = [call.arguments[1].numbers for call in reading(program, FLASK).calls_of("os.chmod")]
    assert found == [(0o600,), (0o600,)]


def test_each_key_of_a_request_is_a_source_of_its_own() -> None:
    program = """
    def f():
        data = request.get_json()
        os.system(data["a"])
        os.remove(data["b"])
    """
    facts = reading(program, FLASK)
    assert sources_of(only(facts, "os.system")) == {("request", "data['a']")}
    assert sources_of(only(facts, "os.remove")) == {("request", "data['b']")}


def test_route_arguments_are_sources_but_for_numbers() -> None:
    program = """
    @app.route("/<int:count>/<name>")
    def f(count, name):
        os.system(name)
        os.remove(count)
    """
    facts = reading(program, FLASK)
    assert sources_of(only(facts, "os.system")) == {("route", "name")}
    assert not sources_of(only(facts, "os.remove"))
    assert facts.returns == ()


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        ("run('localhost')", "parameter"),
        ("", "parameter"),
        ("run(input())", "input"),
        ("run(sys.argv[1])", "argv"),
        ("run(request.form['h'])", "request"),
    ],
)
def test_a_parameter_is_a_source_unless_the_program_says_what_it_is(use: str, kind: str) -> None:
    program = f"import sys\ndef run(host):\n    os.system('ping ' + host)\n{use}\n"
    calls = list(read(FLASK + program).calls_of("os.system"))
    assert {kind for call in calls for kind, _ in sources_of(call)} == {kind}


def test_a_helper_that_is_only_called_with_clean_data_is_clean() -> None:
    program = """
    def run(host):
        os.system("ping " + host)
    def view():
        run(str(int(request.args["n"])))
    """
    assert not sources_of(only(reading(program, FLASK), "os.system"))


def test_what_data_went_through_is_kept() -> None:
    program = """
    import html
    from markupsafe import escape as e
    def f():
        os.system(html.escape(request.args["a"]))
        os.remove(e(request.args["b"].strip()))
        os.mkdir(clean(request.args["c"]))
    """
    facts = reading(program, FLASK)

    def through(path: str) -> frozenset[str]:
        (flow,) = only(facts, path).arguments[0].flows
        return flow.through

    assert through("os.system") == {"html.escape"}
    assert through("os.remove") == {".strip", "markupsafe.escape"}
    assert through("os.mkdir") == {"?clean"}


CHECKED = [
    "if host not in ALLOWED:\n        return 'no'\n    os.system(host)",
    "if host in ALLOWED:\n        os.system(host)",
    "if not (host in ALLOWED):\n        raise ValueError\n    os.system(host)",
    "ok = host in ALLOWED\n    if not ok:\n        abort(400)\n    os.system(host)",
    "if not host or host not in ALLOWED:\n        return ''\n    os.system(host)",
    "assert host in ALLOWED\n    os.system(host)",
    "os.system(host) if host in ALLOWED else None",
    "host in ALLOWED and os.system(host)",
    "while host in ALLOWED:\n        os.system(host)",
    "for h in [host]:\n        if h not in ALLOWED:\n            continue\n        os.system(h)",
    "if allowed(host):\n        os.system(host)",
    "if not allowed(host):\n        return\n    os.system(host)",
    "check(host)\n    os.system(host)",
    "if host == 'a' or host == 'b':\n        os.system(host)",
    "if host != 'a' and host != 'b':\n        return\n    os.system(host)",
    "if all(h in ALLOWED for h in [host]):\n        os.system(host)",
    "match host:\n        case 'a' | 'b':\n            os.system(host)",
]
HELPERS = """
ALLOWED = {"a", "b"}
def allowed(h):
    return h in ALLOWED
def check(h):
    if h not in ALLOWED:
        raise ValueError(h)
"""


@pytest.mark.parametrize("body", CHECKED)
def test_what_guards_a_call_is_known(body: str) -> None:
    program = f"{HELPERS}\ndef f():\n    host = request.args['h']\n    {body}\n"
    calls = list(read(FLASK + program).calls_of("os.system"))
    assert calls
    for call in calls:
        assert any(
            check.operator == "in" and check.holds and check.about(call.arguments[0])
            for check in call.checks
        ), body


UNCHECKED = [
    "if host in ALLOWED:\n        print(host)\n    os.system(host)",
    "if host not in ALLOWED:\n        print(host)\n    os.system(host)",
    "if host in ALLOWED or host:\n        os.system(host)",
    "if other in ALLOWED:\n        os.system(host)",
    "if host not in ALLOWED:\n        os.system(host)",
    "for h in [host]:\n        if h not in ALLOWED:\n            continue\n    os.system(host)",
    "try:\n        assert host in ALLOWED\n    except AssertionError:\n        pass\n    os.system(host)",
    "print(host in ALLOWED)\n    os.system(host)",
]


@pytest.mark.parametrize("body", UNCHECKED)
def test_what_does_not_guard_a_call_is_not_taken_for_it(body: str) -> None:
    program = f"{HELPERS}\ndef f(other):\n    host = request.args['h']\n    {body}\n"
    calls = list(read(FLASK + program).calls_of("os.system"))
    assert calls
    assert not any(
        check.operator == "in" and check.holds and check.about(call.arguments[0])
        for call in calls
        for check in call.checks
    ), body


def test_a_call_that_came_back_is_known() -> None:
    program = """
    import ipaddress
    def f():
        host = request.args["h"]
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return "no"
        os.system(host)
    """
    call = only(reading(program, FLASK), "os.system")
    (check,) = [one for one in call.checks if one.operator == "returned"]
    assert check.name == {"ipaddress.ip_address"}
    assert check.about(call.arguments[0])


def test_a_match_that_is_not_none_is_a_match() -> None:
    program = """
    import re
    def f():
        host = request.args["h"]
        m = re.fullmatch("[a-z]+", host)
        if m is None:
            return "no"
        os.system(host)
    """
    call = only(reading(program, FLASK), "os.system")
    assert any("re.fullmatch" in check.name and check.holds for check in call.checks)


def test_objects_keep_what_they_are_given() -> None:
    program = """
    class Pinger:
        def __init__(self, tool):
            self.tool = tool
            self.host = request.args["h"]
        def run(self):
            os.system(self.tool + self.host)
    Pinger("ping ").run()
    """
    call = only(reading(program, FLASK), "os.system")
    assert sources_of(call) == {("request", "request.args['h']")}
    assert call.arguments[0].pieces[0].texts == ("ping ",)


@pytest.mark.parametrize(
    "program",
    [
        "@app.route('/')\ndef f():\n    return request.args['n']",
        "class V(MethodView):\n    def get(self):\n        return request.args['n']",
        "def f():\n    return request.args['n']\napp.add_url_rule('/', view_func=f)",
        "def f(request):\n    return request.GET['n']",
        "@app.get('/hello')\nasync def f(n: str):\n    return n",
        "class H(tornado.web.RequestHandler):\n    def get(self):\n        return self.get_argument('n')",
    ],
)
def test_what_a_handler_returns_is_a_response(program: str) -> None:
    (response,) = read(FLASK + "import tornado.web\n" + program + "\n").returns
    assert response.handler
    assert response.value.untrusted_flows


def test_members_of_an_archive_come_from_it() -> None:
    program = """
    import tarfile
    with tarfile.open("a.tar") as tar:
        for member in tar.getmembers():
            if member.name.startswith("/"):
                raise ValueError
            tar.extract(member)
    """
    call = only(reading(program), "tarfile.open().extract")
    assert any(check.name and check.about(call.receiver) for check in call.checks)


def test_recursion_ends() -> None:
    facts = read("def f(x):\n    return f(x + 'a')\nf('b')\n")
    assert not facts.cut


def test_what_does_not_compile_is_refused_with_its_line() -> None:
    with pytest.raises(NotPython) as caught:
        compile_program("x = 1\nreturn x\n")
    assert caught.value.line == 2
    with pytest.raises(NotPython):
        compile_program("print 'hello'\n")
    with pytest.raises(NotPython) as nowhere:
        compile_program("\0")
    assert "None" not in str(nowhere.value)


def test_bytes_are_read_in_their_own_encoding() -> None:
    facts = read("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    assert facts.assignments[0].value.texts == ("é",)
    assert "é" in facts.source


def test_an_object_made_with_constants_is_what_it_is() -> None:
    program = """
    class Client:
        def __init__(self, tool):
            self.tool = tool
        def run(self):
            os.system(self.tool)
    Client("uptime")
    """
    (call,) = reading(program, FLASK).calls_of("os.system")
    assert not call.arguments[0].untrusted_flows
    open_ = reading(program.replace('Client("uptime")', ""), FLASK)
    assert all(call.arguments[0].untrusted_flows for call in open_.calls_of("os.system"))
