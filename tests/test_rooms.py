"""The order of the rooms: a room imports only from rooms below it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

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


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_only_from_rooms_below() -> None:
    wrong = {}
    for path in MODULES:
        room = path.relative_to(ROOT).parts[0]
        others = (imports(text_of(path)) & FLOOR.keys()) - {room}
        above = sorted(other for other in others if FLOOR[other] >= FLOOR[room])
        if above:
            wrong[named(path)] = above
    assert not wrong


def test_parsers_do_no_input_or_output() -> None:
    wrong = {}
    for path in (ROOT / "parsers").rglob("*.py"):
        allowed = {"pathlib"} if path.name == "registry.py" else set()
        text = text_of(path).replace("from pathlib import PurePosixPath", "")
        found = imports(text) & (INPUT_OUTPUT - allowed)
        if found:
            wrong[named(path)] = found
    assert not wrong


def test_files_and_functions_stay_short() -> None:
    wrong = {}
    for path in MODULES:
        lines = text_of(path).count("\n")
        if lines > MAX_LINES:
            wrong[named(path)] = lines
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MAX_FUNCTION:
                    wrong[f"{named(path)}:{node.name}"] = length
    assert not wrong


def test_every_room_says_what_lives_there() -> None:
    for path in {p.parent for p in MODULES}:
        note = path / "README.md"
        docstring = ast.get_docstring(ast.parse((path / "__init__.py").read_text("utf-8")))
        assert docstring or note.is_file(), path
        assert not (docstring or "").startswith("TODO")


def test_no_import_of_one_backend_where_the_protocol_is_meant() -> None:
    """Only the doctor and the tests may know a backend by name."""
    known = {named(path) for path in MODULES if "harness.sandbox.backends.docker" in text_of(path)}
    assert known <= {"arena/doctor/machine.py"}
