"""What a drafted task protects."""

from __future__ import annotations

from pathlib import Path

from arena.building.cases.loader import load_case
from arena.building.draft import suites
from tests.arena.building.test_merging import CASE
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


def test_the_fuzz_target_belongs_to_the_oracle_wherever_it_lies(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    path, ids = history(
        {
            b"Makefile": b"check: prog\n\t./tests/run.sh\n",
            b"tests/run.sh": b"true\n",
            b"target.c": b"",
        },
    )
    text = CASE.format(id="a", repository=path, fix=ids[0], command="./t {poc}")
    (tmp_path / "case.toml").write_text(text + 'carry = ["target.c"]\n')
    (tmp_path / "poc").write_bytes(b"x")
    found = suites(load_case(tmp_path), ids[0])
    assert found and all("target.c" in tests.files and "tests/**" in tests.files for tests in found)
