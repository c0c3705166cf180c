"""A property is followed like a call, and a class with methods named for HTTP's verbs answers requests."""

from __future__ import annotations

from arena.tracks.exposure.flow.reading import read

PROPERTY = """class Ping:
    def __init__(self, host):
        self.host = host
    @property
    def command(self):
        return "ping " + self.host
print(Ping(input()).command)
"""
VERB = """import web
class Hello:
    def GET(self, name):
        return name
"""


def test_the_value_of_a_property_holds_the_data_of_its_function() -> None:
    printed = next(read(PROPERTY).calls_of("print"))
    assert [flow.source.kind for flow in printed.arguments[0].untrusted_flows] == ["input"]


def test_a_method_named_for_a_verb_is_a_handler_whatever_its_class() -> None:
    (returned,) = read(VERB).returns
    assert returned.handler
    assert [flow.source.kind for flow in returned.value.untrusted_flows] == ["route"]


def test_bool_of_constants_is_known() -> None:
    printed = next(read("print(bool(None), bool('x'))").calls_of("print"))
    assert [one.constants for one in printed.arguments] == [{False}, {True}]


def kinds(program: str) -> list[str]:
    """Kinds of the untrusted sources that reach print."""
    printed = next(read(program).calls_of("print"))
    return [flow.source.kind for flow in printed.arguments[0].untrusted_flows]


def test_a_value_that_a_request_gives_as_a_number_is_no_text() -> None:
    program = "from flask import request\nprint(request.args.get('n'{}))"
    assert kinds(program.format("")) == ["request"]
    assert kinds(program.format(", type=int")) == []


def test_fields_of_a_window_and_the_environment_of_a_gateway_are_sources() -> None:
    assert kinds("import tkinter\nprint(tkinter.Entry().get())") == ["input"]
    assert kinds("def app(environ, start_response):\n    print(environ['PATH_INFO'])") == [
        "request"
    ]


def test_options_that_are_not_known_are_told() -> None:
    program = "def make(**options):\n    print({}**options)"
    (unknown,) = read(program.format("")).calls_of("print")
    assert set(unknown.keywords) == {""}


def test_the_answer_to_an_error_is_a_response() -> None:
    program = "@app.errorhandler(404)\ndef missing(error):\n    return str(error)"
    (returned,) = read(program).returns
    assert (returned.handler, returned.value.untrusted_flows) == (True, ())


def test_what_a_call_made_sure_of_holds_for_the_call_that_it_is_an_argument_of() -> None:
    program = (
        "import re\ndef checked(x):\n    if not re.fullmatch('[a-z]+', x):\n        raise ValueError\n"
        "    return x\nprint('ping ' + checked(input()))"
    )
    printed = next(read(program).calls_of("print"))
    assert [check.holds for check in printed.checks if "re.fullmatch" in check.name] == [True]
