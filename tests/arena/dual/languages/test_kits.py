"""Kits: packages of candidates, installed without running anything of theirs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from arena.tracks.dual.languages import kits as kits_module
from arena.tracks.dual.languages.kits import KitError, KitFault, Kits, distribution

METADATA = "Metadata-Version: 2.1\nName: tidekit\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one wheel of our own, which is all that pip can find."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tidekit-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tidekit.py", "HIGH = 3\n")
        wheel.writestr("tidekit-1.0.dist-info/METADATA", METADATA)
        wheel.writestr("tidekit-1.0.dist-info/WHEEL", WHEEL)
        wheel.writestr("tidekit-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.slow
def test_a_kit_is_made_once(wheels: Path, tmp_path: Path) -> None:
    kits = Kits(tmp_path / "kits")
    made = kits.install("python", ["tidekit"])
    assert (made / "tidekit.py").read_text() == "HIGH = 3\n"
    assert made.stat().st_mode & 0o777 == 0o755, "a program runs as nobody"
    (wheels / "tidekit-1.0-py3-none-any.whl").unlink()
    assert kits.install("python", ["tidekit", "tidekit"]) == made
    assert [path.name for path in (tmp_path / "kits").iterdir()] == [made.name]


@pytest.mark.slow
def test_what_cannot_be_had_leaves_nothing_behind(wheels: Path, tmp_path: Path) -> None:
    kits = Kits(tmp_path / "kits")
    with pytest.raises(KitError, match="pip install"):
        kits.install("python", ["no-such-tidekit"])
    assert not list((tmp_path / "kits").iterdir())


@pytest.mark.slow
def test_sources_are_never_built(wheels: Path, tmp_path: Path) -> None:
    """A source distribution runs its own code when it is installed; it is as if it were not there."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "setup.py").write_text("raise SystemExit('it ran')\n")
    import tarfile

    with tarfile.open(wheels / "sourcekit-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "sourcekit-1.0")
    with pytest.raises(KitError) as told:
        Kits(tmp_path / "kits").install("python", ["sourcekit"])
    assert "it ran" not in str(told.value)


@pytest.mark.parametrize(
    "name", ["../up", "https://x/y.whl", "--index-url=x", "a b", "name; rm", "", "./here", "git+x"]
)
def test_only_plain_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(KitError, match="no plain name"):
        Kits(tmp_path / "kits").install("python", [name])


def test_not_too_many(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="at most"):
        Kits(tmp_path / "kits").install("python", [f"p{n}" for n in range(31)])


def test_names_that_differ_from_the_import() -> None:
    assert distribution("yaml") == "pyyaml"
    assert distribution("requests") == "requests"


@pytest.mark.parametrize(
    ("said", "raised"),
    [
        ("ERROR: No matching distribution found for tidekit", KitError),
        ("npm error code E404", KitError),
        ("WARNING: Retrying (Retry(total=0\nERROR: No matching distribution found for x", KitFault),
        ("npm error code ENOTFOUND", KitFault),
        ("ERROR: Could not install packages due to an OSError: no space left", KitFault),
    ],
)
def test_an_index_that_is_not_reached_is_no_fault_of_the_candidate(
    said: str, raised: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["/bin/sh", "-c", f"printf '%s\\n' \"{said}\" >&2; exit 1"]
    monkeypatch.setattr(kits_module, "_command", lambda *told: command)
    with pytest.raises(raised):
        Kits(tmp_path / "kits").install("python", ["tidekit"])
    assert not list((tmp_path / "kits").iterdir())
