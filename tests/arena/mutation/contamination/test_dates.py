"""The date filter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.tracks.mutation.contamination.dates import cves, filter_by_date
from arena.tracks.mutation.tasks.program import Program, StoredMutant

PLAIN = Program("p", "CWE-89", "f", "def f(): pass\n", "def f(): pass\n")
OLD = "After CVE-2019-12345."


@pytest.mark.parametrize(
    "field",
    ["title", "origin", "instruction", "secure", "insecure", "functional_tests", "security_tests"],
)
def test_an_old_cve_is_found_wherever_it_stands(field: str) -> None:
    program = replace(PLAIN, **{field: OLD})  # type: ignore[arg-type] # all fields given are texts
    assert filter_by_date([PLAIN, program]).dropped == {"p": ("CVE-2019-12345",)}
    assert filter_by_date([PLAIN, program]).remaining == (PLAIN,)


def test_mutants_and_other_spellings_count() -> None:
    mutant = StoredMutant("m", "PSQLI", "x = 1", description="see cve-2020-0001 and CVE-2024-0002")
    assert cves(replace(PLAIN, mutants=(mutant,))) == [
        (2020, "CVE-2020-0001"),
        (2024, "CVE-2024-0002"),
    ]


def test_the_cut_off_year_itself_stays() -> None:
    program = replace(PLAIN, origin="CVE-2024-99999, xCVE-2001-1234, CVE-2001-12")
    assert filter_by_date([program]).remaining == (program,)
    assert filter_by_date([program], 2025).dropped == {"p": ("CVE-2024-99999",)}
