"""The catalogue that ships holds what it should, and the documents show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.building.catalogue.entries import FILES, SHIPPED, CatalogueEntry, entries
from arena.building.catalogue.overview import markdown_table, row_of
from tests.documents import text_of

SHIPPED_ENTRIES = list(entries(SHIPPED))


def test_nothing_but_entries_ships() -> None:
    files = {path.relative_to(SHIPPED) for path in SHIPPED.rglob("*") if path.is_file()}
    expected = {Path(entry.name) / name for entry in SHIPPED_ENTRIES for name in FILES}
    assert files - {Path("README.md")} == expected


@pytest.mark.parametrize("entry", SHIPPED_ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_states_its_size(entry: CatalogueEntry) -> None:
    assert entry.case.expected.lines


def test_the_documents_have_the_table() -> None:
    table = markdown_table([row_of(entry) for entry in SHIPPED_ENTRIES])
    assert text_of("docs/catalogue.md").endswith(f"\n\n{table}")
