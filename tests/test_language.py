"""The product's language: no room has what stops a newcomer, see `language.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import language
from tests.language import MEASURES, ROOMS, SourceFile, names_no_act


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_in_plain_english(room: str) -> None:
    counts = {name: count for name, count in language.count(room).items() if count}
    assert not counts, f"see `scripts/language --list {'|'.join(counts)} {room}`: {counts}"


def test_every_folder_of_the_product_is_in_a_room() -> None:
    product = ("arena", "harness", "images", "parsers", "scripts", "szz", "tasks")
    paths = {
        path.relative_to(language.PROJECT).parent.as_posix()
        for top in product
        for path in (language.PROJECT / top).rglob("*.py")
        if "packs" not in path.parts
    }
    left = {path for path in paths if not any(f"{path}/".startswith(f"{room}/") for room in ROOMS)}
    assert left <= {"arena", "harness", "arena/tracks"}  # single files, no room


@pytest.mark.parametrize(
    ("name", "is_bare"),
    [
        ("replay_neighbours", False),
        ("read", False),
        ("kept", True),
        ("_rendered", True),
        ("of_then", True),
        ("_by_name", True),
        ("seed", False),
        ("__enter__", False),
    ],
)
def test_a_participle_or_preposition_is_no_name_of_a_function(name: str, is_bare: bool) -> None:
    assert names_no_act(name) == is_bare


SOURCE = '''"""What is told."""
def run(given: int) -> None:
    """Run it."""
    found = 1  # the engine of 2024 closes it early
    print(found)  # noqa: T201
def kept() -> None: ...
'''


def test_measures_count_names_docstrings_and_comments() -> None:
    file = SourceFile(Path(language.PROJECT / "example.py"), SOURCE)
    texts = {name: sorted(place.text for place in find(file)) for name, find in MEASURES.items()}
    assert texts == {
        "functions": ["kept"],
        "names": ["found", "given"],
        "docstrings": ["told: What is told."],
    }
    assert [comment.text for comment in file.comments()] == ["# the engine of 2024 closes it early"]
