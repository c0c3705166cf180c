"""A record of NVD JSON 2.0 (feed file or API response) -> what counts of it for Equation 1.

https://nvd.nist.gov/developers/vulnerabilities describes the fields.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from arena.tracks.exposure.cvss.stream import Elements, FeedError
from arena.tracks.exposure.scores import expect_score

LISTED = "vulnerabilities"
OLDER = "the older schema 1.1; a feed of NVD JSON 2.0 is needed"
REFUSED = {
    "CVE_Items": OLDER,
    "CVE_data_type": OLDER,
    "CVE_data_format": OLDER,
    "cveMetadata": "a CVE record of cve.org; a feed of NVD JSON 2.0 is needed",
    "error": "an error message, no feed",
}
V3 = ("cvssMetricV31", "cvssMetricV30")
V4 = "cvssMetricV40"
TYPES = ("Primary", "Secondary")
REJECTED = "rejected"

# An id only distinguishes CVEs here: one that is short of digits is no reason to refuse a feed.
_ID = re.compile(r"CVE-[\w-]{1,60}", re.ASCII)
_CWE = re.compile(r"CWE-0*([1-9]\d{0,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class FeedRecord:
    """A CVE. score: None where no accepted version of CVSS has a score. cwes: each once, sorted."""

    id: str
    published: date
    modified: datetime
    rejected: bool
    score: float | None
    cwes: tuple[str, ...]


@dataclass
class NvdFeed:
    """Records of a file, once iterated also the number that it claims to hold. Raises FeedError.

    v4: where a record has no score of version 3, take that of version 4.0.
    """

    path: Path
    v4: bool = False
    read: int = 0
    # `totalResults`: of an API response it counts all pages, of which this file may be one.
    total: int | None = None

    def __iter__(self) -> Iterator[FeedRecord]:
        elements = Elements(self.path, LISTED, REFUSED)
        self.read = 0
        for element in elements:
            self.read += 1
            try:
                yield record_of(element, self.v4)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                message = " ".join(str(error).split())[:200]
                raise FeedError(f"{self.path}: {LISTED}[{self.read - 1}]: {message}") from error
        if not elements.has_list:
            raise FeedError(f"{self.path}: no list {LISTED!r}; a feed of NVD JSON 2.0 is needed")
        total = elements.others.get("totalResults")
        self.total = total if isinstance(total, int) else None


def record_of(element: Any, v4: bool = False) -> FeedRecord:
    """An element of `vulnerabilities`. Raises ValueError naming the field, and the CVE if it can be read."""
    cve = _mapping(_mapping(element, "it").get("cve"), "cve")
    name = cve.get("id")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise ValueError(f"id: {str(name)[:40]!r} is no CVE id")
    try:
        published = _time(cve, "published")
        rejected = str(cve.get("vulnStatus")).lower() == REJECTED
        return FeedRecord(
            name,
            published.date(),
            _time(cve, "lastModified") if "lastModified" in cve else published,
            rejected,
            None if rejected else score_of(_mapping(cve.get("metrics", {}), "metrics"), v4),
            () if rejected else cwes_of(cve.get("weaknesses", [])),
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def score_of(metrics: Mapping[str, Any], v4: bool = False) -> float | None:
    """The single base score that counts: v3.1 primary, v3.1 secondary, v3.0 primary, v3.0 secondary.

    With `v4`, then v4.0 primary and secondary: last, since its scores are computed in a different way.
    Version 2 never counts. Of several of the same kind the first counts. Raises ValueError.
    """
    # Versions first, then kinds: a newer version counts even if its score is another source's.
    for version in (*V3, V4) if v4 else V3:
        listed = _list(metrics.get(version, []), version)
        for kind in TYPES:
            for metric in listed:
                if _mapping(metric, version).get("type") == kind:
                    data = _mapping(metric.get("cvssData"), f"{version}: cvssData")
                    return expect_score(data.get("baseScore"), f"{version}: baseScore")
    return None


def cwes_of(weaknesses: Any) -> tuple[str, ...]:
    """CWE ids that any source names, each once, sorted; NVD's two placeholders do not count."""
    result = set()
    for weakness in _list(weaknesses, "weaknesses"):
        described = _mapping(weakness, "weaknesses").get("description", [])
        for item in _list(described, "weaknesses: description"):
            value = _mapping(item, "weaknesses: description").get("value")
            match = _CWE.fullmatch(value) if isinstance(value, str) else None
            if match:
                # The same few hundred names stand in hundreds of thousands of records.
                result.add(sys.intern(f"CWE-{match[1]}"))
    return tuple(sorted(result))


def _time(cve: Mapping[str, Any], field: str) -> datetime:
    """A time of the record; without a zone it is UTC."""
    value = cve.get(field)
    try:
        result = datetime.fromisoformat(value if isinstance(value, str) else "")
        return result.replace(tzinfo=UTC) if result.tzinfo is None else result.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{field}: {str(value)[:40]!r} is no date and time") from error


def _mapping(value: Any, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{field}: an object is needed")
    return value


def _list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{field}: a list is needed")
    return value
