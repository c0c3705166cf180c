"""Where a severity comes from is always said, and an unknown one is never a number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.tracks.exposure.cvss.aggregate import Rules, representatives
from arena.tracks.exposure.cvss.representative import (
    CvssSeverity,
    NoSeverity,
    Severities,
    cwe_id,
    load_table,
    severities,
)
from tests.arena.exposure.cvss.feeds import cve, write


def table(folder: Path, value: Any) -> Path:
    path = folder / "table.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_table_c4_is_a_labelled_fallback() -> None:
    assert Severities().severity_of("CWE-89") == CvssSeverity(7.5, "paper Table C4, base 2")
    assert severities(base=10).severity_of("CWE-22").score == 8.8
    assert "base 10" in severities(base=10).severity_of("CWE-22").source


def test_an_unknown_cwe_has_no_value_but_help() -> None:
    with pytest.raises(NoSeverity, match="CWE-327: no CVSS value; give --cvss CWE-327=SCORE"):
        Severities().severity_of("CWE-327")


def test_the_command_line_comes_before_the_table_before_the_paper(tmp_path: Path) -> None:
    path = table(tmp_path, {"CWE-89": {"score": 8.1, "n": 12}, "CWE-327": {"score": 5.5, "n": 3}})
    found = severities(path, ["CWE-327=7.5", "611=6"])
    assert found.severity_of("CWE-327") == CvssSeverity(7.5, "--cvss")
    assert found.severity_of("CWE-611").score == 6
    assert found.severity_of("CWE-89") == CvssSeverity(8.1, "table.json", 12)
    assert found.severity_of("CWE-79").source == "paper Table C4, base 2"


def test_what_the_command_printed_is_read_back(tmp_path: Path) -> None:
    from datetime import date

    feed = write(tmp_path / "feed.json", cve(1, "CWE-327", score=5.9), cve(2, "CWE-327", score=7.4))
    made = representatives([feed], Rules(date(2025, 1, 1), date(2025, 12, 31)))
    found = load_table(table(tmp_path, made.to_json()))
    assert found["CWE-327"].score == made.cwes["CWE-327"].score
    assert found["CWE-327"].n == 2


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "empty"),
        ("[]", "object"),
        ("{", "no JSON"),
        ("{}", "no CWE"),
        ({"CWE-89": {}}, "score"),
        ({"CWE-89": {"score": "high"}}, "score"),
        ({"CWE-89": {"score": 11, "n": 1}}, "score"),
        ({"CWE-89": {"score": 5, "n": 0}}, "n: "),
        ({"CWE-89": {"score": 5, "n": True}}, "n: "),
        ({"CWE-89": None}, "score"),
        ({"NVD-CWE-Other": 5}, "no CWE id"),
        ({"CWE-89": 5, "CWE-089": 6}, "there twice"),
        ('{"CWE-89": 5, "CWE-89": 6}', "there twice"),
        ('{"CWE-89": NaN}', "finite"),
        ("[" * 100_000, "nested"),
        ('{"CWE-89": ' + "9" * 5000 + "}", "table.json"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, value: Any, told: str) -> None:
    path = table(tmp_path, value)
    with pytest.raises(ValueError, match=told) as caught:
        load_table(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["CWE-89", "CWE-89=", "CWE-89=high", "CWE-89=nan", "CWE-89=11", "x=5"]
)
def test_a_wrong_option_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=f"^--cvss: '{text}'"):
        severities(assignments=[text])


def test_an_option_given_twice_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="CWE-89 is there twice"):
        severities(assignments=["CWE-89=5", "89=6"])


@pytest.mark.parametrize("text", ["cwe-089", "89", "CWE89", " CWE-89 "])
def test_cwe_ids_are_taken_as_people_write_them(text: str) -> None:
    assert cwe_id(text) == "CWE-89"


@pytest.mark.parametrize(
    ("cwe", "base_2", "base_10"),
    [
        ("CWE-20", 7.9, 8.9),
        ("CWE-22", 7.7, 8.8),
        ("CWE-78", 8.4, 9.1),
        ("CWE-79", 6.4, 7.5),
        ("CWE-89", 7.5, 8.6),
        ("CWE-502", 8.8, 9.3),
        ("CWE-732", 7.7, 8.7),
        ("CWE-798", 8.6, 9.3),
    ],
)
def test_every_value_of_table_c4(cwe: str, base_2: float, base_10: float) -> None:
    assert Severities().severity_of(cwe).score == base_2
    assert severities(base=10).severity_of(cwe).score == base_10
