"""Packages of npm: which native program is taken, and what is refused. npm is a stand-in here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.toolbox import ToolboxError, node
from harness.toolbox.recipe import NodeRecipe, Recipe
from tests.harness.toolbox.conftest import Place
from tests.harness.toolbox.programs import Tiny

pytestmark = pytest.mark.slow

Named = Callable[[str, Recipe], Tiny]
NPM = """#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
cp -r "{tree}/node_modules" "$2/"
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the stand-in for npm lays down: a package whose program is a native one of another package."""
    modules = tmp_path / "tree/node_modules"
    write(modules / "@maker/agent/package.json", {"version": "1.0", "bin": {"agent": "bin/a.js"}})
    write(modules / "@maker/agent/bin/a.js", "#!/usr/bin/env node\n")
    listed = {"": {}, "node_modules/@maker/agent": {"version": "1.0"}}
    write(modules / ".package-lock.json", {"packages": listed})
    npm = tmp_path / "path/npm"
    npm.parent.mkdir()
    npm.write_text(NPM.format(tree=modules.parent))
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(npm.parent), prepend=os.pathsep)
    return modules


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def native(path: Path, program: str = "true") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(shutil.which(program) or "").resolve(), path)
    return path


def test_a_native_program_is_bound_to_the_copied_libraries(
    place: Place, named: Named, tree: Path
) -> None:
    native(tree / "@maker/agent-linux-x64/bin/agent", "bash")
    made = place.boxes.install(named("native", NodeRecipe(("@maker/agent@1.0",))))
    assert made.facts["packages"] == {"@maker/agent": "1.0"}
    assert made.facts["programs"] == ["agent"]
    code = "mapfile -t all < /proc/$$/maps; printf '%s\\n' \"${all[@]}\""
    said = subprocess.check_output([made.path / "bin/agent", "-c", code], text=True)
    loaded = {line.split()[-1] for line in said.splitlines() if ".so" in line}
    assert loaded
    assert not [path for path in loaded if not path.startswith(str(place.boxes.folder))]


def test_a_package_without_a_native_program_is_refused(
    place: Place, named: Named, tree: Path
) -> None:
    with pytest.raises(ToolboxError, match="agent: its package brings no native program"):
        place.boxes.install(named("scripted", NodeRecipe(("@maker/agent@1.0",))))


def test_a_package_without_programs_is_refused(place: Place, named: Named, tree: Path) -> None:
    write(tree / "@maker/agent/package.json", {"version": "1.0"})
    with pytest.raises(ToolboxError, match="brings no program"):
        place.boxes.install(named("empty", NodeRecipe(("@maker/agent@1.0",))))


def test_a_missing_npm_is_named(
    place: Place, named: Named, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node.shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolboxError, match="npm is not on this machine"):
        place.boxes.install(named("none", NodeRecipe(("@maker/agent@1.0",))))


def test_programs_of_other_processors_and_links_are_passed_over(tmp_path: Path) -> None:
    own = node.CPU_NAMES[node.platform.machine()]
    other = next(cpu for cpu in node.CPU_NAMES.values() if cpu != own)
    fits = native(tmp_path / f"agent-linux-{own}/bin/agent.exe")
    native(tmp_path / f"agent-linux-{other}/bin/agent")
    native(tmp_path / f"agent-linux-{own}/bin/agent-helper")
    write(tmp_path / "bin/agent", "#!/bin/sh\n")
    (tmp_path / "link").mkdir()
    (tmp_path / "link/agent").symlink_to(fits)
    assert list(node._natives(tmp_path, "agent")) == [fits]


@pytest.mark.parametrize(("avx2", "wanted"), [(True, "agent"), (False, "agent-baseline")])
def test_the_kind_that_the_processor_can_run_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, avx2: bool, wanted: str
) -> None:
    monkeypatch.setattr(node, "_has_avx2", lambda: avx2)
    monkeypatch.setattr(node.elf, "is_static", lambda _: False)
    kinds = ("agent-baseline-musl", "agent-baseline", "agent-musl", "agent")
    paths = [native(tmp_path / kind / "bin/agent") for kind in kinds]
    assert min(paths, key=node._preference).parts[-3] == wanted


@pytest.mark.parametrize(
    ("package", "name"),
    [("a@1", "a"), ("@s/a@1.2", "@s/a"), ("@s/a", "@s/a"), ("a", "a"), ("a@npm:b@1", "a")],
)
def test_names_of_packages(package: str, name: str) -> None:
    assert node._bare(package) == name
