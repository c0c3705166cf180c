"""A project's folder as of a date, and what there is none of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.building.oss_fuzz.checkout import STAYS, Checkout, RecipeLost
from tasks.loader import TaskError
from tests.arena.building.oss_fuzz.form import EARLY, LATE, checkout, git, recipes


def test_the_folder_as_of_the_date(tmp_path: Path) -> None:
    found = Checkout(recipes(tmp_path / "checkout"))
    assert b"exit 9" not in found.folder("brook", LATE - 1).files["build.sh"]
    assert found.folder("brook", LATE).files["build.sh"] == b"exit 9\n"
    assert found.folder("brook", EARLY).tree == found.folder("brook", LATE - 1).tree


@pytest.mark.parametrize(
    ("project", "date", "code"),
    [
        ("brook", EARLY - 1, "recipe-date"),
        ("other", LATE, "no-recipe"),
        ("../brook", LATE, "no-recipe"),
    ],
)
def test_what_it_has_not(tmp_path: Path, project: str, date: int, code: str) -> None:
    with pytest.raises(RecipeLost) as lost:
        Checkout(recipes(tmp_path / "checkout")).folder(project, date)
    assert lost.value.code == code


def test_a_shallow_checkout_says_so(tmp_path: Path) -> None:
    whole = recipes(tmp_path / "checkout")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{whole}", "shallow")
    with pytest.raises(RecipeLost, match="unshallow"):
        Checkout(tmp_path / "shallow").folder("brook", EARLY)


def test_no_checkout_at_all_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="not a git repository"):
        Checkout(tmp_path)


def test_commits_whose_dates_go_back_do_not_hide_later_ones(tmp_path: Path) -> None:
    place = checkout(tmp_path / "c", {EARLY: {"projects/a/Dockerfile": "1"}})
    (place / "projects/a/Dockerfile").write_text("2")
    git(place, "commit", "-qam", "an old date", date=EARLY - 1000)
    assert Checkout(place).folder("a", EARLY).files["Dockerfile"] == b"2"


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/x", ".", "..", "a/.git/config", "a\nb", ""]
)
def test_a_tree_leads_nowhere_out_of_its_folder(name: str) -> None:
    assert not STAYS.fullmatch(name)


@pytest.mark.parametrize("name", ["Dockerfile", "a/b.cc", "..a", "a..b/...", ".gitignore", "a b"])
def test_plain_names_stay(name: str) -> None:
    assert STAYS.fullmatch(name)


def test_a_hostile_tree_is_a_loss(tmp_path: Path) -> None:
    place = checkout(tmp_path / "c", {EARLY: {"projects/a/Dockerfile": "FROM x\n"}})
    blob = git(place, "rev-parse", "HEAD:projects/a/Dockerfile")
    raw = b"100644 Dockerfile\0" + bytes.fromhex(blob) + b"100644 ..\0" + bytes.fromhex(blob)
    inner = _tree(place, raw)
    projects = _tree(place, b"40000 a\0" + bytes.fromhex(inner))
    top = _tree(place, b"40000 projects\0" + bytes.fromhex(projects))
    commit = git(place, "commit-tree", "-m", "hostile", top, "-p", "HEAD", date=LATE)
    git(place, "update-ref", "refs/heads/main", commit)
    with pytest.raises(RecipeLost) as lost:
        Checkout(place).folder("a", LATE)
    assert lost.value.code == "recipe-unreadable"


def _tree(place: Path, raw: bytes) -> str:
    """A tree object as it is given, which git itself would not make."""
    asked = ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
    done = subprocess.run(asked, cwd=place, input=raw, capture_output=True, check=True)
    return done.stdout.decode().strip()
