"""An environment can be made to lack what the real libraries have."""

from __future__ import annotations

import pytest

from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner

PROGRAM = (
    "import random\nimport yaml\n\ndef load(text):\n    return yaml.unsafe_load(text)\n\n"
    "def some():\n    return random.randbytes(2)\n"
)
TESTS = "def test_load():\n    assert load('a: 1') == {'a': 1}\n\ndef test_some():\n    assert len(some()) == 2\n"


@pytest.mark.slow
def test_what_is_lacking() -> None:
    lacking = ("yaml.unsafe_load", "random.randbytes", "yaml.nothing", "no_module.x")
    with TestRunner(workers=1) as runner:
        assert runner.run(SuiteJob(PROGRAM, TESTS)).has_passed
        without = runner.run(SuiteJob(PROGRAM, TESTS, lacking=lacking))
        assert [test.kind for test in without.failing()] == ["AttributeError", "AttributeError"]
        assert runner.run(SuiteJob(PROGRAM, TESTS)).has_passed  # the next run has them again
