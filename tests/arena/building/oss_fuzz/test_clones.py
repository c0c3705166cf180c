"""Which repository of this machine stands for a URL that a recipe clones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.building.oss_fuzz import image
from arena.building.oss_fuzz.checkout import ProjectFolder
from arena.building.oss_fuzz.clones import same_repository, stage_clones

URL = "https://anongit.example/git/Lib.git"


def repositories(folder: Path, *names: str) -> Path:
    for name in names:
        made = folder / name / "repo"
        made.mkdir(parents=True)
        line = "git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one"
        subprocess.run(["sh", "-c", line], cwd=made, check=True)
    return folder


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (("owner+lib", "owner+other"), "owner+lib"),
        (("git+Lib", "owner+lib"), "git+Lib"),
        (("one+lib", "two+lib"), None),
        (("owner+lib-tools", "a+b+lib"), None),
        ((), None),
    ],
)
def test_the_only_one_of_its_name_stands_for_a_moved_repository(
    names: tuple[str, ...], taken: str | None, tmp_path: Path
) -> None:
    found, missing = stage_clones([URL], repositories(tmp_path, *names), 2**40)
    assert [one.repository.parent.name for one in found] == [taken] * bool(taken)
    assert missing == [URL] * (not taken)


def test_debians_sources_stand_for_others_not_for_the_project_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are of today: an agent would find the fix in them, and the PoC among their tests."""
    wanted: list[tuple[str, ...]] = []

    class Stop(Exception):
        pass

    class Backend:
        def resolve(self, _: str, packages: tuple[str, ...]) -> str:
            wanted.append(packages)
            raise Stop

    lines = (
        "FROM gcr.io/oss-fuzz-base/base-builder",
        f"RUN git clone {URL}",
        "RUN git clone https://example.org/a/zlib",
    )
    folder = ProjectFolder(
        "lib", "tree", {"Dockerfile": "\n".join(lines).encode(), "build.sh": b""}
    )
    with pytest.raises(Stop):
        image.image_of(folder, 1, tmp_path, Backend(), None)  # type: ignore[arg-type]
    assert wanted == [("src:zlib",)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://github.com/boostorg/json", "git@github.com:nlohmann/json.git", True),
        ("https://git.code.sf.net/p/png/code", "http://hg.code.sf.net/p/magick/code", False),
        (
            "https://svn.example.org/p/one/branches/a",
            "https://svn.example.org/p/two/branches/a",
            False,
        ),
        ("https://example.org/trunk/one", "https://example.org/trunk/two", False),
        ("https://git.code.sf.net/p/lcms/code", "https://svn.example.org/lcms/code/trunk@7", True),
        ("https://github.com/nodejs/node", "https://github.com/nodejs/core", False),
        ("https://kernel.example.org/pub/git/git.git", "https://github.com/git/git", True),
        ("https://svn.one.example/trunk", "https://svn.two.example/trunk", False),
        ("https://svn.example.org/p/a/svn", "https://svn.example.org/p/b/svn", False),
        ("https://github.com/one/core", "https://github.com/two/core", False),
    ],
)
def test_what_names_one_repository(one: str, other: str, same: bool) -> None:
    assert same_repository(one, other) == same
