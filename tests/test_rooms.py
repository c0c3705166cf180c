"""The order of the rooms: a room imports only from rooms below it, and nothing imports in circles."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOOR = {"arena": 4, "harness": 3, "images": 2, "tasks": 2, "szz": 1, "parsers": 1}
MAX_LINES = 400
MAX_FUNCTION = 60
MAX_TWICE = 20
INPUT_OUTPUT = {"os", "subprocess", "socket", "pathlib", "shutil", "tempfile"}
MODULES = [
    p for room in FLOOR for p in sorted((ROOT / room).rglob("*.py")) if "packs" not in p.parts
]
# Who imports whom, and by which line: name -> imported name -> "file:line: import".
Graph = dict[str, dict[str, str]]


pytestmark = [pytest.mark.xdist_group("rooms"), pytest.mark.slow]  # one worker parses all of it


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@dataclass(frozen=True)
class ModuleFacts:
    """What the tests ask of a module: the tree that it was read from would be walked by every garbage collection."""

    # Of each import the line and what it may name: `from a import b` is `a.b`, a module or not.
    imports: list[tuple[int, list[str]]]
    # Lines of each function.
    lengths: list[tuple[str, int]]
    classes: list[str]


@cache
def facts_of(path: Path) -> ModuleFacts:
    tree = ast.parse(text_of(path))
    facts = ModuleFacts([], [], [one.name for one in tree.body if isinstance(one, ast.ClassDef)])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            facts.imports.append((node.lineno, [alias.name for alias in node.names]))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative imports are not followed"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            facts.imports.append((node.lineno, names))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            facts.lengths.append((node.name, length))
    return facts


def rooms_of(path: Path) -> set[str]:
    """First names of what a file imports: rooms and libraries."""
    return {target.partition(".")[0] for _, targets in facts_of(path).imports for target in targets}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def dotted(path: Path, root: Path) -> str:
    """The name that a file is imported by."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def module_graph(files: list[Path], root: Path = ROOT) -> Graph:
    """All imports between these files: at the top, in functions and under TYPE_CHECKING."""
    known = {dotted(path, root) for path in files}
    graph: Graph = {name: {} for name in sorted(known)}
    for path in files:
        name, lines = dotted(path, root), text_of(path).splitlines()
        for line, targets in facts_of(path).imports:
            for target in targets:
                found = target if target in known else target.rpartition(".")[0]
                if found in known and found != name:
                    place = f"{path.relative_to(root)}:{line}: {lines[line - 1].strip()}"
                    graph[name].setdefault(found, place)
    return graph


def sibling_graph(modules: Graph) -> Graph:
    """The same imports between siblings: a.b.c.d importing a.b.x.y is a.b.c importing a.b.x."""
    graph: Graph = {}
    for name, imported in modules.items():
        for other, place in imported.items():
            for one, two in zip(prefixes(name), prefixes(other), strict=False):
                if one != two:
                    graph.setdefault(one, {}).setdefault(two, place)
                    break
    return graph


def prefixes(name: str) -> Iterator[str]:
    """a.b.c -> a, a.b, a.b.c."""
    return accumulate(name.split("."), lambda above, part: f"{above}.{part}")


def circles(graph: Graph) -> Iterator[str]:
    """Circles as the lines that make them: all of two, then of those left some that share no import."""
    left = {name: set(imported) for name, imported in graph.items()}
    found = [[a, b, a] for a in left for b in left[a] if a < b and a in left.get(b, ())]
    while found or (found := longer(left)):
        edges = list(pairwise(found.pop()))
        yield "\n".join(["", *(f"{a} -> {b}: {graph[a][b]}" for a, b in edges)])
        for importer, imported in edges:
            left[importer].discard(imported)


def longer(graph: dict[str, set[str]]) -> list[list[str]]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [error.args[1][::-1]]  # there, each comes before what imports it
    return []


@pytest.mark.parametrize("between", [dict, sibling_graph], ids=["modules", "packages"])
def test_nothing_imports_in_a_circle(between: Callable[[Graph], Graph]) -> None:
    """No circle between modules, and none between packages.

    A module circle: modules of which each imports the next, and the last one the first. An import counts
    wherever it stands: one in a function or under TYPE_CHECKING hides a circle and does not undo it. Names
    that are looked up when the program runs (`lookup`, `import_module`) are no imports.

    A package circle: packages, or modules beside them, which are siblings (of one parent; the rooms are
    siblings too), and something in each imports something in the next, and in the last something in the
    first. All levels are looked at: `a.b.c` importing `a.x.y` is `a.b` importing `a.x`. A package and what
    is inside it are no siblings: an `__init__` that re-exports its children makes no package circle; it
    makes a module circle when such a child imports from the `__init__`.
    """
    found = sorted(circles(between(module_graph(MODULES))))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("files", "modules", "siblings"),
    [
        ({"a/b.py": "import a.c", "a/c.py": "import json"}, 0, 0),
        ({"a/b.py": "import a.c", "a/c.py": "def f():\n    from a import b"}, 1, 1),
        ({"a/b.py": "if TYPE_CHECKING:\n    from a.c import C", "a/c.py": "import a.b"}, 1, 1),
        ({"a/b/x.py": "import a.c.x", "a/c/x.py": "", "a/c/y.py": "import a.b.x"}, 0, 1),
        ({"a/b.py": "import a.c", "a/c.py": "import a.d", "a/d.py": "import a.b"}, 1, 1),
        ({"a/__init__.py": "from a.b import B", "a/b.py": ""}, 0, 0),
        ({"a/__init__.py": "from a.b import B", "a/b.py": "from a import A"}, 1, 0),
    ],
)
def test_circles_are_found(
    files: dict[str, str], modules: int, siblings: int, tmp_path: Path
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    graph = module_graph(sorted(tmp_path.rglob("*.py")), tmp_path)
    assert len(list(circles(graph))) == modules
    assert len(list(circles(sibling_graph(graph)))) == siblings


def test_imports_only_from_rooms_below() -> None:
    wrong = {}
    for path in MODULES:
        room = path.relative_to(ROOT).parts[0]
        others = (rooms_of(path) & FLOOR.keys()) - {room}
        above = sorted(other for other in others if FLOOR[other] >= FLOOR[room])
        if above:
            wrong[named(path)] = above
    assert not wrong


def test_no_track_imports_another() -> None:
    wrong = []
    for path in (ROOT / "arena" / "tracks").rglob("*.py"):
        track = path.relative_to(ROOT / "arena" / "tracks").parts[0]
        targets = {target for _, names in facts_of(path).imports for target in names}
        tracks = {"repo", "mutation", "dual", "exposure"} - {track}
        wrong += [
            f"{named(path)}: {target}"
            for target in targets
            if target.startswith("arena.tracks.") and target.split(".")[2] in tracks
        ]
    assert not wrong


def test_parsers_do_no_input_or_output() -> None:
    wrong = {}
    for path in (ROOT / "parsers").rglob("*.py"):
        allowed = {"pathlib"} if path.name == "registry.py" else set()
        targets = {target for _, names in facts_of(path).imports for target in names}
        found = {name.partition(".")[0] for name in targets - {"pathlib.PurePosixPath"}}
        found &= INPUT_OUTPUT - allowed
        if found:
            wrong[named(path)] = found
    assert not wrong


def test_files_and_functions_stay_short() -> None:
    wrong = {}
    for path in MODULES:
        lines = text_of(path).count("\n")
        if lines > MAX_LINES:
            wrong[named(path)] = lines
        for name, length in facts_of(path).lengths:
            if length > MAX_FUNCTION:
                wrong[f"{named(path)}:{name}"] = length
    assert not wrong


def test_few_class_names_stand_in_two_places() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for name in facts_of(path).classes:
            places.setdefault(name, []).append(named(path))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert len(twice) <= MAX_TWICE, twice


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
