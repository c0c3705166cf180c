"""Without an extra what needs it says so in one line, and all else works."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena.store.store import AttemptKey, Store
from harness.extras import EXTRAS, MissingExtra, describe_missing_extra, need

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HEAVY = (
    *("aiohttp", "alembic", "docker", "fsspec", "httpx", "jinja2", "litellm", "openai", "psutil"),
    *(
        "pydantic",
        "requests",
        "rich",
        "semgrep",
        "sqlalchemy",
        "starlette",
        "typer",
        "uvicorn",
        "yaml",
    ),
    *(module for extra in EXTRAS.values() for module in extra.modules),
)
WITHOUT = (
    "import sys; sys.modules.update(dict.fromkeys({0!r})); sys.argv = {1!r}; import arena.__main__"
)
# Told where other tests on this machine were killed.
SWEPT = "removed what a dead run left behind"

SWEEP = """
pack = "{pack}"
track = "{track}"
[matrix]
agents = ["{agent}"]
"""
FILES = {
    "ray.toml": SWEEP.format(pack="starter", track="repo", agent="gold"),
    "mutation.toml": SWEEP.format(pack="mutation", track="mutation", agent="shipped"),
    "dual.toml": SWEEP.format(pack="dual", track="dual", agent="reference"),
}
NEEDS = (
    ("otlp", "export latest --to otlp --out traces"),
    ("parquet", "export latest --to parquet --out a.parquet"),
    ("postgres", "report --store postgresql://localhost/none"),
    ("ray", "sweep run ray.toml --engine ray"),
    ("mutation", "grade reference --pack mutation --json"),
    ("mutation", "study operators"),
    ("mutation", "study mutants"),
    ("mutation", "sweep run mutation.toml"),
    ("dual", "grade reference --pack dual --task note-reader"),
    ("dual", "sweep run dual.toml"),
    ("exposure", "study baseline --json"),
)
CORE = (
    "demo --help",
    "tasks list",
    "tasks show brook-include",
    "agents list",
    "attempts latest",
    "report latest",
    "report latest --html page.html",
    "export latest --to csv --out a.csv",
    "sweep plan ray.toml",
    "study cvss --help",
    "doctor --json",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A current folder with a store that holds one open attempt."""
    made = tmp_path_factory.mktemp("current")
    with_run = Store(made / ".arena")
    with_run.open_run("starter", [AttemptKey("brook-include", "gold")], {})
    for name, text in FILES.items():
        (made / name).write_text(text, "utf-8")
    return made


def arena(
    folder: Path, line: str, without: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> subprocess.CompletedProcess[str]:
    monkeypatch.delenv("ARENA_HOME", raising=False)
    code = WITHOUT.format(without, ["arena", *line.split()])
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.rotating(4)
@pytest.mark.parametrize(("extra", "line"), NEEDS, ids=lambda value: value)
def test_what_needs_an_extra_says_so_in_one_line(
    extra: str,
    line: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if "ray.toml" in line:  # its track is opened first
        request.getfixturevalue("docker")
    told_of(arena(folder, line, EXTRAS[extra].modules, monkeypatch), extra)


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "line"), [need for need in NEEDS if "score" in need[1] or "sweep" in need[1]]
)
def test_half_an_extra_is_told_before_anything_is_run(
    extra: str,
    line: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """Or programs of the pack would be said to lack what they import."""
    if "ray.toml" in line:  # its track is opened first
        request.getfixturevalue("docker")
    told_of(arena(folder, line, EXTRAS[extra].modules[-1:], monkeypatch), extra)


def told_of(done: subprocess.CompletedProcess[str], extra: str) -> None:
    told = f"arena: {EXTRAS[extra].purpose} needs the extra `{extra}`: "
    lines = [line for line in done.stderr.splitlines() if not line.startswith(SWEPT)]
    assert lines == [told + f"pip install '.[{extra}]' in a checkout"]
    assert done.returncode == 2


@pytest.mark.slow
@pytest.mark.rotating(4)
@pytest.mark.parametrize("line", CORE)
def test_the_core_needs_no_extra(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if "ray.toml" in line:
        request.getfixturevalue("docker")
    every = tuple(module for extra in EXTRAS.values() for module in extra.modules)
    done = arena(folder, line, every, monkeypatch)
    assert done.returncode in (0, 1 if line.startswith("doctor") else 0), done.stderr
    assert "Traceback" not in done.stderr


ALL = """
import importlib, sys
sys.modules.update(dict.fromkeys({0!r}))
for name in {1!r}:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        print(name)
"""
OF_EXTRAS = (
    "arena.tracks.mutation.",
    "arena.tracks.mutation.runner.",
    "arena.exchange.otlp",
    "arena.inspect",
)  # Inspect itself imports the last


@pytest.mark.slow
def test_no_module_of_the_core_imports_an_extra() -> None:
    """Gateway, agents, grader, store, sweeps, reports: all can be imported."""
    files = [
        path.relative_to(ROOT)
        for room in ("arena", "harness", "images", "parsers", "szz", "tasks")
        for path in sorted((ROOT / room).rglob("*.py"))
        if not {"packs", "drivers", "__main__.py", "env.py"} & set(path.parts)
    ]
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]
    every = [module for extra in EXTRAS.values() for module in extra.modules]
    command = [sys.executable, "-c", ALL.format(every, names)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    failed = done.stdout.split()
    assert failed and all(name.startswith(OF_EXTRAS) for name in failed), failed


def test_to_import_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, json, arena; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_the_table_is_that_of_the_project() -> None:
    listed = PROJECT["optional-dependencies"]
    assert set(EXTRAS) == set(listed) - {"all", "dev"}
    every = sorted(set(EXTRAS) - {"perplexity"})
    assert listed["all"] == [f"{PROJECT['name']}[{','.join(every)}]"]
    assert f"{PROJECT['name']}[all]" in listed["dev"]


def test_the_document_lists_each_with_what_needs_it() -> None:
    text = (ROOT / "docs/installing.md").read_text("utf-8")
    for name, extra in EXTRAS.items():
        assert f"| `{name}` | {extra.purpose} | " in text


@pytest.mark.slow
def test_a_part_of_the_core_that_is_gone_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    done = arena(Path.cwd(), "report", ("sqlalchemy",), monkeypatch)
    lacks = "this installation lacks the module sqlalchemy"
    assert done.stderr == f"arena: {lacks}: install secure-coding-arena again\n"
    assert done.returncode == 2


def test_other_errors_are_not_taken_for_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    assert describe_missing_extra(ValueError("x")) is None
    assert describe_missing_extra(ModuleNotFoundError("x", name="arena.nosuch")) is None
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra) as told:
        need("parquet")
    assert describe_missing_extra(told.value) is told.value
