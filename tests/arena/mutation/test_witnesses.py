"""Witnesses: what counts as a successful attack, and what does not; and which lost refusals matter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.operators import all_operators
from arena.tracks.mutation.oracle.refusals import is_refusal
from arena.tracks.mutation.oracle.relevance import relevant
from arena.tracks.mutation.oracle.witnesses import WitnessSeen, witness
from arena.tracks.mutation.runner.events import KINDS
from arena.tracks.mutation.runner.facts import Event, MockCall


def call(
    arguments: str = "", returned: str | None = None, raised: str = "", text: str = ""
) -> MockCall:
    return MockCall("f", f"(({arguments!r},), {{}})", returned, raised, text)


def seen(
    mutant: MockCall, secure: MockCall, code: tuple[str, str] = ("", ""), **events: str
) -> WitnessSeen:
    told = {
        side: tuple(Event(*e.split(": ", 1)) for e in given.split(";") if e)
        for side, given in events.items()
    }
    return WitnessSeen(
        mutant, secure, told.get("on_mutant", ()), told.get("on_secure", ()), code[0], code[1]
    )


SCRIPT = "<script>alert(1)</script>"
DENIED = call("x", raised="PermissionError", text="no")

SHOWN = {
    "granted": [
        (seen(call("x", "'done'"), DENIED), True),
        (seen(call("x", "[]"), DENIED), True),
        (seen(call("x", "None"), DENIED), True),
        (seen(call("x", "{'error': 'denied'}"), DENIED), False),
        (seen(call("x", "('no', 403)"), DENIED), False),
        (seen(call("x", raised="KeyError"), DENIED), False),
        (seen(call("x", raised="OperationalError"), DENIED), True),  # beyond the guard
        (seen(call("x", raised="Refused"), DENIED, ("raise Refused('no')", "")), False),
        (seen(call("x", "True"), call("x", "False")), True),
        (seen(call("x", "[]"), call("x", "None")), False),
        (seen(call("x", "1"), call("x", raised="TypeError")), False),
        (seen(call("x", "1"), call("x", raised="TypeError"), ("", "raise TypeError('no')")), True),
    ],
    "html": [
        (seen(call(SCRIPT, f"'<p>{SCRIPT}</p>'"), call(SCRIPT, "'<p>&lt;script&gt;</p>'")), True),
        (seen(call(SCRIPT, f"'{SCRIPT}'"), call(SCRIPT, f"'{SCRIPT}'")), False),
        (seen(call("plain", "'<p>plain</p>'"), call("plain", "'plain'")), False),
    ],
    "line-break": [
        (seen(call("a\nforged", repr("x a\nforged")), call("a\nforged", "'x a forged'")), True),
        (seen(call("a\nforged", repr("x a\\nforged")), call("a\nforged", "'x'")), False),
    ],
    "offsite": [
        (seen(call("//evil.example", "'//evil.example'"), DENIED), True),
        (seen(call("/home", "'/home'"), DENIED), False),
        (
            seen(
                call("https://own.example/", "'https://own.example/'"),
                DENIED,
                ("", "HOSTS = ('own.example',)"),
            ),
            False,
        ),
        (
            seen(
                call("https://api.own.example/", "'https://api.own.example/'"),
                DENIED,
                ("", "HOSTS = ('own.example',)"),
            ),
            False,  # a host of the program's own
        ),
        (
            seen(
                call("https://evilown.example/", "'https://evilown.example/'"),
                DENIED,
                ("", "HOSTS = ('own.example',)"),
            ),
            True,
        ),
        (seen(call("///evil.example", "'///evil.example'"), DENIED), True),
        (seen(call("//", "'//'"), DENIED), False),
    ],
    "outside": [
        (
            seen(
                call("../../etc/passwd", "'root:'"), DENIED, on_mutant="file.opened: r /etc/passwd"
            ),
            True,
        ),
        (seen(call("../../etc/passwd", "'/base/../../etc/passwd'"), DENIED), True),
        (seen(call("report.txt", "'/base/report.txt'"), DENIED), False),
        *(
            (
                seen(
                    call("../../etc/passwd", raised="FileNotFoundError", text=f"no '{tried}'"),
                    call("../../etc/passwd", raised="ValueError"),
                    ("", "BASE = '/srv/app'"),
                ),
                due,
            )
            for tried, due in (
                ("/srv/app/etc/passwd", False),  # the dots were taken out: it stays inside
                ("/srv/app/../../etc/passwd", True),
                ("/srv/etc/passwd", True),
            )
        ),
        (
            seen(call("../../etc/passwd", "'/srv/app/etc/passwd'"), DENIED, ("", "B = '/srv/app'")),
            False,
        ),
        (
            seen(
                call("../../etc/passwd", "'text'"),
                DENIED,
                ("", "B = '/srv/app'"),
                on_mutant="file.opened: r /srv/app/etc/passwd",
            ),
            False,
        ),
    ],
    "literal-secret": [
        (
            seen(call("", "'hunter2!'"), call("", "'from env'"), ("p = 'hunter2!'", "p = e['p']")),
            True,
        ),
        (seen(call("", "'same'"), call("", "'same'"), ("p = 'same'", "p = 'same'")), False),
    ],
    "assigned": [
        (
            seen(
                call("{'role': 'admin'}", "{'name': 'a', 'role': 'admin'}"),
                call("{'role': 'admin'}", "{'name': 'a'}"),
            ),
            True,  # a text that the program may have parsed
        ),
        (
            seen(
                MockCall("f", "(({'role': 'admin'},), {})", "{'role': 'admin'}"),
                MockCall("f", "(({'role': 'admin'},), {})", "{'role': 'user'}"),
            ),
            True,
        ),
    ],
    "plaintext": [
        (
            seen(call("hunter2-hunter2", "'hunter2-hunter2'"), call("hunter2-hunter2", "'gAAA'")),
            True,
        ),
        (seen(call("hunter2-hunter2", "'gAAB'"), call("hunter2-hunter2", "'gAAA'")), False),
    ],
    "formula": [
        (seen(call("=1+1", "'name,=1+1'"), call("=1+1", '"name,\'=1+1"')), True),
        (seen(call("@SUM(A1)", "'@SUM(A1)'"), call("@SUM(A1)", raised="ValueError")), True),
        (seen(call("=1+1", "'a\\n\"=1+1\"'"), call("=1+1", "'a'")), True),
        (seen(call("=1+1", "'name,=1+1'"), call("=1+1", "'x\\t=1+1'")), False),
        (seen(call("=1+1", "'name: =1+1'"), call("=1+1", "''")), False),  # within a cell
        (seen(call("1+1", "'1+1'"), call("1+1", "''")), False),
        (seen(call("-", "'-'"), call("-", "''")), False),
        (seen(call("=1+1", "['=1+1']"), call("=1+1", "[]")), False),  # no text of a table
    ],
    "shorter": [
        (seen(call("", "b'12345678'"), call("", repr(b"k" * 32))), True),
        (seen(call("", "'0123abcd'"), call("", repr("0f" * 32))), True),
        (seen(call("", repr("ab" * 16)), call("", repr("ab" * 32))), False),  # 128 bits hold
        (seen(call("", repr(b"k" * 16)), call("", repr(b"k" * 32))), False),
        (seen(call("", repr(b"k" * 8)), call("", repr(b"k" * 8))), False),
        (seen(call("", "'two words'"), call("", repr("0f" * 32))), False),
        (seen(call("", "''"), call("", repr("0f" * 32))), False),
        (seen(call("", "b'12345678'"), call("", repr("0f" * 32))), False),  # of another kind
        (seen(call("", "b'12345678'"), call("", raised="ValueError")), False),
    ],
    "pattern": [
        (seen(call("(", raised="error", text="missing )"), call("(", "False")), True),
        (seen(call("(", raised="error"), call("(", raised="error")), False),
    ],
    "event:hash.weak": [
        (seen(call(), call(), on_mutant="hash.weak: md5"), True),
        (seen(call(), call(), on_mutant="hash.weak: md5", on_secure="hash.weak: md5"), False),
        (seen(call(), call(), on_secure="hash.weak: md5"), False),
        (seen(call("", raised="ValueError"), call("", "'d'"), on_mutant="hash.weak: md5"), False),
    ],
    "exposed": [
        *(
            (
                seen(
                    call(),
                    call(),
                    on_mutant=f"file.mode: 644 /tmp/tmpq_x81zkw/a;file.mode: {left} /tmp/tmpq_x81zkw/a",
                    on_secure="file.mode: 644 /tmp/tmpabcdwxyz/a;file.mode: 600 /tmp/tmpabcdwxyz/a",
                ),
                due,
            )
            for left, due in (("604", True), ("666", True), ("400", False), ("700", False))
        ),
        (seen(call(), call(), on_mutant="file.mode: 666 /a", on_secure=""), False),
    ],
    "event:file.exposed": [
        (
            seen(
                call(),
                call(),
                on_mutant="file.exposed: 755 /tmp/run/tmp/tmpq_x81zkw/a",
                on_secure="file.exposed: 755 /tmp/run/tmp/tmpabcdwxyz/a",
            ),
            False,  # only the temporary folder's name is new
        ),
        (
            seen(
                call(),
                call(),
                on_mutant="file.exposed: 755 /tmp/tmpq_x81zkw;file.exposed: 644 /tmp/tmpq_x81zkw/b",
                on_secure="file.exposed: 755 /tmp/tmpabcdwxyz",
            ),
            True,
        ),
    ],
}


@pytest.mark.parametrize("name", SHOWN)
def test_witness(name: str) -> None:
    for given_, due in SHOWN[name]:
        assert bool(witness(name)(given_)) is due, given_


def test_every_witness_of_an_operator_is_known() -> None:
    for operator in all_operators():
        assert operator.witnesses, operator.name
        for name in operator.witnesses:
            kind = name.removeprefix("event:")
            assert callable(witness(name)) and (kind == name or kind in KINDS), (
                operator.name,
                name,
            )


def test_refusals() -> None:
    assert is_refusal(call(raised="ValueError"), "")
    assert is_refusal(call(returned="(None, 'no')"), "")
    assert is_refusal(call(returned="{'status': 403}"), "")
    assert not is_refusal(call(raised="NameError"), "")
    assert not is_refusal(call(returned="{'status': 200}"), "")
    assert not is_refusal(call(returned="'welcome'"), "")


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_no_text_breaks_a_witness(arguments: str, returned: str, other: str) -> None:
    """What calls say comes from hostile programs."""
    for name in SHOWN:
        both = seen(MockCall("f", arguments, returned), MockCall("f", arguments, None, "E", other))
        assert isinstance(witness(name)(both), str)


@pytest.mark.parametrize(
    "cwe, argument, due",
    [
        ("CWE-918", "https://own.example/x", False),
        ("CWE-918", "https://evil.example/x", True),
        ("CWE-918", "http://127.0.0.1/", True),
        ("CWE-601", "/home", False),
        ("CWE-601", "/\\evil.example", True),
        ("CWE-22", "notes.txt", False),
        ("CWE-22", "../notes.txt", True),
        ("CWE-22", "/etc/passwd", True),
        ("CWE-79", "x" * 5000, False),
        ("CWE-79", "<b>", True),
        ("CWE-74", "a\nb", True),
        ("CWE-94", "import os", True),
        ("CWE-863", "alice", True),
    ],
)
def test_a_lost_refusal_must_be_about_the_weakness(cwe: str, argument: str, due: bool) -> None:
    code = "KNOWN = ('own.example', '127.0.0.1')"
    weak = call(argument, "'done'")
    assert relevant(cwe, "granted", weak, DENIED, code) is due
    assert relevant(cwe, "event:stored", weak, DENIED, code)


def test_what_ends_inside_the_folder_is_no_climbing() -> None:
    code = "BASE = '/srv/app'"
    for tried, due in (("/srv/app/etc/passwd", False), ("/srv/app/../etc/passwd", True)):
        missing = call("../etc/passwd", raised="FileNotFoundError", text=f"[Errno 2] no '{tried}'")
        assert not relevant("CWE-22", "granted", missing, DENIED, code)
        opened = replace(missing, events=(Event("file.opened", f"r {tried}"),))
        assert relevant("CWE-22", "granted", opened, DENIED, code) is due
        assert relevant("CWE-22", "granted", call("../x", repr(tried)), DENIED, code) is due
