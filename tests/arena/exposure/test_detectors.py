"""Detectors: their examples and their corpora hold, and nothing that a program holds stops them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tracks.exposure.detect._detector import Detector, Verdict
from arena.tracks.exposure.judging import PACKAGE, detector_of, judge
from parsers.registry import names

CORPUS = Path(__file__).parent / "corpus"
DETECTORS = names(PACKAGE)
LEAST = {Verdict.VULNERABLE: 12, Verdict.SAFE: 12, Verdict.NOT_APPLICABLE: 4, Verdict.UNKNOWN: 0}
# Detectors whose corpora have no program that they cannot follow.
NEVER_UNKNOWN = {"credentials", "tar", "upload", "url-regex", "url-substring"}


def programs(name: str) -> Iterator[tuple[Path, Verdict]]:
    for verdict in LEAST:
        for path in sorted((CORPUS / name / verdict).glob("*.py")):
            yield path, verdict


@pytest.mark.slow
@pytest.mark.parametrize("name", DETECTORS)
def test_the_corpus_holds(name: str) -> None:
    """All at once, so that one look shows every wrong one."""
    wrong = {
        f"{verdict}/{path.name}": (found.verdict, found.line, found.why)
        for path, verdict in programs(name)
        if (found := judge(path.read_bytes(), name)).verdict is not verdict
    }
    assert not wrong


@pytest.mark.parametrize("name", DETECTORS)
def test_the_corpus_is_large_enough(name: str) -> None:
    found = [verdict for _, verdict in programs(name)]
    assert {
        verdict: found.count(verdict) >= least for verdict, least in LEAST.items()
    } == dict.fromkeys(LEAST, True)


def test_every_folder_of_the_corpus_has_a_detector() -> None:
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} == set(DETECTORS)


@pytest.mark.parametrize("name", DETECTORS)
def test_examples(name: str) -> None:
    for example in detector_of(name).examples:
        found = judge(example.source, name)
        assert found.verdict is example.verdict, (example.title, found)
        assert found.why and "\n" not in found.why, example.title


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_shows_each_verdict(name: str) -> None:
    detector: Detector = detector_of(name)
    shown = {example.verdict for example in detector.examples}
    assert shown == set(LEAST) - ({Verdict.UNKNOWN} if name in NEVER_UNKNOWN else set())
    assert (CORPUS / name / Verdict.UNKNOWN).is_dir() is (name not in NEVER_UNKNOWN)
    assert all(cwe.startswith("CWE-") for cwe in detector.cwes)


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", DETECTORS)
def test_a_finding_points_into_the_program(name: str) -> None:
    for path, verdict in programs(name):
        lines = path.read_text("utf-8").count("\n") + 1
        found = judge(path.read_bytes(), name)
        assert 0 <= found.line <= lines, path
        assert found.line > 0 or verdict is not Verdict.VULNERABLE, path
        assert len(found.why) < 300, path


@pytest.mark.parametrize("name", DETECTORS)
def test_a_program_of_nothing_is_not_applicable(name: str) -> None:
    for program in ("", "pass\n", "def f(x):\n    return x\n", "import os\n"):
        assert judge(program, name).verdict is Verdict.NOT_APPLICABLE


@pytest.mark.rotating(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", DETECTORS)
def test_programs_of_the_other_corpora_stop_nothing(name: str) -> None:
    """A detector meets what it was not written for: every verdict but `invalid` may come."""
    for path in sorted(CORPUS.glob("*/*/*.py"))[::12]:
        assert judge(path.read_bytes(), name).verdict is not Verdict.INVALID, path


@pytest.mark.parametrize("name", DETECTORS)
def test_what_does_not_compile_is_invalid(name: str) -> None:
    found = judge("def f(:\n", name)
    assert (found.verdict, found.line) == (Verdict.INVALID, 1)


@pytest.mark.slow
def test_a_program_too_large_to_be_read_has_no_verdict_of_its_first_part() -> None:
    calls = "\n".join(f"def f{n}(x):\n    f{n + 1}(x); f{n + 1}(x); f{n + 1}(x)" for n in range(40))
    program = calls + "\nf0('a')\n" + "x = [1, 2, 3, 4]\n" * 7_000
    found = judge(program, "sql")
    assert found.verdict is Verdict.INVALID
    assert "too large" in found.why
