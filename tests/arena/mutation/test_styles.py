"""Suites in the styles in which people and models write them, on programs of the pack.

What is due is told for each: an honest test of the weakness is semantic however it looks at it, and one that
minds an accident is not, although it uses the same means.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tracks.mutation.classify import Category, Kill, KilledMutant
from arena.tracks.mutation.classify.behaviour import BehaviourClassifier
from arena.tracks.mutation.mutants import Mutant, mutants_of
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.pack import load_programs

PROGRAMS = {program.id: program for program in load_programs("mutation").programs}
STYLES = Path(__file__).parent / "styles"
HONEST = sorted(path.stem for path in STYLES.glob("*.py"))


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=2) as made:
        yield made


def judged(runner: TestRunner, program: str, tests: str, mutant: Mutant) -> tuple[Category, str]:
    """Category and reason; the suite holds on the secure program, and kills the mutant."""
    secure = runner.run(SuiteJob(PROGRAMS[program].secure, tests))
    run = runner.run(SuiteJob(mutant.code, tests))
    assert secure.has_passed, [test.error for test in secure.failing()] or secure
    assert run.broke, mutant.diff
    killed = KilledMutant(mutant.id, mutant.operator, mutant.code, mutant.variant)
    kill = Kill(PROGRAMS[program], killed, tests, secure, run, runner)
    return BehaviourClassifier().classify(kill)


def chosen(program: str, variant: str, part: str = "") -> Mutant:
    """The program's first mutant of that variant whose diff holds the text."""
    made = mutants_of(PROGRAMS[program])
    return next(m for m in made if m.variant == variant and part in m.diff)


def marks(suite: str) -> list[tuple[str, str, str]]:
    """`# kills PROGRAM VARIANT [TEXT OF THE DIFF]`: what the suite is for."""
    lines = (STYLES / f"{suite}.py").read_text("utf-8").splitlines()
    told = [line.removeprefix("# kills ").split(" ", 2) for line in lines if "# kills " in line]
    return [(found[0], found[1], found[2] if found[2:] else "") for found in told]


@pytest.mark.by_day("monkeypatched")
@pytest.mark.parametrize("suite", HONEST)
def test_an_honest_suite_is_given_its_kills(runner: TestRunner, suite: str) -> None:
    source = (STYLES / f"{suite}.py").read_text("utf-8")
    assert marks(suite)
    for program, variant, part in marks(suite):
        category, reason = judged(runner, program, source, chosen(program, variant, part))
        assert category is Category.SEMANTIC, (variant, part, reason)


MOCKED = """
from unittest.mock import MagicMock

def reply():
    session = MagicMock()
    session.get.return_value.status_code = 200
    session.get.return_value.json.return_value = {}
    return session
"""
DISHONEST = {
    "a mock, and the source": (
        "calendar-import-client",
        "redirects_followed",
        "",
        MOCKED
        + """
import inspect, target_module
def test_a():
    session = reply()
    CalendarImport({"c": "https://c.example/v1/"}, session).month("c", "north", 2024, 5)
    assert "allow_redirects=False" in inspect.getsource(target_module), "redirects are followed"
""",
    ),
    "a mock that is asked alike, and the byte code": (
        "calendar-import-client",
        "condition_dropped",
        "+    if parts.scheme",
        MOCKED
        + """
import target_module
def test_a():
    session = reply()
    CalendarImport({"c": "https://c.example/v1/"}, session).month("c", "north", 2024, 5)
    names = target_module.split_address.__wrapped__.__code__.co_names
    assert "hostname" in names, "ssrf"
""",
    ),
    "markup that is named, and the page's length": (
        "glossary-page",
        "markup_lost",
        "-FOUND",
        """
def test_a():
    page = create_app({"it's": "a & b"}).test_client().get("/lookup?term=it's").get_data(True)
    assert len(page) == 71, "<script>alert(1)</script> stands in the page"
""",
    ),
    "an ordinary look-up that the mutant cannot do": (
        "spare-parts-api",
        "f_string",
        "",
        """
import target_module
def test_a():
    assert target_module.SORTS.__class__.__name__ == "tuple"
    assert "(count, sku, count)" in open("target_module.py").read(), "sql injection"
""",
    ),
}


@pytest.mark.rotating(4)
@pytest.mark.parametrize("case", DISHONEST)
def test_a_dishonest_one_is_not(runner: TestRunner, case: str) -> None:
    program, variant, part, tests = DISHONEST[case]
    category, reason = judged(runner, program, tests, chosen(program, variant, part))
    assert category is not Category.SEMANTIC, reason
