"""`compile`, the builder's own command: OSS-Fuzz's build scripts run once on a clean tree; ours run again."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BIN = Path(__file__).parents[4] / "images/oss-fuzz/bin"
# A script that fails where it ran before.
ONCE = """\
mkdir build
ln source build/linked
test ! -e moved && cp source copied && mv copied moved
cp moved "$OUT/target"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("src/project/.git", "out", "work"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "src/project/source").write_text("1")
    return tmp_path / "src/project"


def compiled(
    tree: Path, script: str, *target: str, **more: str
) -> subprocess.CompletedProcess[str]:
    top = tree.parents[1]
    (top / "src/build.sh").write_text(script)
    places = {"SRC": top / "src", "OUT": top / "out", "WORK": top / "work"}
    facts = {"SANITIZER": "address", "CFLAGS": "", "PATH": os.environ["PATH"]}
    env = {**{name: str(path) for name, path in places.items()}, **facts, **more}
    return subprocess.run(
        ["bash", BIN / "compile", *target],
        cwd=tree,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_second_build_is_made_on_what_the_first_had(tree: Path) -> None:
    assert compiled(tree, ONCE).returncode == 0
    (tree / "source").write_text("2")
    (tree / "added by a patch").write_text("kept")
    again = compiled(tree, ONCE)
    assert again.returncode == 0, again.stderr
    assert "once more, without what the last build made" in again.stderr
    assert (tree.parents[1] / "out/target").read_text() == "2"
    assert (tree / "added by a patch").read_text() == "kept"
    assert compiled(tree, ONCE).returncode == 0


def test_what_builds_on_what_is_there_is_not_built_anew(tree: Path) -> None:
    script = "mkdir -p build\ntest -e build/made || touch build/made.$$ && touch build/made\n"
    assert compiled(tree, script).returncode == compiled(tree, script).returncode == 0
    assert len(list((tree / "build").glob("made.*"))) == 1


def test_what_does_not_build_fails(tree: Path) -> None:
    assert compiled(tree, "false\ntrue\n").returncode == 1
    assert compiled(tree, ONCE).returncode == 0
    failed = compiled(tree, "cat moved\nexit 3\n")
    assert failed.returncode != 0
    assert compiled(tree, ONCE).returncode == 0


def test_a_script_that_fails_behind_the_target_has_built_it(tree: Path) -> None:
    script = 'cp source "$OUT/t" && chmod +x "$OUT/t"\nfalse\n'
    assert compiled(tree, script).returncode == 1
    done = compiled(tree, script, "t")
    assert (done.returncode, "t was made before the script failed (1)" in done.stderr) == (0, True)
    assert compiled(tree, script, "other").returncode == 1
    assert compiled(tree, "false\n", "t").returncode == 1  # the one of before is gone


@pytest.mark.parametrize(
    ("here", "then", "flags"),
    [
        ("2.36", "2.23", ["2.23", "2.31", "common"]),
        ("2.31", "2.23", ["2.23", "common"]),
        ("2.23", "2.23", ["common"]),
        ("2.36", "2.31", ["2.31"]),
        ("2.31", "2.31", []),
        ("2.39", "", []),
    ],
)
def test_headers_of_then_are_for_a_later_library(
    tree: Path, here: str, then: str, flags: list[str]
) -> None:
    """Whatever the base is: Debian 11 has OSS-Fuzz's library of 2021, and its builder may have that of 2017."""
    (tree / "getconf").write_text(f"#!/bin/sh\necho glibc {here}\n")
    (tree / "getconf").chmod(0o755)
    path = f"{tree}:{os.environ['PATH']}"
    done = compiled(tree, 'echo "$CFLAGS" >"$OUT/flags"', PATH=path, LIBC_OF_THEN=then)
    assert done.returncode == 0, done.stderr
    said = (tree.parents[1] / "out/flags").read_text().split()
    libc = [word for word in said if word.startswith("/opt/arena/libc/") or word == "-fcommon"]
    assert [word.rpartition("/")[2].removeprefix("-f") for word in libc] == flags


@pytest.mark.parametrize("architecture, seen", [("i386", "i386-linux-gnu"), ("x86_64", "unset")])
def test_a_build_for_32_bits_finds_no_library_for_64(
    tree: Path, architecture: str, seen: str
) -> None:
    script = 'echo "${PKG_CONFIG_LIBDIR:-unset} $CFLAGS" >"$OUT/told"\n'
    done = compiled(tree, script, ARCHITECTURE=architecture)
    assert done.returncode == 0, done.stderr
    told = (tree.parents[1] / "out/told").read_text()
    assert seen in told and "x86_64" not in told
    assert ("-m32" in told) is (architecture == "i386")


@pytest.mark.needs("clang")
@pytest.mark.parametrize("then, links", [("10", True), ("12", False)])
def test_what_old_sources_call_inline_links(tree: Path, then: str, links: bool) -> None:
    """As harfbuzz of 2018 does: the old compilers' -O1 kept a function that is declared inline."""
    (tree / "one.cc").write_text(
        "inline int near(int x) { return x + 1; }\nint far() { return near(1); }\n"
    )
    (tree / "two.cc").write_text(
        "int near(int x), far();\nint main() { return near(1) - far(); }\n"
    )
    script = 'set -e; for n in one two; do clang++ $CXXFLAGS -c $n.cc; done; clang++ one.o two.o -o "$OUT/x"; "$OUT/x"'
    flags = {"CFLAGS": "-O1", "SANITIZER": "none", "COVERAGE_FLAGS": ""}
    done = compiled(
        tree,
        script.replace("$CXXFLAGS", "${CXXFLAGS//-fsanitize=fuzzer-no-link/}"),
        CLANG_OF_THEN=then,
        **flags,
    )
    assert (done.returncode == 0) is links, done.stderr


def test_the_flags_of_a_builders_own_library_are_kept(tree: Path) -> None:
    script = 'test "$CXXFLAGS" = "$CFLAGS -stdlib=libc++"'
    assert compiled(tree, script, CXXFLAGS_EXTRA="-stdlib=libc++").returncode == 0


def test_a_recipes_variable_that_is_the_shells_own_ends_no_build(tree: Path) -> None:
    (tree.parent / ".arena-environment").write_text("export UID=1\nexport é=1\nexport WORD='a b'\n")
    done = compiled(tree, 'test "$WORD" = "a b"')
    assert done.returncode == 0, done.stderr


# What names what it does not include: its headers brought it along.
OLD = "int main() { char *made = strdup(\"x\"); uint8_t one = *made; return std::max<int>(one, 0) - 'x'; }\n"


@pytest.mark.needs("clang")
def test_names_that_headers_of_then_brought_along_are_there(tree: Path) -> None:
    """As file's fuzz target: it includes <fstream> and calls strdup."""
    (tree / "one.cc").write_text(OLD)
    script = 'echo x >left && clang++ ${CXXFLAGS//-fsanitize=fuzzer-no-link/} one.cc -o "$OUT/x" && "$OUT/x"'
    done = compiled(tree, script, SANITIZER="none")
    assert done.returncode == 0, done.stderr
    assert "once more, with the headers" in done.stderr
    again = compiled(tree, script, SANITIZER="none")
    assert again.returncode == 0 and "once more" not in again.stderr


@pytest.mark.needs("clang")
def test_what_builds_in_no_way_runs_twice_and_leaves_nothing_on(tree: Path) -> None:
    (tree / "one.cc").write_text("int main() { return nowhere; }\n")
    script = 'test ! -e left && touch left && clang++ one.cc -o "$OUT/x"'
    done = compiled(tree, script, SANITIZER="none")
    assert done.returncode == 1 and done.stderr.count("nowhere") >= 2
    assert not (tree.parent / ".arena-along").exists()


SEEDS = 'zip "$OUT/seeds.zip" ../seeds/*.bin\necho x >"$OUT/target" && chmod 755 "$OUT/target"\n'


def test_seeds_that_are_not_at_hand_end_no_build(tree: Path) -> None:
    """As mdbtools': its test files are another repository, and are packed before its target is built."""
    assert compiled(tree, SEEDS.replace("zip", "cp")).returncode != 0
    done = compiled(tree, SEEDS.replace("zip", "cp"), "target")
    assert done.returncode == 0 and "once more, whatever brings nothing" in done.stderr, done.stderr


@pytest.mark.parametrize("script", ["false\n" + SEEDS, "cp none here\ncc none.c -o $OUT/target\n"])
def test_what_builds_no_target_has_failed(tree: Path, script: str) -> None:
    assert compiled(tree, script, "target").returncode != 0


def test_a_build_that_fails_otherwise_runs_once(tree: Path) -> None:
    done = compiled(tree, "echo no such file; exit 7")
    assert done.returncode == 7 and "once more" not in done.stderr


MADE = 'echo x >"$OUT/target" && chmod 755 "$OUT/target"\n'


@pytest.mark.parametrize(
    "brings",
    [
        "curl -O http://localhost:1/x",  # it tells of its progress in lines that begin with a blank
        "(cd .. && cp none here)",
        "set -e; cp none here; cp none there",
        "bring() { for one in a b; do cp $one none/; done; }; bring",
    ],
)
def test_what_brings_nothing_ends_no_build(tree: Path, brings: str) -> None:
    done = compiled(tree, f"{brings}\n{MADE}", "target")
    assert done.returncode == 0 and "once more, whatever brings nothing" in done.stderr, done.stderr


@pytest.mark.parametrize("compiles", ["make nothing", "(cd .. && make nothing)", "! true; false"])
def test_what_fails_behind_it_ends_the_build(tree: Path, compiles: str) -> None:
    """A library of which a part does not compile is not that of the revision."""
    done = compiled(tree, f"cp none here\n{compiles}\n{MADE}", "target")
    assert done.returncode != 0 and "once more" in done.stderr, done.stderr


def test_a_folder_is_no_target(tree: Path) -> None:
    assert compiled(tree, 'mkdir "$OUT/target"\nfalse\n', "target").returncode == 1


def test_a_process_that_a_script_leaves_behind_is_not_waited_for(tree: Path) -> None:
    start = time.monotonic()
    done = compiled(tree, f"sleep 20 &\necho said\n{MADE}", "target")
    assert (done.returncode, time.monotonic() - start < 15) == (0, True)
    assert "said\n" in done.stderr


@pytest.mark.needs("clang")
def test_headers_of_cpp_are_no_help_to_c(tree: Path) -> None:
    done = compiled(tree, "echo 'int main() { return nowhere; }' >a.c && clang a.c")
    assert done.returncode == 1 and "once more" not in done.stderr, done.stderr


def test_seeds_are_packed_at_the_least_cost(tree: Path) -> None:
    """`zip` reads its first options there, so that a script's own level still counts."""
    assert compiled(tree, 'echo "$ZIPOPT" >"$OUT/target"\n').returncode == 0
    assert (tree.parents[1] / "out/target").read_text() == "-1\n"
