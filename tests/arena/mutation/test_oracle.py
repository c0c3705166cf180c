"""Witnesses, roles, calls, and the search for exploits on real runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.operators import all_operators, operator_of
from arena.tracks.mutation.oracle.calls import calls_to_try, module_of, ordinary_calls
from arena.tracks.mutation.oracle.literals import own_values
from arena.tracks.mutation.oracle.prove import Oracle, Prover
from arena.tracks.mutation.oracle.roles import kind_of
from arena.tracks.mutation.oracle.witnesses import Seen, refused, witness
from harness.testbed.bed import Testbed
from harness.testbed.events import KINDS
from harness.testbed.facts import Call, Event
from harness.testbed.job import Job
from tasks.programs.program import Program


def call(
    arguments: str = "", returned: str | None = None, raised: str = "", text: str = ""
) -> Call:
    return Call("f", f"(({arguments!r},), {{}})", returned, raised, text)


def seen(mutant: Call, secure: Call, code: tuple[str, str] = ("", ""), **events: str) -> Seen:
    told = {
        side: tuple(Event(*e.split(": ", 1)) for e in given.split(";") if e)
        for side, given in events.items()
    }
    return Seen(
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
                Call("f", "(({'role': 'admin'},), {})", "{'role': 'admin'}"),
                Call("f", "(({'role': 'admin'},), {})", "{'role': 'user'}"),
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
            assert witness(name) and (kind == name or kind in KINDS), (operator.name, name)


def test_refusals() -> None:
    assert refused(call(raised="ValueError"), "")
    assert refused(call(returned="(None, 'no')"), "")
    assert refused(call(returned="{'status': 403}"), "")
    assert not refused(call(raised="NameError"), "")
    assert not refused(call(returned="{'status': 200}"), "")
    assert not refused(call(returned="'welcome'"), "")


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
def test_no_text_breaks_a_witness(arguments: str, returned: str, other: str) -> None:
    """What calls say comes from hostile programs."""
    for name in SHOWN:
        both = seen(Call("f", arguments, returned), Call("f", arguments, None, "E", other))
        assert isinstance(witness(name)(both), str)


@pytest.mark.parametrize(
    ("name", "annotation", "due"),
    [
        ("user_id", "", "id"),
        ("user_id", "int", "id"),
        ("message_id", "int", "id"),
        ("comment", "int", "number"),
        ("comment", "", "html"),
        ("redirect_url", "str", "url"),
        ("upload_path", "Path", "path"),
        ("fields", "dict[str, str]", "mapping"),
        ("session", "dict", "session"),
        ("zzz", "", "text"),
        ("blob", "bytes", "data"),
    ],
)
def test_kind_of_parameter(name: str, annotation: str, due: str) -> None:
    assert kind_of(name, annotation) == due


GUARDED = Program(
    "guarded",
    "CWE-863",
    "Vault.open",
    "MAX = 7\n\nclass Vault:\n    def __init__(self, owner):\n        self.owner = owner\n\n"
    "    def open(self, user, limit=3):\n        if user != self.owner:\n"
    "            raise PermissionError('no')\n        return 'gold'\n",
    "",
    functional_tests="def test_it():\n    assert Vault('alice').open('alice') == 'gold'\n",
)


def test_calls_are_whole_and_few() -> None:
    calls = calls_to_try(GUARDED, {"user": ("'mallory'",)})
    assert 1 < len(calls) <= 120
    assert any("Vault(" in c and ".open('mallory'" in c for c in calls), calls
    assert len(set(calls)) == len(calls)
    ast.parse(module_of(GUARDED, calls))
    assert not any("mallory" in c for c in ordinary_calls(GUARDED))


def test_values_of_the_programs_own() -> None:
    values = own_values(
        "HOSTS = ['img.example.com']\nBASE = '/srv/files'\nMAX = 50\nOK = ['.png']\n"
    )
    assert "50" in values["size"] and "51" in values["size"]
    assert any("img.example.com.evil" in url for url in values["url"])
    assert any(path.startswith("'/srv/files/..") for path in values["path"])
    assert any(name.endswith(".php'") for name in values["filename"])


@given(st.text(max_size=300))
def test_values_of_any_program(text: str) -> None:
    for kind, values in own_values(f"x = {text!r}").items():
        assert kind and all(ast.literal_eval(value) is not None for value in values)


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    with Testbed(workers=1) as made:
        yield made


WEAK = GUARDED.secure.replace("if user != self.owner:", "if user is None:")


def test_exploit_of_a_removed_guard(bed: Testbed) -> None:
    operator = operator_of("MISSINGAUTH")
    assert operator is not None
    oracle = Prover(bed).prove(GUARDED, operator, WEAK)
    assert isinstance(oracle, Oracle)
    assert oracle.witness == "granted" and oracle.secure.raised == "PermissionError"
    shown = [bed.run(Job(code, oracle.exploit)) for code in (WEAK, GUARDED.secure)]
    assert [run.passed for run in shown] == [True, False]


def test_exploit_of_a_constant_token(bed: Testbed) -> None:
    secure = "import secrets\n\ndef token():\n    return secrets.token_hex(8)\n"
    weak = "def token():\n    return 'a' * 16\n"
    operator = operator_of("WEAKRANDOM")
    assert operator is not None
    prover, program = Prover(bed), Program("t", "CWE-338", "token", secure, weak)
    oracle = prover.prove(program, operator, weak)
    assert oracle is not None and oracle.witness == "repeated"
    assert prover.prove(program, operator, secure.replace("(8)", "(9)")) is None


def test_no_exploit_of_what_is_secure(bed: Testbed) -> None:
    operator = operator_of("MISSINGAUTH")
    assert operator is not None
    same = GUARDED.secure.replace("!= self.owner", "!= self.owner or False")
    assert Prover(bed).prove(GUARDED, operator, same) is None


def test_exploit_that_takes_for_ever(bed: Testbed) -> None:
    secure = "import re\n\ndef matches(text):\n    return bool(re.fullmatch('a+b', text[:99]))\n"
    weak = secure.replace("'a+b', text[:99]", "'(a+)+b', text")
    operator = operator_of("REGEXDOS")
    assert operator is not None
    oracle = Prover(bed).prove(Program("re", "CWE-400", "matches", secure, weak), operator, weak)
    assert oracle is not None and oracle.witness == "slow"


def test_a_clear_exploit_is_taken_before_one_that_slips(bed: Testbed) -> None:
    """A digest of a text raises on both programs, though the weak function was asked for."""
    secure = "import hashlib\n\ndef digest(data, times=1):\n    return hashlib.sha256(data).hexdigest()\n"
    weak = secure.replace("sha256", "md5")
    operator = operator_of("WEAKCRYPTO")
    assert operator is not None
    program = Program("d", "CWE-328", "digest", secure, weak)
    oracle = Prover(bed).prove(program, operator, weak)
    assert oracle is not None and oracle.witness == "event:hash.weak"
    assert not oracle.mutant.raised and oracle.mutant.returned != oracle.secure.returned


LIMITED = "def words(text):\n    if not text or len(text) > 50:\n        raise ValueError('no')\n    return text.split()\n"


@pytest.mark.parametrize(
    "dropped, cwe, due",
    [
        ("not text or ", "CWE-400", False),
        (" or len(text) > 50", "CWE-400", True),
        ("not text or ", "CWE-20", True),
    ],
)
def test_nothing_is_exhausted_by_an_empty_text(
    bed: Testbed, dropped: str, cwe: str, due: bool
) -> None:
    weak = LIMITED.replace(dropped, "")
    operator = operator_of("INPUTVAL")
    assert operator is not None
    oracle = Prover(bed).prove(Program("w", cwe, "words", LIMITED, weak), operator, weak)
    assert (oracle is not None) is due
