"""What a change reaches: each way in which a test needs a file, and a broken line of each room."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reach import CORE, ImportGraph, changed_files

FILES = {
    "arena/__init__.py": "",
    "arena/top.py": "from parsers.registry import lookup\n\ndef used():\n    from arena import late\n",
    "arena/late.py": "import harness.deep\n",
    "arena/alone.py": "",
    "arena/words/__init__.py": "from parsers.registry import lookup, names\nlookup(__name__, names(__name__)[0])\n",
    "arena/words/first.py": "",
    "arena/words/data.json": "{}",
    "arena/choosing.py": 'from parsers.registry import lookup\nPACKAGE = "arena.words"\nlookup(PACKAGE, "x")\n',
    "arena/by_form.py": 'import x\nx.load(f"arena.words.{name}")\n',
    "arena/__main__.py": "",
    "arena/by_path.py": 'TRACKS = {"x": "arena.alone:Track"}\n',
    "harness/__init__.py": "",
    "harness/deep.py": "",
    "harness/inner/__init__.py": "from harness import shared\n",
    "harness/inner/leaf.py": "",
    "harness/shared.py": "",
    "parsers/__init__.py": "",
    "parsers/registry.py": "",
    "tasks/__init__.py": "",
    "tasks/packs/a/task.toml": "",
    "tests/__init__.py": "",
    "tests/conftest.py": (
        "import pytest\nfrom harness.deep import x\nfrom harness import shared\n\n"
        "@pytest.fixture\ndef box(made):\n    return x\n\n@pytest.fixture\ndef made():\n    return shared\n"
    ),
    "tests/helper.py": "import arena.alone\n",
    "tests/test_top.py": "from arena import top\n\ndef test_a(): ...\n",
    "tests/test_box.py": "def test_a(box): ...\n",
    "tests/test_leaf.py": "import harness.inner.leaf\n",
    "tests/test_helped.py": "from tests.helper import x\n",
    "tests/test_choosing.py": "import arena.choosing\n",
    "tests/test_words.py": "import arena.words\n",
    "tests/test_by_path.py": "import arena.by_path\n",
    "tests/test_by_form.py": "import arena.by_form\n",
    "tests/test_run.py": 'import sys\nLINE = [sys.executable, "-m", "arena", "--help"]\nSCRIPT = "scripts/demo"\n',
    "tests/part/conftest.py": "import pytest\n\n@pytest.fixture\ndef thing(): ...\n",
    "tests/test_tasks.py": "import tasks\n",
    "tests/test_nothing.py": "",
    "tests/part/__init__.py": "",
    "tests/part/test_part.py": "def test_a(thing): ...\n",
    "tests/part/corpus/sample.py": "",
    "docs/labels.md": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ("tests/test_nothing.py", "nothing"),
        ("arena/top.py", "top"),
        ("arena/late.py", "top"),  # an import within a function
        ("harness/deep.py", "top box"),  # through another file; a fixture of conftest.py
        ("harness/shared.py", "box leaf"),  # a fixture's fixture; what the package imports
        ("harness/__init__.py", "top box leaf"),
        ("arena/alone.py", "helped by_path"),  # through a helper of the tests; by a dotted path
        ("arena/words/first.py", "by_form choosing words"),  # by the package's name, by an f-string
        ("arena/words/data.json", "by_form choosing words"),  # a file that is no module
        ("arena/words/gone.py", "by_form choosing words"),  # a module that was removed
        ("tasks/packs/a/task.toml", "tasks"),
        ("tests/part/corpus/sample.py", "part/test_part"),
        ("tests/part/conftest.py", "part/test_part"),
        ("arena/__main__.py", "run"),
        ("scripts/demo", "run"),  # a file that a test names
        ("docs/labels.md", ""),
        ("parsers/registry.py", "top by_form choosing words"),
    ],
)
def test_each_way_to_a_test_is_followed(tree: Path, changed: str, reached: str) -> None:
    names = {name if "/" in name else f"test_{name}" for name in reached.split()}
    assert ImportGraph(tree).reached([changed]) == sorted(f"tests/{name}.py" for name in names)


@pytest.mark.parametrize("changed", ["pyproject.toml", "tests/conftest.py", "tests/tiers.py"])
def test_what_every_test_rests_on_reaches_all(tree: Path, changed: str) -> None:
    assert len(ImportGraph(tree).reached([changed])) == 12


def test_the_core_is_reached_by_every_change(tree: Path) -> None:
    path = tree / CORE[0]
    path.write_text("")
    assert ImportGraph(tree).reached(["docs/labels.md"]) == [CORE[0]]
    here = Path(__file__).parents[1]
    assert all((here / name).is_file() for name in CORE)


def test_changes_are_those_of_the_working_tree_and_new_files(tree: Path) -> None:
    def git(*arguments: str) -> None:
        settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *settings, *arguments], cwd=tree, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    assert changed_files(tree, "HEAD") == []
    (tree / "arena/top.py").write_text("")
    (tree / "arena/new one.py").write_text("")
    (tree / "arena/late.py").unlink()
    assert changed_files(tree, "HEAD") == ["arena/late.py", "arena/new one.py", "arena/top.py"]
    with pytest.raises(subprocess.CalledProcessError):
        changed_files(tree, "no-such-revision")


HERE = Path(__file__).parents[1]
# Room -> a file of it, a line before and after it is broken, and a test file that must be chosen and fail.
BROKEN = {
    "arena": (
        "arena/report/statistics.py",
        "inv_cdf((1 + LEVEL) / 2)",
        "inv_cdf((1 + LEVEL) / 3)",
        "tests/arena/report/test_statistics.py",
    ),
    "harness": (
        "harness/grade/decide.py",
        "if not all(reported)",
        "if not any(reported)",
        "tests/harness/grade/test_decide.py",
    ),
    "images": (
        "images/builder.py",
        'PREFIX = "arena/"',
        'PREFIX = "other/"',
        "tests/images/test_builder.py",
    ),
    "tasks": ("tasks/seal.py", "hexdigest()[:10]", "hexdigest()[:9]", "tests/tasks/test_seal.py"),
    "szz": (
        "szz/proof/prove.py",
        "MAX_OLDER_CANDIDATES = 3",
        "MAX_OLDER_CANDIDATES = 2",
        "tests/szz/test_prove_order.py",
    ),
    "parsers": (
        "parsers/crashes/__init__.py",
        "MAX_COMPARED_FRAMES = 5",
        "MAX_COMPARED_FRAMES = 6",
        "tests/parsers/test_crash_alike.py",
    ),
}


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    return ImportGraph(HERE)


@pytest.mark.nightly("the suite within the suite")
@pytest.mark.parametrize("room", BROKEN)
def test_a_broken_line_of_each_room_fails_a_chosen_test(
    room: str, graph: ImportGraph, tmp_path: Path
) -> None:
    name, before, after, test = BROKEN[room]
    assert test in graph.reached([name])
    for folder in ("arena", "harness", "images", "parsers", "szz", "tasks", "tests"):
        shutil.copytree(
            HERE / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(HERE / "pyproject.toml", tmp_path)
    path = tmp_path / name
    assert before in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")
    quick = ("--tier", "quick", "-q", "-x", "-p", "no:cacheprovider", test)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *quick], cwd=tmp_path, check=False, capture_output=True
    )
    assert (done.returncode, b"1 failed" in done.stdout) == (1, True), done.stdout[-2000:].decode()
