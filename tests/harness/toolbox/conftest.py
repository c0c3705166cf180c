"""A tiny program as a wheel, its toolbox (made once), and a folder that any user can reach."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.toolbox import Toolbox, Toolboxes
from harness.toolbox.recipe import Recipe
from tests.harness.toolbox.programs import Tiny

CODE = "import sys\n\ndef main():\n    print('tiny', sys.prefix)\n"
METADATA = "Metadata-Version: 2.1\nName: tiny-agent\nVersion: {version}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ENTRY = "[console_scripts]\ntiny = tiny_agent:main\n"


def write_wheel(folder: Path, version: str = "1.0", code: str = CODE) -> Path:
    """A wheel with one module and one program, made by hand so that nothing is built or downloaded."""
    info = f"tiny_agent-{version}.dist-info"
    path = folder / f"tiny_agent-{version}-py3-none-any.whl"
    names = {
        "tiny_agent/__init__.py": code,
        f"{info}/METADATA": METADATA.format(version=version),
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": ENTRY,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in names.items():
            archive.writestr(name, text)
        record = "".join(f"{name},,\n" for name in (*names, f"{info}/RECORD"))
        archive.writestr(f"{info}/RECORD", record)
    return path


@dataclass(frozen=True)
class Place:
    """A folder of toolboxes with a wheel, so that interpreters are copied once."""

    boxes: Toolboxes
    wheel: Path
    program: Tiny
    toolbox: Toolbox


@pytest.fixture(scope="session")
def place() -> Iterator[Place]:
    """The folder is not below pytest's, which only its owner may enter."""
    folder = Path(tempfile.mkdtemp(prefix="arena-toolboxes-"))
    folder.chmod(0o755)
    wheel = write_wheel(folder)
    program = Tiny(packages=(str(wheel),))
    boxes = Toolboxes(folder / "boxes")
    yield Place(boxes, wheel, program, boxes.install(program))
    shutil.rmtree(folder)


@pytest.fixture
def named(place: Place) -> Iterator[Callable[[str, Recipe], Tiny]]:
    """Programs with a name of the test's own; their folders are gone afterwards."""
    made: list[Tiny] = []

    def make(name: str, recipe: Recipe) -> Tiny:
        made.append(Tiny(name, recipe=recipe))
        return made[-1]

    yield make
    for program in made:
        for found in place.boxes.list():
            if found.name == program.name:
                shutil.rmtree(found.path)
