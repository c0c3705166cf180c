"""Which mutants count: weak, working, and no other's twin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arena.tracks.mutation.counting import BROKEN, DOCUMENTED, TWIN, UNPROVEN, left_out
from arena.tracks.mutation.mutants import Mutant
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.oracle.relevance import beyond, relevant, unusual
from arena.tracks.mutation.runner.facts import Event, MockCall
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.program import Program, Survivor

pytestmark = pytest.mark.rotating(3)

PINS = Program(
    "pins",
    "CWE-328",
    "protect",
    "import hashlib\n\n"
    "def digest(pin):\n    return hashlib.sha256(pin.encode()).hexdigest()\n\n"
    "def protect(pin):\n    return digest(pin)\n\n"
    "def matches(pin, kept):\n    return digest(pin) == kept\n",
    "",
    functional_tests="def test_round_trip():\n    assert matches('4711', protect('4711'))\n",
    security_tests="def test_it():\n    protect('4711')\n    assert not hashlib.weak_algorithm_used\n",
)
BOTH = PINS.secure.replace("sha256", "md5")
ONE_SIDED = PINS.secure.replace(
    "return digest(pin)\n", "return hashlib.md5(pin.encode()).hexdigest()\n"
)
SAME_AS_BOTH = BOTH.replace("return digest(pin)\n", "kept = digest(pin)\n    return kept\n")
SHA1 = PINS.secure.replace("sha256", "sha1")
CHECK_ONLY = PINS.secure.replace(
    "return digest(pin) == kept", "return hashlib.md5(pin.encode()).hexdigest() == kept"
)
NO_WEAKNESS = PINS.secure.replace("sha256", "sha512")

QUOTED = Program(
    "quoted",
    "CWE-89",
    "find",
    "def find(name):\n    return db.execute('SELECT * FROM users WHERE name = ?', (name,))\n",
    "",
    functional_tests='def test_irish():\n    assert find("O\'Brien") == []\n',
    security_tests="def test_it():\n    find(\"x' OR '1'='1\")\n    assert db.last_params\n",
)
INJECTABLE = (
    "def find(name):\n    return db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\n"
)


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=1) as made:
        yield made


def left(runner: TestRunner, program: Program, operator: str, **codes: str) -> dict[str, str]:
    """Name of each of these mutants that does not count -> why."""
    known = operator_of(operator)
    assert known is not None
    proven = []
    for name, code in codes.items():
        found = Prover(runner).prove(program, known, code)
        mutant = Mutant(name, operator, name, program.cwe, code, f"diff of {name}")
        proven.append((mutant, found.to_json() if found else {}))
    return left_out(program, proven, runner)


@pytest.mark.rotating(4)
def test_what_no_longer_works_leaves_and_twins_leave(runner: TestRunner) -> None:
    found = left(
        runner,
        PINS,
        "WEAKCRYPTO",
        both=BOTH,
        one_sided=ONE_SIDED,
        same=SAME_AS_BOTH,
        sha1=SHA1,
        check_only=CHECK_ONLY,
        none=NO_WEAKNESS,
    )
    assert found == {"one_sided": BROKEN, "same": TWIN, "check_only": BROKEN, "none": UNPROVEN}


def test_what_the_pack_documents_leaves(runner: TestRunner) -> None:
    known = (Survivor("WEAKCRYPTO:both", "nothing hangs on it", "diff of both"),)
    assert left(runner, replace(PINS, survivors=known), "WEAKCRYPTO", both=BOTH) == {
        "both": DOCUMENTED
    }
    other = (replace(known[0], diff="another"),)
    assert left(runner, replace(PINS, survivors=other), "WEAKCRYPTO", both=BOTH) == {}


def test_a_functional_test_that_fails_over_the_weakness_says_nothing_against_it(
    runner: TestRunner,
) -> None:
    """The quote of an ordinary name breaks the injectable statement."""
    assert left(runner, QUOTED, "PSQLI", f_string=INJECTABLE) == {}


REFUSED = MockCall("f", "(('https://evil.example/',), {})", raised="ValueError", text="no")
ELSEWHERE = replace(REFUSED, raised="InvalidSchema", text="no adapter")


def test_an_exception_in_another_place_is_no_effect() -> None:
    assert relevant(
        "CWE-918", "granted", replace(ELSEWHERE, raised="", returned="'page'"), REFUSED, ""
    )
    assert not relevant("CWE-918", "granted", ELSEWHERE, REFUSED, "")
    asked = replace(ELSEWHERE, events=(Event("http.requested", "GET https://evil.example/"),))
    assert relevant("CWE-918", "granted", asked, REFUSED, "")
    told = replace(
        REFUSED, events=asked.events
    )  # the secure program asked as well, before it refused
    assert not relevant("CWE-918", "granted", asked, told, "")


def test_a_statement_that_the_database_refused_is_no_effect() -> None:
    """A field that the table does not have is let through, and nothing is changed."""
    stored = (Event("stored", "UPDATE pet SET is_admin = ?"),)
    broke = replace(REFUSED, raised="OperationalError", text="no such column", events=stored)
    assert not relevant("CWE-915", "granted", broke, REFUSED, "")
    assert relevant("CWE-915", "granted", replace(broke, raised="IndexError"), REFUSED, "")


def test_what_leads_to_tls_alone_is_not_in_clear() -> None:
    served = replace(ELSEWHERE, raised="", returned="'https://a.example/x'")
    assert not relevant("CWE-319", "granted", served, REFUSED, "")
    clear = replace(served, returned="'http://a.example/x?next=https://b.example'")
    assert relevant("CWE-319", "granted", clear, REFUSED, "")
    assert relevant("CWE-319", "granted", replace(served, returned="True"), REFUSED, "")


def test_an_address_that_leads_away_is_ordinary_where_the_program_is_there_for_them() -> None:
    odd = MockCall("link", "(('https://\xe9vil.example',), {})", returned="'/click/7'")
    served = MockCall("link", "(('https://a.example',), {})", returned="'to https://a.example'")
    fallen_back = replace(served, returned="'/home'")
    assert not beyond("CWE-601", odd, [served], "")
    assert beyond("CWE-601", odd, [fallen_back, replace(served, function="other")], "")
    assert beyond("CWE-918", odd, [served], "")


@pytest.mark.parametrize(
    ("address", "due"),
    [
        ("https:///x/", False),
        ("https:", False),
        ("https://x.example/", True),
        ("file:///etc/passwd", True),
    ],
)
def test_a_request_needs_a_host_to_go_to(address: str, due: bool) -> None:
    served = MockCall("f", f"(({address!r},), {{}})", returned="None")
    assert relevant("CWE-918", "granted", served, REFUSED, "") is due


ORDINARY = (
    MockCall("f", "(('aaaaaaaaa',), {})", returned="1"),
    MockCall("f", "(('red 20',), {'n': 5})", returned="1"),
    MockCall("f", "(('too much 99',), {})", raised="ValueError"),
)


@pytest.mark.parametrize(
    ("arguments", "due"),
    [
        ("(('blue 20',), {'n': 5})", False),
        ("(('red',), {'n': True})", False),
        ("(('red 21',), {})", True),
        ("(('blue and green',), {})", True),
        ("((['a', 'b', 'c', 'd'],), {})", True),
        ("(('" + "a" * 2500, True),
    ],
)
def test_only_more_than_usual_exhausts(arguments: str, due: bool) -> None:
    assert beyond("CWE-400", MockCall("f", arguments[:2000], returned="1"), ORDINARY, "") is due
    assert (
        unusual(MockCall("g", arguments[:2000], returned="1"), ORDINARY) is due
    )  # no "g" is ordinary
    assert unusual(MockCall("f", arguments[:2000], returned="1"), ())
