"""Which CVEs and which of their scores count, and what a CWE comes to."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.cvss.aggregate import Aggregated, Rules, representatives
from arena.tracks.exposure.cvss.feeds import cwes_of, record_of, score_of
from arena.tracks.exposure.cvss.stream import FeedError
from tests.arena.exposure.cvss.feeds import Entry, cve, metric, weakness, write

YEAR = Rules(date(2025, 1, 1), date(2025, 9, 30))


def aggregated(folder: Path, *entries: Entry, rules: Rules = YEAR, base: float = 2) -> Aggregated:
    return representatives([write(folder / "feed.json", *entries)], rules, base)


def test_equation_1_by_cwe(tmp_path: Path) -> None:
    found = aggregated(
        tmp_path,
        cve(1, "CWE-89", score=9.8),
        cve(2, "CWE-89", score=5.4),
        cve(3, "CWE-79", "CWE-20", score=6.1),
    )
    assert list(found.cwes) == ["CWE-20", "CWE-79", "CWE-89"]
    assert found.cwes["CWE-89"].n == 2
    assert found.cwes["CWE-89"].score == pytest.approx(math.log2((2**9.8 + 2**5.4) / 2))
    assert found.cwes["CWE-79"].score == found.cwes["CWE-20"].score == 6.1
    assert found.to_json()["CWE-20"] == {"score": 6.1, "n": 1}


def test_base_10_weighs_the_severe_more(tmp_path: Path) -> None:
    entries = [cve(1, "CWE-89", score=9.8), cve(2, "CWE-89", score=5.4)]
    two, ten = (aggregated(tmp_path, *entries, base=base) for base in (2, 10))
    assert ten.cwes["CWE-89"].score > two.cwes["CWE-89"].score


@pytest.mark.parametrize(
    ("published", "counts"),
    [
        ("2024-12-31T23:59:59.999", 0),
        ("2025-01-01T00:00:00.000", 1),
        ("2025-09-30T23:59:59.999", 1),
        ("2025-10-01T00:00:00.000", 0),
        ("2025-09-30T23:59:59.999Z", 1),
        ("2025-01-01T00:30:00+02:00", 0),
    ],
)
def test_both_days_are_included_in_utc(tmp_path: Path, published: str, counts: int) -> None:
    found = aggregated(tmp_path, cve(1, "CWE-89", published=published))
    assert len(found.cwes) == counts
    assert found.fates == {"counted" if counts else "outside the dates": 1}


def test_each_fate_is_counted(tmp_path: Path) -> None:
    found = aggregated(
        tmp_path,
        cve(1, "CWE-89"),
        cve(2, "CWE-89", vulnStatus="Rejected", metrics=None, weaknesses=None),
        cve(3, "CWE-89", score=None),
        cve(4),
        cve(5, "NVD-CWE-noinfo", "NVD-CWE-Other"),
        cve(6, "CWE-89", published="2020-01-01T00:00:00.000"),
    )
    assert found.cwes["CWE-89"].n == 1
    assert found.fates == {
        "counted": 1,
        "rejected": 1,
        "no score": 1,
        "no CWE": 2,
        "outside the dates": 1,
    }


PRIMARY, SECONDARY = metric(1.0), metric(2.0, "Secondary")
OLD_PRIMARY, OLD_SECONDARY = metric(3.0, version="3.0"), metric(4.0, "Secondary", "3.0")
NEW_PRIMARY, NEW_SECONDARY = metric(5.0, version="4.0"), metric(6.0, "Secondary", "4.0")
V2 = {"cvssMetricV2": [metric(9.0, version="2.0")]}


@pytest.mark.parametrize(
    ("v31", "v30", "v40", "v4", "score"),
    [
        ([SECONDARY, PRIMARY], [OLD_PRIMARY], [NEW_PRIMARY], True, 1.0),
        ([SECONDARY], [OLD_PRIMARY], [NEW_PRIMARY], True, 2.0),
        ([], [OLD_SECONDARY, OLD_PRIMARY], [NEW_PRIMARY], True, 3.0),
        ([], [OLD_SECONDARY], [NEW_PRIMARY], True, 4.0),
        ([], [], [NEW_SECONDARY, NEW_PRIMARY], True, 5.0),
        ([], [], [NEW_SECONDARY], True, 6.0),
        ([], [], [NEW_PRIMARY], False, None),
        ([], [], [], True, None),
        ([metric(7.1, "Secondary"), metric(7.2, "Secondary")], [], [], False, 7.1),
    ],
)
def test_the_score_that_counts(
    v31: list[Entry], v30: list[Entry], v40: list[Entry], v4: bool, score: float | None
) -> None:
    metrics = {"cvssMetricV31": v31, "cvssMetricV30": v30, "cvssMetricV40": v40, **V2}
    assert score_of(metrics, v4) == score


def test_a_cwe_of_several_sources_counts_once() -> None:
    listed = [weakness("CWE-89", "CWE-20"), weakness("CWE-089", "NVD-CWE-Other", source="cna")]
    assert cwes_of(listed) == ("CWE-20", "CWE-89")


def test_the_newest_of_several_feeds_wins_and_counts_once(tmp_path: Path) -> None:
    old = write(tmp_path / "old.json", cve(1, "CWE-89", score=1.0), cve(2, "CWE-79"))
    newer = {"lastModified": "2025-05-01T00:00:00.000"}
    new = write(tmp_path / "new.json", cve(1, "CWE-22", score=9.0, **newer))
    for order in ([old, new], [new, old], [old, new, old]):
        found = representatives(order, YEAR)
        assert {cwe: one.n for cwe, one in found.cwes.items()} == {"CWE-22": 1, "CWE-79": 1}
        assert found.cwes["CWE-22"].score == 9.0


def test_of_equally_new_ones_the_first_counts(tmp_path: Path) -> None:
    one = write(tmp_path / "1.json", cve(1, "CWE-89"))
    other = write(tmp_path / "2.json", cve(1, "CWE-22"))
    assert list(representatives([one, other], YEAR).cwes) == ["CWE-89"]


def test_a_cve_that_was_rejected_later_is_left_out(tmp_path: Path) -> None:
    old = write(tmp_path / "old.json", cve(1, "CWE-89"))
    later = {"vulnStatus": "Rejected", "lastModified": "2025-06-01T00:00:00.000"}
    new = write(tmp_path / "new.json", cve(1, score=None, **later))
    for order in ([old, new], [new, old]):
        assert representatives(order, YEAR).fates == {"rejected": 1}


def test_missing_pages_are_told(tmp_path: Path) -> None:
    first = write(tmp_path / "1.json", cve(1, "CWE-89"), cve(2, "CWE-89"), total=3)
    second = write(tmp_path / "2.json", cve(3, "CWE-89"), total=3)
    assert representatives([first], YEAR).partial == ((2, 3),)
    assert representatives([first, second], YEAR).partial == ()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "GHSA-1"}, "id"),
        ({"published": "yesterday"}, "published"),
        ({"published": None}, "published"),
        ({"lastModified": 5}, "lastModified"),
        ({"metrics": []}, "metrics"),
        ({"metrics": {"cvssMetricV31": {}}}, "cvssMetricV31"),
        ({"metrics": {"cvssMetricV31": [metric(10.5)]}}, "baseScore"),
        ({"metrics": {"cvssMetricV31": [metric(math.nan)]}}, "baseScore"),
        ({"metrics": {"cvssMetricV31": [{"type": "Primary"}]}}, "cvssData"),
        ({"weaknesses": {}}, "weaknesses"),
        ({"weaknesses": [{"description": 1}]}, "description"),
    ],
)
def test_a_broken_record_is_told_with_its_place(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(FeedError, match=rf"feed\.json: vulnerabilities\[1\]: .*{field}") as caught:
        aggregated(tmp_path, cve(1, "CWE-89"), cve(2, "CWE-89", **change))
    assert "\n" not in str(caught.value)


def test_rules_and_base_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is after"):
        Rules(date(2025, 2, 1), date(2025, 1, 1))
    with pytest.raises(ValueError, match="base: "):
        aggregated(tmp_path, cve(1, "CWE-89"), base=1)
    with pytest.raises(ValueError, match="FEED"):
        representatives([], YEAR)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)
FIELDS = ("id", "published", "lastModified", "vulnStatus", "metrics", "weaknesses")


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(FIELDS), json_values), st.booleans())
def test_any_record_is_read_or_refused(changes: dict[str, Any], v4: bool) -> None:
    try:
        record = record_of(cve(1, "CWE-89", **changes), v4)
    except ValueError as error:
        assert str(error)
    else:
        assert record.score is None or 0 <= record.score <= 10
        assert all(cwe.startswith("CWE-") for cwe in record.cwes)


@given(json_values)
def test_anything_for_metrics_and_weaknesses_is_read_or_refused(value: Any) -> None:
    for entry in (
        {"cvssMetricV31": value},
        {"cvssMetricV31": [{"type": "Primary", "cvssData": value}]},
    ):
        try:
            score_of(entry)
        except ValueError as error:
            assert "cvssMetricV31" in str(error)
    try:
        cwes_of(value)
    except ValueError as error:
        assert "weaknesses" in str(error)
