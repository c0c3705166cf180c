"""Roles, calls, values, and the search for exploits on real runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.oracle.calls import calls_to_try, module_of, ordinary_calls
from arena.tracks.mutation.oracle.literals import program_values
from arena.tracks.mutation.oracle.prove import ExploitOracle, Prover
from arena.tracks.mutation.oracle.roles import kind_of
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.program import Program


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
    values = program_values(
        "HOSTS = ['img.example.com']\nBASE = '/srv/files'\nMAX = 50\nOK = ['.png']\n"
    )
    assert "50" in values["size"] and "51" in values["size"]
    assert any("img.example.com.evil" in url for url in values["url"])
    assert any(path.startswith("'/srv/files/..") for path in values["path"])
    assert any(name.endswith(".php'") for name in values["filename"])


@given(st.text(max_size=300))
def test_values_of_any_program(text: str) -> None:
    for kind, values in program_values(f"x = {text!r}").items():
        assert kind and all(ast.literal_eval(value) is not None for value in values)


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=1) as made:
        yield made


WEAK = GUARDED.secure.replace("if user != self.owner:", "if user is None:")


def test_exploit_of_a_removed_guard(runner: TestRunner) -> None:
    operator = operator_of("MISSINGAUTH")
    assert operator is not None
    oracle = Prover(runner).prove(GUARDED, operator, WEAK)
    assert isinstance(oracle, ExploitOracle)
    assert oracle.witness == "granted" and oracle.secure.raised == "PermissionError"
    shown = [runner.run(SuiteJob(code, oracle.exploit)) for code in (WEAK, GUARDED.secure)]
    assert [run.has_passed for run in shown] == [True, False]


def test_exploit_of_a_constant_token(runner: TestRunner) -> None:
    secure = "import secrets\n\ndef token():\n    return secrets.token_hex(8)\n"
    weak = "def token():\n    return 'a' * 16\n"
    operator = operator_of("WEAKRANDOM")
    assert operator is not None
    prover, program = Prover(runner), Program("t", "CWE-338", "token", secure, weak)
    oracle = prover.prove(program, operator, weak)
    assert oracle is not None and oracle.witness == "repeated"
    assert prover.prove(program, operator, secure.replace("(8)", "(9)")) is None


def test_no_exploit_of_what_is_secure(runner: TestRunner) -> None:
    operator = operator_of("MISSINGAUTH")
    assert operator is not None
    same = GUARDED.secure.replace("!= self.owner", "!= self.owner or False")
    assert Prover(runner).prove(GUARDED, operator, same) is None


@pytest.mark.nightly
def test_exploit_that_takes_for_ever(runner: TestRunner) -> None:
    secure = "import re\n\ndef matches(text):\n    return bool(re.fullmatch('a+b', text[:99]))\n"
    weak = secure.replace("'a+b', text[:99]", "'(a+)+b', text")
    operator = operator_of("REGEXDOS")
    assert operator is not None
    oracle = Prover(runner).prove(Program("re", "CWE-400", "matches", secure, weak), operator, weak)
    assert oracle is not None and oracle.witness == "slow"


def test_a_clear_exploit_is_taken_before_one_that_slips(runner: TestRunner) -> None:
    """A digest of a text raises on both programs, though the weak function was asked for."""
    secure = "import hashlib\n\ndef digest(data, times=1):\n    return hashlib.sha256(data).hexdigest()\n"
    weak = secure.replace("sha256", "md5")
    operator = operator_of("WEAKCRYPTO")
    assert operator is not None
    program = Program("d", "CWE-328", "digest", secure, weak)
    oracle = Prover(runner).prove(program, operator, weak)
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
    runner: TestRunner, dropped: str, cwe: str, due: bool
) -> None:
    weak = LIMITED.replace(dropped, "")
    operator = operator_of("INPUTVAL")
    assert operator is not None
    oracle = Prover(runner).prove(Program("w", cwe, "words", LIMITED, weak), operator, weak)
    assert (oracle is not None) is due
