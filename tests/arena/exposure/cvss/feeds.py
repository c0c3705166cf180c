"""Feeds of NVD JSON 2.0 for the tests, in the shapes of the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


def metric(score: float, kind: str = "Primary", version: str = "3.1") -> Entry:
    data = {"version": version, "vectorString": "CVSS:3.1/AV:N", "baseScore": score}
    return {"source": "nvd@nist.gov", "type": kind, "cvssData": data, "impactScore": 5.9}


def weakness(*cwes: str, source: str = "nvd@nist.gov") -> Entry:
    described = [{"lang": "en", "value": cwe} for cwe in cwes]
    return {"source": source, "type": "Primary", "description": described}


def cve(number: int, *cwes: str, score: float | None = 7.5, **more: Any) -> Entry:
    """A record of 2025-03-10. `more` replaces fields."""
    fields = {
        "id": f"CVE-2025-{number:04}",
        "sourceIdentifier": "cna@example.org",
        "published": "2025-03-10T12:15:24.183",
        "lastModified": "2025-04-01T08:00:00.000",
        "vulnStatus": "Analyzed",
        "descriptions": [{"lang": "en", "value": "A flaw \u2013 in “x”."}],
        "metrics": {} if score is None else {"cvssMetricV31": [metric(score)]},
        "weaknesses": [weakness(*cwes)] if cwes else [],
        "references": [],
    }
    return {"cve": {**fields, **more}}


def document(*entries: Entry, total: int | None = None) -> Entry:
    n = len(entries)
    return {
        "resultsPerPage": n,
        "startIndex": 0,
        "totalResults": n if total is None else total,
        "format": "NVD_CVE",
        "version": "2.0",
        "timestamp": "2025-10-01T00:00:00.000",
        "vulnerabilities": list(entries),
    }


def write(path: Path, *entries: Entry, total: int | None = None) -> Path:
    path.write_text(json.dumps(document(*entries, total=total)), "utf-8")
    return path
