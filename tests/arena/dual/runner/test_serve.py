"""Shape "serve": requests as they are sent, answers as they come, and services that give none."""

from __future__ import annotations

import dataclasses
import json
import textwrap

import pytest

from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.orders import HANDLER, QUICK, RAW, serving

MIRROR = (
    HANDLER
    + """
import json
class Mirror(Handler):
    def do_GET(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode("utf-8", "replace")
        told = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
        self.say(json.dumps(told), Set_Cookie="s=1; Path=/; HttpOnly", X_Token="t-1")
    do_POST = do_PUT = do_GET
serve(Mirror)
"""
)


def test_requests_arrive_as_they_were_meant(runner: ProgramRunner) -> None:
    steps = (
        {"path": '/a b/é%41%zz"<\n', "query": {"q": "x&y", "l": ["1", "2"]}},
        {"path": "/raw/../é%zz", "raw": True, "headers": {"X-Own": "v", "host": "other"}},
        {"method": "POST", "path": "/form", "form": {"a": "1 2", "b": "é"}},
        {"method": "PUT", "path": "/json", "json": {"a": [None, "é"]}},
        {"method": "POST", "body": {"$bytes": "AAE="}, "headers": {"Content-Type": "x/y"}},
        {
            "method": "POST",
            "multipart": [
                {"name": "f", "filename": '../"x"\n.txt', "content": "data", "type": "text/plain"},
                {"name": "n", "content": "v"},
            ],
        },
    )
    seen = runner.run(serving(MIRROR, *steps))
    assert [s.status for s in seen.steps] == [200] * 6, seen.stderr
    told = [json.loads(s.body) for s in seen.steps]
    assert told[0]["path"] == "/a%20b/%C3%A9%41%25zz%22%3C%0A?q=x%26y&l=1&l=2"
    assert told[1]["path"].encode("latin-1").decode() == "/raw/../é%zz"
    assert (told[1]["headers"]["X-Own"], told[1]["headers"]["host"]) == ("v", "other")
    assert "Host" not in told[1]["headers"]
    assert told[2]["body"] == "a=1+2&b=%C3%A9"
    assert told[2]["headers"]["Content-Type"] == "application/x-www-form-urlencoded"
    assert json.loads(told[3]["body"]) == {"a": [None, "é"]}
    assert (told[4]["body"], told[4]["headers"]["Content-Type"]) == ("\x00\x01", "x/y")
    assert (
        'name="f"; filename="../%22x%22%0A.txt"\r\nContent-Type: text/plain\r\n\r\ndata\r\n'
        in told[5]["body"]
    )


def test_cookies_are_kept_and_saved_values_filled_in(runner: ProgramRunner) -> None:
    steps = (
        {"path": "/first", "save": {"t": "header:X-Token", "p": "/path", "none": "/no/such"}},
        {
            "path": "/${t}${p}",
            "headers": {"X-T": "${t}"},
            "method": "POST",
            "json": {"k": ["${p}", "${none}"]},
        },
    )
    seen = runner.run(serving(MIRROR, *steps))
    told = [json.loads(s.body) for s in seen.steps]
    assert "Cookie" not in told[0]["headers"] and told[1]["headers"]["Cookie"] == "s=1"
    assert (told[1]["path"], told[1]["headers"]["X-T"]) == ("/t-1/first", "t-1")
    assert json.loads(told[1]["body"]) == {"k": ["/first", "${none}"]}
    assert ("set-cookie", "s=1; Path=/; HttpOnly") in seen.steps[0].headers


def test_redirects_are_not_followed(runner: ProgramRunner) -> None:
    program = (
        HANDLER + "Handler.do_GET = lambda self: self.say('', 302, Location='/x')\nserve(Handler)"
    )
    step = runner.run(serving(program, {"path": "/"})).steps[0]
    assert (step.status, dict(step.headers)["location"], step.ended) == (302, "/x", ProcessEnded.OK)


def test_a_service_may_listen_elsewhere(runner: ProgramRunner) -> None:
    program = HANDLER + "Handler.do_GET = lambda self: self.say('here')\nserve(Handler, {})"
    for port in ("80", "5001"):
        step = runner.run(serving(program.replace("{}", port), {"path": "/"})).steps[0]
        assert (step.status, step.body) == (200, "here")
    six = RAW.replace('"127.0.0.1", int(os.environ["PORT"])', '"::1", 8123')
    six = six.replace("create_server(", "create_server(family=socket.AF_INET6, address=")
    answer = 'asked().sendall(b"HTTP/1.1 204 No\\r\\n\\r\\n")'
    assert runner.run(serving(six + answer, {"path": "/"})).steps[0].status == 204


NOT_STARTED = {
    "never-listens: 0.4 s of time are over": "import time; time.sleep(60)",
    "exited: exit status 7": "import sys; sys.exit(7)",
    "exited: signal 9": "import os; os.kill(os.getpid(), 9)",
    "exited: exit status 1": "def",
}


@pytest.mark.parametrize("why", NOT_STARTED)
def test_a_service_that_does_not_start(runner: ProgramRunner, why: str) -> None:
    limits = dataclasses.replace(QUICK, start=0.4 if "never" in why else 5.0)
    seen = runner.run(serving(NOT_STARTED[why], {"path": "/"}, limits=limits))
    assert (seen.ended, seen.why, seen.steps[0].ended) == (
        ProcessEnded.NO_START,
        why,
        ProcessEnded.NOT_RUN,
    )


ANSWERS = {
    "garbage": (
        "b'hello there, this is no HTTP at all'",
        ProcessEnded.DIED,
        "the answer is no HTTP/1.1",
    ),
    "a bad status": ("b'HTTP/1.1 abc\\r\\n\\r\\n'", ProcessEnded.DIED, "the answer is no HTTP/1.1"),
    "nothing": ("b''", ProcessEnded.DIED, "the connection ended before the end of the header"),
    "half": (
        "b'HTTP/1.1 200 OK\\r\\nContent-Length: 10\\r\\n\\r\\nabc'",
        ProcessEnded.DIED,
        "the connection ended within the body",
    ),
    "a bad length": (
        "b'HTTP/1.1 200 OK\\r\\nContent-Length: 1e3\\r\\n\\r\\nabc'",
        ProcessEnded.DIED,
        "a Content-Length of '1e3'",
    ),
    "an endless header": (
        "b'HTTP/1.1 200 OK\\r\\n' + b'X: y\\r\\n' * 100000",
        ProcessEnded.DIED,
        "a header of more than 65536 bytes",
    ),
    "a large body": (
        "b'HTTP/1.1 200 OK\\r\\nContent-Length: 100000000\\r\\n\\r\\n' + b'x' * 100000000",
        ProcessEnded.OUTPUT,
        "a body of more than 100000 bytes",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_that_are_none(runner: ProgramRunner, name: str) -> None:
    answer, ended, why = ANSWERS[name]
    program = RAW + textwrap.dedent(f"""
        connection = asked()
        try:
            connection.sendall({answer})
        except OSError:
            pass
        connection.close()
        asked().sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    """)
    limits = dataclasses.replace(QUICK, output=100_000)
    seen = runner.run(serving(program, {"path": "/"}, {"path": "/"}, limits=limits))
    assert (seen.steps[0].ended, seen.steps[0].text) == (ended, why)
    assert (seen.steps[1].ended, seen.steps[1].body) == (ProcessEnded.OK, "ok")
    assert len(seen.steps[0].body) <= 100_000 and seen.ended is ProcessEnded.OK


DRIPS = {
    "of a header": "b'HTTP/1.1 200 OK\\r\\nX-A: '",
    "of a body": "b'HTTP/1.1 200 OK\\r\\n\\r\\n'",
}


@pytest.mark.parametrize("name", DRIPS)
def test_an_answer_that_never_ends_is_cut_by_the_clock(runner: ProgramRunner, name: str) -> None:
    program = (
        RAW + f"c = asked()\nc.sendall({DRIPS[name]})\nwhile True: c.sendall(b'a'); time.sleep(.01)"
    )
    limits = dataclasses.replace(QUICK, seconds=0.4)
    seen = runner.run(serving(program, {"path": "/"}, {"path": "/"}, limits=limits))
    assert [s.ended for s in seen.steps] == [ProcessEnded.TIMEOUT, ProcessEnded.NOT_RUN]
    assert seen.ended is ProcessEnded.TIMEOUT


def test_a_service_that_dies_at_a_request(runner: ProgramRunner) -> None:
    program = RAW + "asked(); os._exit(5)"
    seen = runner.run(serving(program, {"path": "/"}, {"path": "/"}))
    assert [s.ended for s in seen.steps] == [ProcessEnded.DIED, ProcessEnded.NOT_RUN]
    assert seen.why == seen.steps[0].text == "the program ended: exit status 5"


def test_chunks_and_an_interim_answer(runner: ProgramRunner) -> None:
    answer = (
        r"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        r"3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n"
    )
    seen = runner.run(serving(RAW + f'asked().sendall(b"{answer}"); time.sleep(60)', {"path": "/"}))
    assert (seen.steps[0].status, seen.steps[0].body) == (200, "abc0123456789")


def test_what_a_service_prints_belongs_to_the_request(runner: ProgramRunner) -> None:
    program = HANDLER + (
        "def do(self):\n    print('got', self.path); self.say('x')\n"
        "Handler.do_GET = do\nprint('up')\nserve(Handler)"
    )
    seen = runner.run(serving(program, {"path": "/a"}, {"path": "/b"}))
    assert [s.stdout for s in seen.steps] == ["got /a\n", "got /b\n"]
    assert seen.stdout == "up\ngot /a\ngot /b\n"


def test_a_service_may_tidy_up_at_its_end(runner: ProgramRunner) -> None:
    program = HANDLER + textwrap.dedent("""
        import signal, sys
        def end(*_):
            open("end.txt", "w").write("x")
            sys.exit(0)
        signal.signal(signal.SIGTERM, end)
        Handler.do_GET = lambda self: self.say("x")
        serve(Handler)
    """)
    tries = (runner.run(serving(program, {"path": "/"})) for _ in range(10))
    assert any("/srv/app/end.txt" in seen.after for seen in tries), "it has a quarter of a second"
