"""`scripts/demo` does its two sides of set-up at once, tells the failure of either, and goes on where it can."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SH = "#!/bin/sh\n"
# A script that ends well only if the other one is running at the same time.
MEET = "touch {mine}; for i in $(seq 100); do [ -e {other} ] && exit 0; sleep 0.1; done; exit 9"


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SH + text + "\n")
    path.chmod(0o755)


Demo = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    """Run the script with stand-ins for all that it calls."""

    def run(
        *args: str, setup: str = "exit 0", engine: str = "exit 0", base: str = ""
    ) -> subprocess.CompletedProcess[str]:
        script(tmp_path / "scripts/setup", setup)
        script(tmp_path / "scripts/setup-engine", engine)
        (tmp_path / "images").mkdir(exist_ok=True)
        (tmp_path / "images/bootstrap.py").write_text(base)
        script(tmp_path / ".venv/bin/arena", 'echo "arena $*"')
        shutil.copy(ROOT / "scripts/demo", tmp_path / "scripts/demo")
        argv = [str(tmp_path / "scripts/demo"), *args]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)

    return run


@pytest.mark.slow
def test_its_arguments_are_those_of_arena_demo(demo: Demo) -> None:
    done = demo("--all", "--task", "a b")
    assert (done.returncode, done.stdout) == (0, "arena demo --all --task a b\n")


@pytest.mark.slow
def test_both_sides_run_at_once(demo: Demo) -> None:
    done = demo(
        setup=MEET.format(mine="one", other="two"), engine=MEET.format(mine="two", other="one")
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_without_python_packages_it_ends(demo: Demo) -> None:
    done = demo(setup="echo no network >&2; exit 2")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "no network\n")


@pytest.mark.slow
@pytest.mark.parametrize("side", ["engine", "base"])
def test_without_a_base_image_made_ahead_it_goes_on(demo: Demo, side: str) -> None:
    done = demo(**{side: "exit 1" if side == "engine" else "raise SystemExit(1)"})
    assert (done.returncode, done.stdout) == (0, "arena demo\n")
    assert done.stderr == "demo: the base image was not made ahead; going on without it\n"


def test_a_package_is_asked_for_only_where_its_tool_is_missing(tmp_path: Path) -> None:
    """Docker from another package than Debian's would be taken off for Debian's."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    script(tmp_path / "scripts/packages", 'echo "$@"')
    tools = tmp_path / "tools"
    for tool in ("dockerd", "git", "python3"):
        script(tools / tool, "exit 0")
    for tool in ("dirname", "id"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    env = {"PATH": str(tools), "DOCKER_HOST": "tcp://127.0.0.1:1", "HOME": os.environ["HOME"]}
    done = subprocess.run(
        ["/bin/sh", tmp_path / "scripts/setup-engine"],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        timeout=60,
    )
    assert done.stdout == "debootstrap bubblewrap\n"
