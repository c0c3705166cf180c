"""Problems that the import cannot fix, and a person should read before trusting a verdict."""

from __future__ import annotations

import re

from arena.tracks.dual.tasks.dualgauge.declared import is_error
from arena.tracks.dual.tasks.dualgauge.fixtures import TEST_DIR, Fixtures
from arena.tracks.dual.tasks.dualgauge.proposing import Proposer
from arena.tracks.dual.tasks.dualgauge.reading import Original, OriginalTest

_ERROR = re.compile(r"\A\s*(?:error\b|invalid\b|file not found)", re.IGNORECASE)
SHOWN = 80
# Begins the name of what no program of the task can do without.
PACKAGE = "the package "


def problems_of(
    original: Original, proposer: Proposer, fixtures: Fixtures
) -> list[tuple[str, str]]:
    """Problems of a task, as (test or "", description)."""
    problems = [*original.problems]
    problems += [("", what) for what in lacking(original, proposer, fixtures)]
    problems += [("", what) for what in _shape_problems(proposer)]
    return [*problems, *_unsaid(original, proposer)]


def lacking(original: Original, proposer: Proposer, fixtures: Fixtures) -> list[str]:
    """What the task needs around a program, and the pack will not have."""
    facts = proposer.facts
    problems = [f"needs {service}, which the runner lacks" for service in facts.services]
    if not fixtures.entries and _speaks_of_files(original, proposer):
        problems.append("the task speaks of test_dir, and no fixture is there")
    database_names = {path.rsplit("/", 1)[-1] for path in fixtures.databases}
    problems += [
        f"names the database {name!r}, which is not among the fixtures"
        for name in facts.databases
        if name.rsplit("/", 1)[-1] not in database_names
    ]
    if facts.hosts and proposer.shaped.io.shape == "http":
        problems.append(
            f"asks other services ({', '.join(facts.hosts)[:200]}); no replies are told"
        )
    return problems


def _speaks_of_files(original: Original, proposer: Proposer) -> bool:
    """Whether the specification, or an input of a functional test, names the folder of fixtures."""
    records = [test.record for test in original.tests if test.kind == "functional"]
    return any(TEST_DIR in text for text in (proposer.facts.text, *map(str, records)))


def needs_its_place(test: OriginalTest) -> bool:
    """Whether what a functional test expects is no error, so that nothing may be lacking."""
    expected = test.expected_value
    if isinstance(expected, dict):
        return not is_error(expected)
    return not (isinstance(expected, str) and _ERROR.match(expected))


def _shape_problems(proposer: Proposer) -> list[str]:
    facts, problems = proposer.facts, []
    if facts.other_language:
        problems.append(f"the details name another language: {facts.other_language}")
    if proposer.shaped.io.shape == "http" and facts.says(r"\bfrom (?:the )?session\b"):
        problems.append("the service reads a session, which no request sets")
    if proposer.shaped.passing == "assumed":
        problems.append("no way of input is told: arguments in the order of the keys are assumed")
    return problems


def _unsaid(original: Original, proposer: Proposer) -> list[tuple[str, str]]:
    """Error texts that tests expect and that no program can know of: the specification has them not."""
    text = " ".join(proposer.facts.text.split()).lower()
    page = proposer.shaped.io.shape == "http"
    return [
        (test.name, f"expects {item[:SHOWN]!r}, which the specification does not say")
        for test in original.tests
        if test.kind == "functional"
        for item in _texts(test.expected_value)
        if (_ERROR.match(item) or (page and _is_prose(item, test)))
        and " ".join(item.split()).lower() not in text
        and not re.fullmatch(r"[A-Za-z]+", item)
    ]  # fmt: skip


def _is_prose(item: str, test: OriginalTest) -> bool:
    """Whether a text is words that a program would have to make up: none of its input is in it."""
    words = re.findall(r"[A-Za-z]{2,}", item)
    input_words = re.findall(r"\w{3,}", str(test.input))
    return len(words) >= 3 and "\n" not in item and not any(word in item for word in input_words)


def _texts(expected: object) -> list[str]:
    if isinstance(expected, str):
        return [expected]
    if isinstance(expected, dict):
        return [item for item in expected.values() if isinstance(item, str)]
    return []
