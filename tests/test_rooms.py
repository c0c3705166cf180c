"""The order of the rooms: a room imports only from rooms below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOOR = {"arena": 4, "harness": 3, "images": 2, "tasks": 2, "szz": 1, "parsers": 1}
MAX_LINES = 400
MAX_FUNCTION = 60
INPUT_OUTPUT = {"os", "subprocess", "socket", "pathlib", "shutil", "tempfile"}
MODULES = [
    p for room in FLOOR for p in sorted((ROOT / room).rglob("*.py")) if "packs" not in p.parts
]


def imports(text: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_only_from_rooms_below(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    above = {
        r
        for r in imports(path.read_text("utf-8")) & FLOOR.keys()
        if r != room and FLOOR[r] >= FLOOR[room]
    }
    assert not above, f"{room} (floor {FLOOR[room]}) imports {sorted(above)}"


@pytest.mark.parametrize("path", sorted((ROOT / "parsers").rglob("*.py")), ids=lambda p: p.name)
def test_parsers_do_no_input_or_output(path: Path) -> None:
    text = path.read_text("utf-8").replace("from pathlib import PurePosixPath", "")
    path_of_packages = {"pathlib"} if path.name == "registry.py" else set()
    assert not imports(text) & (INPUT_OUTPUT - path_of_packages)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= MAX_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= MAX_FUNCTION, f"{node.name} has {length} lines"


def test_every_room_says_what_lives_there() -> None:
    for path in {p.parent for p in MODULES}:
        note = path / "README.md"
        docstring = ast.get_docstring(ast.parse((path / "__init__.py").read_text("utf-8")))
        assert docstring or note.is_file(), path
        assert not (docstring or "").startswith("TODO")


def test_no_import_of_one_backend_where_the_protocol_is_meant() -> None:
    """Only the doctor and the tests may know a backend by name."""
    known = {
        str(path.relative_to(ROOT))
        for path in MODULES
        if "harness.sandbox.backends.docker" in path.read_text("utf-8")
    }
    assert known <= {"arena/doctor.py"}
