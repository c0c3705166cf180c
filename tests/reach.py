"""Which test files a change reaches, by what the code imports: `python -m tests.reach REV`.

A test file is reached if it, or a file that it imports directly or not, differs from REV. Imports within functions
count; what the registry looks up by name counts for whoever names the package (`parsers.registry`). Of a
conftest.py only the fixtures that a test file asks for count, since it imports for all of them. A file that is no module
(a task, a template, a corpus) counts for the package that it lies in. `CORE` is reached by every change.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

TREE = Path(__file__).parents[1]
ROOMS = ("arena", "harness", "images", "parsers", "scripts", "szz", "tasks", "tests")
# The layout and the documents, the label table, one grading of each cause, one run of each track.
CORE = (
    "tests/test_rooms.py",
    "tests/test_patterns.py",
    "tests/test_docs.py",
    "tests/test_docs_formats.py",
    "tests/test_docs_labels.py",
    "tests/harness/grade/test_decide.py",
    "tests/harness/grade/test_testing.py",
    "tests/harness/grade/test_causes.py",
    "tests/arena/tracks/test_matrix_of_tracks.py",
)
# Files on which every test rests.
ALL_TESTS = (
    "pyproject.toml",
    "requirements.lock",
    "tests/conftest.py",
    "tests/tiers.py",
    "scripts/test",
)
LOOKUPS = frozenset({"lookup", "names", "module", "directory"})


@dataclass
class Imports:
    """What one file imports: files, at its top and anywhere; its fixtures and the arguments of its functions."""

    top: set[str] = field(default_factory=set)
    anywhere: set[str] = field(default_factory=set)
    fixtures: dict[str, set[str]] = field(default_factory=dict)
    arguments: set[str] = field(default_factory=set)


class ImportGraph:
    """The imports between the Python files of a tree, as paths relative to it."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        packages = {path.parent for room in ROOMS for path in (tree / room).rglob("__init__.py")}
        packages |= {tree / "scripts" / name for name in ("", "bench", "mutants", "same")}
        self.files = sorted(
            path.relative_to(tree).as_posix() for folder in packages for path in folder.glob("*.py")
        )
        self._known = set(self.files)
        self._read: dict[str, Imports] = {}
        self._loaded: dict[str, set[str]] = {}

    @cached_property
    def tests(self) -> list[str]:
        """The test files."""
        mine = (name for name in self.files if name.startswith("tests/"))
        return [name for name in mine if PurePosixPath(name).name.startswith("test_")]

    def reached(self, changed: Iterable[str]) -> list[str]:
        """The test files that a change of these files reaches, `CORE` among them; sorted."""
        names = {*changed}
        if names & {*ALL_TESTS}:
            return self.tests
        modules = {module for name in names for module in self._modules_of(name)}
        core = {name for name in CORE if name in self._known}
        mentioned = {PurePosixPath(name).name.encode() for name in names - self._known}
        naming = {test for test in self.tests if self._mentions(test, mentioned)}
        needing = {test for test in self.tests if self.needed_by(test) & modules}
        return sorted(core | naming | needing)

    def _mentions(self, test: str, names: Collection[bytes]) -> bool:
        """Whether a test file has one of these file names in its text, as of a script that it starts."""
        text = (self.tree / test).read_bytes() if names else b""
        return any(name in text for name in names)

    def needed_by(self, test: str) -> set[str]:
        """The files that a test file needs, itself among them."""
        needed: set[str] = set()
        pending = [test, *self._fixtures_of(test)]
        while pending:
            name = pending.pop()
            if name not in needed:
                needed.add(name)
                pending += self._imports(name).anywhere
        inits = {init for name in needed for init in self._loaded_with(name)}
        return needed | inits | self._conftests_of(test)

    def _conftests_of(self, test: str) -> set[str]:
        """The conftest files of which a test file asks for a fixture, without what else they import."""
        arguments = self._imports(test).arguments
        files = {f"{folder}/conftest.py" for folder in PurePosixPath(test).parents} & self._known
        return {name for name in files if arguments & self._imports(name).fixtures.keys()}

    def _loaded_with(self, name: str) -> set[str]:
        """What importing a file runs besides: `__init__.py` of the packages around it, with their own imports."""
        folder = str(PurePosixPath(name).parent)
        if folder not in self._loaded:
            loaded: set[str] = set()
            pending = [init for init in self._packages_of(name) if init in self._known]
            while pending:
                init = pending.pop()
                if init not in loaded:
                    loaded.add(init)
                    pending += self._imports(init).top
            self._loaded[folder] = loaded
        return self._loaded[folder]

    def _packages_of(self, name: str) -> list[str]:
        return [
            f"{folder}/__init__.py" for folder in PurePosixPath(name).parents if str(folder) != "."
        ]

    def _fixtures_of(self, test: str) -> set[str]:
        """The files that the fixtures need which a test file, or such a fixture, asks for by name."""
        folders = [str(folder) for folder in PurePosixPath(test).parents]
        conftests = [
            self._imports(f"{folder}/conftest.py")
            for folder in folders
            if f"{folder}/conftest.py" in self._known
        ]
        needed: set[str] = set()
        asked, pending = set[str](), [*self._imports(test).arguments]
        while pending:
            name = pending.pop()
            if name in asked:
                continue
            asked.add(name)
            for conftest in conftests:
                for need in conftest.fixtures.get(name, ()):
                    needed.add(need) if need in self._known else pending.append(need)
        return needed

    def _modules_of(self, changed: str) -> set[str]:
        """A changed file as modules: itself, or those of the nearest package where it is none, or gone."""
        path = PurePosixPath(changed)
        if changed in self._known:
            return {changed}
        for folder in path.parents:
            if f"{folder}/__init__.py" in self._known:
                return {name for name in self.files if PurePosixPath(name).parent == folder}
        return {changed}

    def _imports(self, name: str) -> Imports:
        if name not in self._read:
            self._read[name] = read_imports(self, name)
        return self._read[name]

    def resolve(self, dotted: str) -> str | None:
        """The file of a module, or None where it is not of this tree."""
        path = dotted.replace(".", "/")
        return next((n for n in (f"{path}.py", f"{path}/__init__.py") if n in self._known), None)

    def matching(self, text: ast.JoinedStr) -> list[str]:
        """The files of the modules that an f-string such as `arena.tracks.{name}.labels` can name."""
        parts = [str(v.value) if isinstance(v, ast.Constant) else None for v in text.values]
        if not parts or parts[0] is None or not re.fullmatch(r"[a-z_]+(\.[a-z_]+)*\.?", parts[0]):
            return []
        pattern = "".join("[a-z0-9_]+" if part is None else re.escape(part) for part in parts)
        return [name for dotted, name in self._dotted.items() if re.fullmatch(pattern, dotted)]

    @cached_property
    def _dotted(self) -> dict[str, str]:
        return {
            name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name
            for name in self.files
        }

    @cached_property
    def entries(self) -> dict[str, set[str]]:
        """Package -> the files that the registry can find in it, by its dotted name."""
        found: dict[str, set[str]] = {}
        for name in self.files:
            path = PurePosixPath(name)
            package = path.parent.parent if path.name == "__init__.py" else path.parent
            found.setdefault(str(package).replace("/", "."), set()).add(name)
        return {
            package: names
            for package, names in found.items()
            if f"{package.replace('.', '/')}/__init__.py" in self._known
        }


def read_imports(graph: ImportGraph, name: str) -> Imports:
    """Parse one file; what does not parse imports nothing."""
    imports = Imports()
    try:
        parsed = ast.parse((graph.tree / name).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return imports
    package = PurePosixPath(name).parent.as_posix().replace("/", ".")
    nodes = [*ast.walk(parsed)]
    for node in nodes:
        imports.anywhere |= {*_targets(graph, node, package)}
    for statement in parsed.body:
        imports.top |= {*_targets(graph, statement, package)}
    if name.startswith("tests/"):
        _read_fixtures(imports, nodes, _bound_names(graph, nodes))
    return imports


def _read_fixtures(
    imports: Imports, nodes: Iterable[ast.AST], bound: Mapping[str, set[str]]
) -> None:
    """What functions ask for by their arguments, and the files behind the names that they use."""
    for function in nodes:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = {argument.arg for argument in function.args.args}
            names = (node.id for node in ast.walk(function) if isinstance(node, ast.Name))
            needs = {target for name in names for target in bound.get(name, ())}
            imports.arguments |= arguments
            imports.fixtures[function.name] = arguments | needs


def _targets(graph: ImportGraph, node: ast.AST, package: str) -> Iterator[str]:
    """The files that a statement imports, or that a text or a look-up in it names."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value[:80]:
        dotted = node.value.partition(":")[0]
        names = [dotted]
        yield from graph.entries.get(dotted, ())
    elif isinstance(node, ast.JoinedStr):
        yield from graph.matching(node)
    elif isinstance(node, ast.List | ast.Tuple):
        texts = [getattr(element, "value", None) for element in node.elts]
        names = [f"{texts[at + 1]}.__main__" for at, text in enumerate(texts[:-1]) if text == "-m"]
    elif isinstance(node, ast.Call) and _name_of(node.func) in LOOKUPS:
        arguments = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
        yield from graph.entries.get(package, ()) if "__name__" in arguments else ()
    yield from filter(None, map(graph.resolve, names))


def _name_of(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _bound_names(graph: ImportGraph, nodes: Iterable[ast.AST]) -> dict[str, set[str]]:
    """The names that imports bind, with the files behind them."""
    bound: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                dotted = (f"{node.module}.{alias.name}", node.module)
                target = next(filter(None, map(graph.resolve, dotted)), None)
                if target:
                    bound.setdefault(alias.asname or alias.name, set()).add(target)
    return bound


def changed_files(tree: Path, revision: str) -> list[str]:
    """The files that differ from a revision, new ones among them. Raises CalledProcessError for an unknown one."""
    git = ["git", "-C", str(tree)]
    listed = (
        [*git, "diff", "--name-only", "-z", "--no-renames", revision, "--"],
        [*git, "ls-files", "-z", "--others", "--exclude-standard"],
    )
    outputs = [subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout for line in listed]
    return sorted(
        {
            name.decode("utf-8", "surrogateescape")
            for out in outputs
            for name in out.split(b"\0")
            if name
        }
    )


def main() -> int:
    """Print the reached test files, one a line."""
    try:
        changed = changed_files(TREE, sys.argv[1])
    except (IndexError, subprocess.CalledProcessError):
        print("usage: python -m tests.reach REV (a revision that git knows)", file=sys.stderr)
        return 2
    graph = ImportGraph(TREE)
    chosen = graph.reached(changed)
    print(
        f"{len(changed)} changed files reach {len(chosen)} of {len(graph.tests)} test files",
        file=sys.stderr,
    )
    print("\n".join(chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
