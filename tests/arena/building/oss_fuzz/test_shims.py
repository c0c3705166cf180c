"""What a recipe calls and the image answers for: downloads, patches, flags over several lines."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

IMAGE = Path(__file__).parents[4] / "images/oss-fuzz"
PATCH = """\
--- a/file
+++ b/file
@@ -1,2 +1,2 @@
 one
-two
+three
"""
SAME = ("patch -p1 <../p", "patch -p1 -i ../p", "git apply ../p", "git apply -p1 - <../p")


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A folder with the commands that the image has, and a tree with a file and its patch."""
    (tmp_path / "bin").mkdir()
    for name, to in (("patch", "patched"), ("git-apply", "patched"), ("wget", "fetched")):
        (tmp_path / "bin" / name).symlink_to(IMAGE / "bin" / to)
    (tmp_path / "bin/curl").symlink_to(IMAGE / "bin/fetched")
    git = (IMAGE / "bin/git").read_text().replace("/opt/arena/bin", str(tmp_path / "bin"))
    (tmp_path / "bin/git").write_text(git)
    (tmp_path / "bin/git").chmod(0o755)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/file").write_text("one\ntwo\n")
    (tmp_path / "p").write_text(PATCH)
    return tmp_path


def run(shell: Path, script: str) -> subprocess.CompletedProcess[str]:
    path = f"{shell / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=shell / "tree",
        env={"PATH": path},
        input="",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("again", SAME)
@pytest.mark.parametrize("first", SAME)
def test_a_patch_is_applied_once(shell: Path, first: str, again: str) -> None:
    assert run(shell, first).returncode == 0
    assert (shell / "tree/file").read_text() == "one\nthree\n"
    done = run(shell, again)
    assert (done.returncode, "is there already" in done.stderr) == (0, True), done.stderr
    assert (shell / "tree/file").read_text() == "one\nthree\n"


@pytest.mark.parametrize("back", ["patch -R -p1 <../p", "git apply -R ../p"])
def test_a_patch_is_taken_back(shell: Path, back: str) -> None:
    assert run(shell, f"patch -p1 <../p; {back}").returncode == 0
    assert (shell / "tree/file").read_text() == "one\ntwo\n"


@pytest.mark.parametrize("how", SAME)
def test_a_patch_that_does_not_fit_fails(shell: Path, how: str) -> None:
    (shell / "tree/file").write_text("other\n")
    assert run(shell, how).returncode != 0


def test_a_patch_leaves_the_input_of_a_loop_alone(shell: Path) -> None:
    loop = "printf 'a\\nb\\n' | while read -r line; do patch -s -p1 -i ../p || :; echo $line; done"
    assert run(shell, loop).stdout.split() == ["a", "b"]


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ("wget https://example.org/a/Lib-1.tar.gz", "Lib-1.tar.gz"),
        ("wget -q -O x https://example.org/a/Lib-1.tar.gz", "x"),
        ("wget -qO- https://example.org/a/Lib-1.tar.gz >x", "x"),
        ("wget --output-document=x https://example.org/a/Lib-1.tar.gz", "x"),
        ("curl -sSL https://example.org/a/Lib-1.tar.gz >x", "x"),
        ("curl -LO https://example.org/a/Lib-1.tar.gz", "Lib-1.tar.gz"),
        ("curl -sLo x https://example.org/a/Lib-1.tar.gz", "x"),
        ("curl -L https://example.org/a/Lib-1.tar.gz -o x", "x"),
    ],
)
def test_an_archive_that_is_at_hand_is_downloaded(shell: Path, how: str, where: str) -> None:
    (shell / "clones").mkdir()
    (shell / "clones/example.org+a+lib-1.tar.gz").write_text("packed")
    text = (IMAGE / "bin/fetched").read_text().replace("/clones", str(shell / "clones"))
    for name in ("wget", "curl"):
        (shell / "bin" / name).unlink()
        (shell / "bin" / name).write_text(text)
        (shell / "bin" / name).chmod(0o755)
    done = run(shell, how)
    assert done.returncode == 0, done.stderr
    assert (shell / "tree" / where).read_text() == "packed"
    missed = run(shell, how.replace("Lib-1", "Lib-2"))
    assert (missed.returncode, "no network" in missed.stderr) == (1, True)


def test_flags_over_several_lines_become_one(shell: Path) -> None:
    script = f"CFLAGS=$'-O1\\n-g '; LIBS=; . {IMAGE}/config.site; echo \"[$CFLAGS][$LIBS][${{LDFLAGS-no}}]\""
    assert run(shell, script).stdout == "[-O1 -g][][no]\n"
