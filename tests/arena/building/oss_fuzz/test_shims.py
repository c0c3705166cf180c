"""What a recipe calls and the image answers for: downloads, patches, flags over several lines."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from arena.building.oss_fuzz.clones import key_of
from arena.building.oss_fuzz.recipe_requirements import WITH_VALUE

pytestmark = pytest.mark.slow

IMAGE = Path(__file__).parents[4] / "images/oss-fuzz"
PATCH = """\
--- a/file
+++ b/file
@@ -1,2 +1,2 @@
 one
-two
+three
"""
SAME = (
    "patch -p1 <../p",
    "patch -p1 -i ../p",
    "git apply ../p",
    "git apply -p1 - <../p",
    "git apply -p 1 <../p",
    "git apply --index --3way ../p",
    "git -c a.b=c -C ../tree apply ../p",
)


def put(shell: Path, name: str, script: str) -> None:
    """The image's script as a command whose clones and commands are the shell's."""
    text = (IMAGE / "bin" / script).read_text().replace("/opt/arena/bin", str(shell / "bin"))
    (shell / "bin" / name).unlink(missing_ok=True)
    (shell / "bin" / name).write_text(text.replace("/clones", str(shell / "clones")))
    (shell / "bin" / name).chmod(0o755)


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A folder with the commands that the image has, and a tree with a file and its patch."""
    (tmp_path / "bin").mkdir()
    for name, to in (("patch", "patched"), ("git-apply", "patched"), ("wget", "fetched")):
        (tmp_path / "bin" / name).symlink_to(IMAGE / "bin" / to)
    (tmp_path / "bin/curl").symlink_to(IMAGE / "bin/fetched")
    put(tmp_path, "git", "git")
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


@pytest.mark.needs("patch")
@pytest.mark.parametrize("again", SAME)
@pytest.mark.parametrize("first", SAME)
def test_a_patch_is_applied_once(shell: Path, first: str, again: str) -> None:
    assert run(shell, first).returncode == 0
    assert (shell / "tree/file").read_text() == "one\nthree\n"
    done = run(shell, again)
    assert (done.returncode, "is there already" in done.stderr) == (0, True), done.stderr
    assert (shell / "tree/file").read_text() == "one\nthree\n"


@pytest.mark.parametrize(
    "back",
    ["patch -R -p1 <../p", "patch -sRp1 <../p", "patch -p1 --rev <../p", "git apply -R ../p"],
)
@pytest.mark.needs("patch")
def test_a_patch_is_taken_back(shell: Path, back: str) -> None:
    assert run(shell, f"patch -p1 <../p; {back}").returncode == 0
    assert (shell / "tree/file").read_text() == "one\ntwo\n"


@pytest.mark.parametrize("how", SAME)
def test_a_patch_that_does_not_fit_fails(shell: Path, how: str) -> None:
    (shell / "tree/file").write_text("other\n")
    assert run(shell, how).returncode != 0


@pytest.mark.parametrize(
    ("before", "after"),
    [("a b m n o p a x b", "a x b m n o p a x b"), ("a b m a b", "a x b m a b")],
)
@pytest.mark.parametrize("how", ["patch -s -p1 <../p", "git apply ../p"])
@pytest.mark.needs("patch")
def test_what_looks_the_same_elsewhere_decides_nothing(
    shell: Path, before: str, after: str, how: str
) -> None:
    for old, new in ((before, after), (after, before)):
        there, back = (text.replace(" ", "\n") + "\n" for text in (old, new))
        (shell / "tree/file").write_text(there)
        counts = (2, 3, "+") if len(old) < len(new) else (3, 2, "-")
        head = f"--- a/file\n+++ b/file\n@@ -1,{counts[0]} +1,{counts[1]} @@\n"
        (shell / "p").write_text(f"{head} a\n{counts[2]}x\n b\n")
        for _ in range(2):
            assert run(shell, how).returncode == 0
            assert (shell / "tree/file").read_text() == back


def test_a_patch_of_a_mode_alone(shell: Path) -> None:
    (shell / "p").write_text("diff --git a/file b/file\nold mode 100644\nnew mode 100755\n")
    assert run(shell, "git apply ../p; git apply ../p; test -x file").returncode == 0


@pytest.mark.parametrize("how", ["patch -s -p1 -i ../p", "patch -s file ../p"])
def test_a_patch_leaves_the_input_of_a_loop_alone(shell: Path, how: str) -> None:
    loop = f"printf 'a\\nb\\n' | while read -r line; do {how} || :; echo $line; done"
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
        ("curl -Lox https://example.org/a/Lib-1.tar.gz", "x"),
        ("curl -L --output-dir d -O https://example.org/a/Lib-1.tar.gz", "d/Lib-1.tar.gz"),
        ("wget -P d https://example.org/a/Lib-1.tar.gz", "d/Lib-1.tar.gz"),
        ("wget --directory-prefix=d https://example.org/a/Lib-1.tar.gz", "d/Lib-1.tar.gz"),
        ("wget https://example.org/a/Lib-1.tar.gz -U http://agent", "Lib-1.tar.gz"),
        ("wget -O --x https://example.org/a/Lib-1.tar.gz", "--x"),
    ],
)
def test_an_archive_that_is_at_hand_is_downloaded(shell: Path, how: str, where: str) -> None:
    (shell / "clones").mkdir()
    (shell / "clones/example.org+a+lib-1.tar.gz").write_text("packed")
    for name in ("wget", "curl"):
        put(shell, name, "fetched")
    done = run(shell, how)
    assert done.returncode == 0, done.stderr
    assert (shell / "tree" / where).read_text() == "packed"
    missed = run(shell, how.replace("Lib-1", "Lib-2"))
    assert (missed.returncode, "no network" in missed.stderr) == (1, True)


@pytest.mark.parametrize("options", ["-O {} -O {}", "-o lib-1.tgz {} -o lib-2.tgz {}"])
def test_each_address_of_a_line_is_downloaded(shell: Path, options: str) -> None:
    urls = [f"https://me@example.org/a@1/lib-{number}.tgz" for number in (1, 2)]
    (shell / "clones").mkdir()
    for url in urls:
        (shell / "clones" / key_of(url)).write_text(url)
    for name in ("wget", "curl"):
        put(shell, name, "fetched")
    for line in (f"wget {' '.join(urls)}", f"curl -L {options.format(*urls)}"):
        assert run(shell, f"rm -f *.tgz; {line}").returncode == 0
        assert [(shell / f"tree/lib-{number}.tgz").read_text() for number in (1, 2)] == urls


@pytest.mark.parametrize(
    "asked",
    [
        "wget -O corpora/a_seed_corpus.zip https://example.org/a.zip",  # zstd, by its Makefile
        "curl -L -o corpora/a.zip https://example.org/seeds.zip?raw=1",
    ],
)
def test_seeds_that_are_not_at_hand_are_none(shell: Path, asked: str) -> None:
    for name in ("wget", "curl"):
        put(shell, name, "fetched")
    done = run(shell, f"mkdir corpora; {asked}")
    assert done.returncode == 0 and "no seeds" in done.stderr
    (made,) = (shell / "tree/corpora").iterdir()
    with zipfile.ZipFile(made) as archive:
        assert archive.namelist() == ["seeds/"]  # unzip fails at none at all
    assert run(shell, "wget -O lib.zip https://example.org/lib.zip").returncode == 1
    for line in (
        "curl -o seeds.c https://example.org/seeds.c",
        "curl -o a.c https://example.org/a.c -o seed.zip https://example.org/seed.zip",
        "wget https://seeds.example.org/lib.zip",
        "wget https://example.org/incorporated.zip",
    ):
        assert run(shell, line).returncode == 1


def test_options_of_a_clone_are_read_alike() -> None:
    """By the recipe's reader, which says what is put in place, and by the image's `git`."""
    line = next(x for x in (IMAGE / "bin/git").read_text().splitlines() if "--branch |" in x)
    assert set(line.partition(")")[0].split()) - {"|"} == WITH_VALUE


@pytest.mark.parametrize(
    "url", ["https://me@example.org/A@1/b.git", "git://example.org:80/a/b/", "git@example.org:a/b"]
)
@pytest.mark.parametrize(
    "how",
    [
        "git clone --jobs 2 --reference /x",
        "git -c a.b=c clone",
        "hg clone",
        "svn --non-interactive co -r 7",
        "svn checkout",
    ],
)
def test_a_clone_lies_where_it_is_looked_for(shell: Path, url: str, how: str) -> None:
    put(shell, "hg", "git")
    put(shell, "svn", "git")
    (shell / "clones" / key_of(url)).mkdir(parents=True)
    assert run(shell, f"{how} {url} c; test -d c").returncode == 0


def test_mercurial_clones_what_is_at_hand_and_does_nothing_else(shell: Path) -> None:
    (shell / "clones/example.org+a+b").mkdir(parents=True)
    (shell / "clones/example.org+a+b/file").write_text("1")
    put(shell, "hg", "git")
    assert run(shell, "hg clone --branch stable http://example.org/a/b c").returncode == 0
    assert (shell / "tree/c/file").read_text() == "1"
    assert run(shell, "hg pull http://example.org/a/b").returncode == 1


@pytest.mark.parametrize(
    "line", ["git clone . copy", "git clone .. copy", "git clone -q ../tree copy"]
)
def test_a_clone_of_what_is_here_takes_nothing_of_what_is_at_hand(shell: Path, line: str) -> None:
    (shell / "clones/example.org+a+b").mkdir(parents=True)
    run(shell, line)
    assert not (shell / "tree/copy/example.org+a+b").exists()
    assert not (shell / "tree/copy/clones").exists()


def test_options_before_a_clone_do_not_hide_it(shell: Path) -> None:
    (shell / "clones/example.org+a+b").mkdir(parents=True)
    assert (
        run(shell, "git --no-pager clone -qb v1 https://example.org/a/b c; test -d c").returncode
        == 0
    )


def test_subversion_does_nothing_else_either(shell: Path) -> None:
    put(shell, "svn", "git")
    assert run(shell, "svn update trunk").returncode == 1
    assert run(shell, "svn co svn://example.org/a/code/trunk").returncode == 1


def test_flags_over_several_lines_become_one(shell: Path) -> None:
    script = f"CFLAGS=$'-O1\\n-g '; LIBS=; . {IMAGE}/config.site; echo \"[$CFLAGS][$LIBS][${{LDFLAGS-no}}]\""
    assert run(shell, script).stdout == "[-O1 -g][][no]\n"
    kept = f"LDFLAGS='-e main *'; . {IMAGE}/config.site; echo \"[$LDFLAGS]\""
    assert run(shell, kept).stdout == "[-e main *]\n"


@pytest.mark.parametrize(
    "asked",
    ["submodule update --init --recursive", "submodule init", "fetch --tags", "pull", "lfs pull"],
)
def test_what_git_would_bring_is_not_asked_for_in_a_tasks_repository_either(
    shell: Path, asked: str
) -> None:
    """jq's build script updates its submodules: a task's tree has their files, and no network."""
    script = f"""
        git init -q .
        printf '[submodule "m"]\n path = m\n url = https://example.invalid/m.git\n' >.gitmodules
        mkdir m && echo 1 >m/file
        git update-index --add --cacheinfo 160000,{"1" * 40},m
        git {asked} && cat m/file
    """
    done = run(shell, script)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert "arena: skipped: git" in done.stderr


@pytest.mark.parametrize("option", ["-C", "-c"])
def test_an_option_without_its_word_ends(shell: Path, option: str) -> None:
    assert run(shell, f"timeout 5 git {option}").returncode == 129
