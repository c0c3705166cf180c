"""Test frameworks of Debian's releases, PyPI and npm: their reports beside what their tests came to.

The share of situations that are read right is compared with docs/real-reports.tsv, which
`python -m tests.real.report_table` writes anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real import frameworks
from tests.real.releases import ROW
from tests.real.report_table import Row, rows_of, stored_rows

pytestmark = [pytest.mark.real, pytest.mark.needs("docker", package="docker.io")]
CASES = [
    (name, environment)
    for name in frameworks.FRAMEWORKS
    for environment in frameworks.load(name).environments
]


@pytest.mark.parametrize(("name", "environment"), CASES, ids=["-".join(case) for case in CASES])
def test_reports_are_read_as_their_tests_ended(
    name: str, environment: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    version = frameworks.run_framework(name, environment, tmp_path)
    readings = frameworks.readings(name, environment, tmp_path)
    row = rows_of(name, environment, version, readings)
    stored = stored_rows().get((row.framework, row.environment), Row(row.framework, environment))
    state = "held" if (row.right, row.situations) == (stored.right, stored.situations) else "moved"
    newest = f"{version}: {row.right} of {row.situations}"
    line = f"| {row.framework} ({environment}) | {stored.version}: {stored.right} of {stored.situations} | {newest} | {state} |"
    request.node.user_properties.append((ROW, line))
    false = [(one.run, one.format.parser, one.false_passes) for one in readings if one.false_passes]
    assert len(false) <= stored.false_passes, false
    assert row.unmarked <= stored.unmarked, false
    wrong = [(one.run, one.format.parser, dict(one.wrong)) for one in readings if one.wrong]
    assert row.situations - row.right <= stored.situations - stored.right, wrong
