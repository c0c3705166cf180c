"""What `judge` makes of a program: a detector's finding, or that the program cannot be judged."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.detect._detector import Detector, Finding, Verdict
from arena.tracks.exposure.detect.yaml import PLUGIN
from arena.tracks.exposure.flow.facts import ProgramFacts
from arena.tracks.exposure.judging import detector_of, judge
from parsers.registry import UnknownName
from tests.arena.exposure.making import NO_PLACE, SOUND, WEAK

WEAK_OUTSIDE = "import yaml\nfrom flask import request\nyaml.load(request.data)\n"
SOUND_OUTSIDE = WEAK_OUTSIDE.replace("yaml.load", "yaml.safe_load")
PICKLE = "import pickle\ndef load(self):\n    return pickle.loads(self.cache)\n"
# The reading ends here: an expression too deep for it.
DEEP = f"x = {' + '.join('a' * 800)}\n"
OBJECTS = "makes objects of any class out of request.data"


def endless(facts: ProgramFacts) -> Finding:
    return endless(facts)


ENDLESS = Detector("a judgement without an end", (), endless, ())
ENDLESS_NAME = f"{__name__}:ENDLESS"


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        (WEAK, Finding(Verdict.VULNERABLE, 4, f"yaml.load {OBJECTS}")),
        (WEAK.encode(), Finding(Verdict.VULNERABLE, 4, f"yaml.load {OBJECTS}")),
        (SOUND, Finding(Verdict.SAFE, 4, "yaml.safe_load makes plain data alone")),
        (PICKLE, Finding(Verdict.UNKNOWN, 3, "pickle.loads makes objects, and who writes self.cache is not seen")),
        (NO_PLACE, Finding(Verdict.NOT_APPLICABLE, 0, "no YAML or pickle is read")),
        ("", Finding(Verdict.NOT_APPLICABLE, 0, "no YAML or pickle is read")),
    ],
)  # fmt: skip
def test_a_program_gets_the_finding_of_the_detector(source: str | bytes, finding: Finding) -> None:
    assert judge(source, "yaml") == finding


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("x = 1\n  y = 2\n", 2, "unexpected indent (line 2)"),
        (WEAK + "  y = 2\n", 5, "unindent does not match any outer indentation level (line 5)"),
        ("#" * (2**17 + 1), 0, "longer than 131072 bytes"),
    ],
)
def test_a_program_that_does_not_compile_is_invalid(source: str, line: int, why: str) -> None:
    assert judge(source, "yaml") == Finding(Verdict.INVALID, line, why)


@pytest.mark.parametrize(
    ("source", "finding"),
    [
        (WEAK_OUTSIDE + DEEP, Finding(Verdict.VULNERABLE, 3, f"yaml.load {OBJECTS}")),
        (SOUND_OUTSIDE + DEEP, Finding(Verdict.INVALID, 0, "too large to be read to its end")),
        (NO_PLACE + DEEP, Finding(Verdict.INVALID, 0, "too large to be read to its end")),
        (DEEP + WEAK_OUTSIDE, Finding(Verdict.INVALID, 0, "too large to be read to its end")),
    ],
    ids=["vulnerable before", "safe before", "nothing before", "vulnerable after"],
)
def test_a_program_that_is_not_read_to_its_end_is_invalid_unless_it_is_vulnerable(
    source: str, finding: Finding
) -> None:
    assert judge(source, "yaml") == finding


def test_a_program_that_is_too_deep_for_a_detector_is_invalid() -> None:
    expected = Finding(Verdict.INVALID, 0, "nested too deeply to be read")
    assert judge("x = 1\n", ENDLESS_NAME) == expected


def test_a_name_leads_to_its_detector() -> None:
    assert detector_of("yaml") is PLUGIN
    assert detector_of(ENDLESS_NAME) is ENDLESS


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sqli", "unknown name 'sqli'; did you mean 'sql'?"),
        ("json:loads", "'json:loads' is no Detector"),
    ],
)
def test_what_is_no_detector_is_an_error(name: str, message: str) -> None:
    for call in (lambda: judge("x = 1\n", name), lambda: detector_of(name)):
        with pytest.raises(UnknownName) as error:
            call()
        assert str(error.value).startswith(message)


def test_an_unknown_that_is_cut_is_invalid() -> None:
    unknown = "import pickle\nfrom here import cache\npickle.loads(cache)\n"
    assert judge(unknown, "yaml").verdict is Verdict.UNKNOWN
    cut = Finding(Verdict.INVALID, 0, "too large to be read to its end")
    assert judge(unknown + DEEP, "yaml") == cut
