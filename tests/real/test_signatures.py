"""Crashes of the corpus of small defects, by every compiler to be had: what is read, and what is taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.crashes import parse_crash
from tests.real.defects import GROUPS, SOURCES, Report, collect_reports, read_reports
from tests.real.releases import ROW
from tests.real.signatures import fill_matrix, read_signatures, write_table
from tests.real.toolchains import (
    NewerDebianMissing,
    Toolchain,
    installed_compilers,
    newer_debian,
    newest_zig,
)

pytestmark = pytest.mark.real
WAYS = ("O1-g", "names")
MORE_WAYS = {"gcc-12": ("O2-g", "stripped"), "clang-14": ("O2-g", "stripped")}
TRUTH = SOURCES / "truth.tsv"


def compilers(folder: Path) -> list[Toolchain]:
    """All compilers to be had; says which system could not be."""
    chains = {chain.name: chain for chain in installed_compilers(Path("/"))}
    try:
        chains |= {chain.name: chain for chain in installed_compilers(newer_debian())}
    except NewerDebianMissing as missing:
        print(f"no newer Debian: {missing}")
    return [*chains.values(), newest_zig(folder)]


def kinds_by_defect() -> dict[str, tuple[set[str], str]]:
    """Defect to the kinds that it may be called, and the function that it is in."""
    rows = [line.split("\t") for line in TRUTH.read_text().splitlines()[1:]]
    return {defect: (set(kinds.split()), function) for defect, kinds, function in rows}


def misreadings(reports: list[Report]) -> list[str]:
    """Reports whose kind is none of the defect's, or whose stack lacks its function."""
    truth, wrong = kinds_by_defect(), []
    for report in reports:
        crash = parse_crash(report.text, report.status)
        if crash is None:
            continue
        kinds, function = truth[report.defect]
        names = [frame.function for frame in crash.frames if frame.function]
        has_function = any(function in name for name in names)
        if crash.kind not in kinds or (function and set(names) - {"main"} and not has_function):
            wrong.append(f"{report.defect} {report.build}: {crash.kind} {names}")
    return wrong


def test_one_defect_is_one_crash_by_every_compiler(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    chains = compilers(tmp_path / "zig")
    for chain in chains:
        collect_reports(chain, (*WAYS, *MORE_WAYS.get(chain.name, ())), tmp_path / "reports")
    reports = read_reports(tmp_path / "reports")
    signatures, unread = read_signatures(reports)
    matrix = fill_matrix(signatures)
    write_table(matrix, tmp_path / "real-signatures.tsv")
    row = f"| {', '.join(chain.name for chain in chains)} | {matrix.share()} | {tmp_path} |"
    request.node.user_properties.append((ROW, row))
    assert [f"{r.defect} {r.build} {r.status}" for r in unread] == []
    assert misreadings(reports) == []
    assert matrix.unexplained == []


def test_each_defect_of_the_corpus_has_its_truth() -> None:
    defects = [defect for group in GROUPS for defect in group.defects]
    assert len(defects) == len(set(defects)) >= 120
    assert sorted(kinds_by_defect()) == sorted(defects)
