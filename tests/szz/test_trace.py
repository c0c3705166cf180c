"""B-SZZ's semantics: each test is a trap that another implementation fell into, or a rule that we state."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from szz.paths import Paths
from szz.repository import NoRepository, Repository
from szz.trace import Traced, trace
from szz.variant import Variant
from szz.variants.anchors import PLUGIN as ANCHORS
from szz.variants.b_szz import PLUGIN as B_SZZ
from tests.szz.conftest import Made, Maker


def traced(path: Path, fix: str, paths: Paths = "all", variant: Variant = B_SZZ) -> Traced:
    with Repository(path) as repository:
        (found,) = trace(repository, [fix], variant, paths)
    return found


def test_a_merge_is_taken_against_its_first_parent(history: Maker) -> None:
    path, ids = history(
        {b"f.c": b"a\nb\n"},
        {b"f.c": b"a\nB\n"},
        Made({b"f.c": b"a\nb\nc\n"}, parents=[0]),
        Made({b"f.c": b"a\nb\nc\n"}, parents=[1, 2]),
    )
    found = traced(path, ids[3])
    assert (found.candidates, found.lines) == ([ids[1]], 1)


def test_the_same_line_number_in_two_files_and_commits_is_kept_apart(history: Maker) -> None:
    path, ids = history(
        {b"a.c": b"1\n"}, {b"a.c": b"1\n", b"b.c": b"2\n"}, {b"a.c": b"x\n", b"b.c": b"y\n"}
    )
    assert traced(path, ids[2]).candidates == [ids[0], ids[1]]


def test_two_lines_with_one_origin_line_number_are_both_kept(history: Maker) -> None:
    """Keyed by (path, line) without the commit, one of these two commits is lost."""
    path, ids = history(
        {b"f.c": b"z\n"}, {b"f.c": b"one\nz\n"}, {b"f.c": b"two\none\nz\n"}, {b"f.c": b"z\n"}
    )
    assert traced(path, ids[3]).candidates == [ids[2], ids[1]]


def test_the_diff_has_gits_default_context(history: Maker) -> None:
    """With -U0 git first cuts the common end off, which moves a block of equal lines."""
    before = b"".join(b"{\n}\n" for _ in range(3)) + b"x\n"
    path, ids = history({b"f.c": before}, {b"f.c": before + b"}\n"}, {b"f.c": b"{\n}\nx\n}\n"})
    expected: set[str] = set()
    diff = ["git", "-C", str(path), "diff", f"{ids[1]}", ids[2]]
    patch = subprocess.run(diff, capture_output=True, check=True, text=True).stdout
    line = 0
    for text in patch.splitlines():
        if text.startswith("@@"):
            line = int(text.split()[1].split(",")[0][1:]) - 1
        elif line or text[:1] in "- ":
            line += text[:1] in "- " and not text.startswith("--- ")
            if text.startswith("-") and not text.startswith("--- "):
                blame = [
                    "git",
                    "-C",
                    str(path),
                    "blame",
                    "-l",
                    "-s",
                    "--root",
                    f"-L{line},{line}",
                    ids[1],
                    "--",
                    "f.c",
                ]
                expected.add(
                    subprocess.run(blame, capture_output=True, check=True, text=True).stdout[:40]
                )
    found = traced(path, ids[2])
    assert set(found.candidates) == expected
    assert found.lines == sum(
        t.startswith("-") and not t.startswith("---") for t in patch.splitlines()
    )


def test_a_rename_is_followed(history: Maker) -> None:
    body = b"".join(b"line %d\n" % n for n in range(20))
    path, ids = history(
        {b"old name.c": body}, {b"old name.c": body + b"bad\n"}, {b"new.c": body + b"good\n"}
    )
    found = traced(path, ids[2])
    assert (found.candidates, found.lines) == ([ids[1]], 1)


def test_a_deleted_file_counts_whole(history: Maker) -> None:
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"a\nb\n", b"g.c": b"\n"}, {b"g.c": b"\n"})
    assert (traced(path, ids[2]).lines, set(traced(path, ids[2]).candidates)) == (2, set(ids[:2]))


NAMES = [
    b"a b.c",
    b"q\"uo'te.c",
    b"new\nline.c",
    b"tab\t.c",
    b"\xff\xfe.c",
    b"back\\slash.c",
    b"\xc3\xa9.c",
    b" lead.c",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name(name: bytes, history: Maker) -> None:
    path, ids = history({name: b"a\n"}, {name: b"a\nb\n"}, {name: b"a\n"})
    found = traced(path, ids[2], "source")
    assert (found.candidates, found.error) == ([ids[1]], None)


def test_what_is_not_asked_for_is_listed_with_its_reason(history: Maker) -> None:
    first = {
        b"lib.c": b"a\n", b"README": b"r\n", b"tests/t.c": b"t\n", b"pic.png": b"\0\1", b"fuzz/x.cc": b"x\n",
        b"gen.c": b"/* auto-generated, do not edit */\ng\n", b"x_test.cc": b"t\n", b"sub": b"1" * 40, b"moved.c": b"m\n" * 9,
    }  # fmt: skip
    later = dict.fromkeys(first, b"changed\n") | {b"pic.png": b"\0\2", b"sub": b"2" * 40}
    del later[b"moved.c"]
    later[b"there.c"] = first[b"moved.c"]
    sub = {b"sub": b"160000"}
    path, ids = history(Made(first, modes=sub), Made(later | {b"new.c": b"n\n"}, modes=sub))
    found = traced(path, ids[1], "source")
    assert {skip.path: skip.reason for skip in found.skipped} == {
        b"README": "not C or C++",
        b"tests/t.c": "test or fuzz target",
        b"fuzz/x.cc": "test or fuzz target",
        b"x_test.cc": "test or fuzz target",
        b"pic.png": "binary",
        b"gen.c": "generated",
        b"sub": "submodule",
        b"moved.c": "renamed",
        b"new.c": "new file",
    }
    assert (found.lines, found.candidates) == (1, [ids[0]])


def test_a_fix_that_only_adds_lines_says_so(history: Maker) -> None:
    path, ids = history({b"f.c": b"a;\n"}, {b"f.c": b"a;\nb;\n"}, {b"f.c": b"a;\nx;\nb;\n"})
    found = traced(path, ids[2])
    assert (found.candidates, found.error) == ([], None)
    assert "only adds lines" in found.note
    assert traced(path, ids[2], variant=ANCHORS).candidates == [ids[0], ids[1]]


def test_roots_empty_commits_and_unknown_names_are_errors_of_their_own(history: Maker) -> None:
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"a\n"}, {b"f.c": b"b\n"})
    wanted = [
        ids[0],
        ids[1],
        "0" * 40,
        "no-such-branch",
        "main",
        ids[2][:10],
        "--help",
        "main^{tree}",
    ]
    with Repository(path) as repository:
        found = list(trace(repository, wanted, B_SZZ))
    errors = [one.error or "" for one in found]
    assert "root commit" in errors[0] and "changes nothing" in errors[1]
    assert all("no such commit" in error for error in (*errors[2:4], *errors[6:]))
    assert [one.fix for one in found[4:6]] == [ids[2], ids[2]]
    assert found[4].candidates == found[5].candidates == [ids[0]]
    assert all("\n" not in error for error in errors)


@pytest.mark.slow
def test_the_order_is_that_of_the_question_and_repeats_are_answered(history: Maker) -> None:
    path, ids = history(*({b"f.c": b"%d\n" % n} for n in range(60)))
    asked = [*ids[:0:-1], ids[5], ids[5]]
    with Repository(path) as repository:
        plain = list(trace(repository, asked, B_SZZ, index=False))
        quick = list(trace(repository, asked, B_SZZ, index=True))
    assert [one.fix for one in plain] == asked
    assert [one.candidates for one in plain] == [[ids[ids.index(fix) - 1]] for fix in asked]
    assert plain == quick


def test_a_shallow_history_is_an_error_only_where_it_matters(
    history: Maker, tmp_path: Path
) -> None:
    path, ids = history(
        {b"f.c": b"a\nb\n"},
        {b"f.c": b"a\nB\n"},
        {b"f.c": b"a\nC\n"},
        {b"f.c": b"A\nC\n"},
        {b"f.c": b"A\nD\n"},
    )
    clone = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=4", f"file://{path}", str(clone)], check=True)
    with Repository(clone) as repository:
        found = list(trace(repository, [ids[1], ids[2], ids[3], ids[4]], B_SZZ, index=True))
    assert [one.candidates for one in found] == [[], [], [], [ids[2]]]
    assert "is missing: the history is shallow" in (found[0].error or "")
    assert "older than this shallow history" in (found[1].error or "")
    assert "older than this shallow history" in (found[2].error or "")
    assert found[3].error is None


def test_a_blame_that_fails_is_an_error_and_not_a_lost_candidate(history: Maker) -> None:
    path, ids = history(
        {b"f.c": b"a\n", b"g.c": b"1\n"},
        {b"f.c": b"b\n", b"g.c": b"1\n"},
        {b"f.c": b"b\n", b"g.c": b"2\n"},
        {b"f.c": b"c\n", b"g.c": b"3\n"},
    )
    loose = ["git", "-C", str(path), "rev-parse", f"{ids[0]}:f.c", f"{ids[2]}:g.c"]
    lost = subprocess.run(loose, capture_output=True, check=True, text=True).stdout.split()
    for blob in lost:
        (path / "objects" / blob[:2] / blob[2:]).unlink()
    with Repository(path) as repository:
        first, last = trace(repository, [ids[1], ids[3]], B_SZZ)
    assert first.error and last.error
    assert first.candidates == last.candidates == []


def test_the_repository_and_its_settings_take_no_part(history: Maker, tmp_path: Path) -> None:
    path, ids = history(
        {b"f.c": b"a\n", b".gitattributes": b"*.c binary\n"},
        {b"f.c": b"b\n", b".gitattributes": b"*.c binary\n"},
    )
    mark = tmp_path / "ran"
    settings = {"diff.external": f"touch {mark}", "core.fsmonitor": f"touch {mark}", "diff.renames": "false", "blame.ignoreRevsFile": "/nothing", "core.attributesFile": "/nothing"}  # fmt: skip
    for key, value in settings.items():
        subprocess.run(["git", "-C", str(path), "config", key, value], check=True)
    before = sorted(str(p) for p in path.rglob("*"))
    with Repository(path) as repository:
        (found,) = trace(repository, [ids[1]], B_SZZ, "all", index=True)
    assert (found.candidates, mark.exists()) == ([ids[0]], False)
    assert sorted(str(p) for p in path.rglob("*")) == before


def test_work_trees_and_folders_with_odd_names(history: Maker, tmp_path: Path) -> None:
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"b\n"}, name='re "po\n.git')
    assert traced(path, ids[1]).candidates == [ids[0]]
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"b\n"}, name="re 'po.git")
    clone = tmp_path / "work tree"
    subprocess.run(["git", "clone", "-q", "--shared", str(path), str(clone)], check=True)
    for place in (path, clone, clone / ".git"):
        assert traced(place, ids[1]).candidates == [ids[0]], place


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file", tmp_path / "missing"):
        with pytest.raises(NoRepository, match="not a readable git repository"):
            Repository(place)


@pytest.mark.slow
def test_many_ranges_are_asked_in_parts(history: Maker) -> None:
    before = b"".join(b"%d\n" % n for n in range(9000))
    after = b"".join(b"%d\n" % (n if n % 2 else -n - 1) for n in range(9000))
    path, ids = history({b"f.c": before}, {b"f.c": after})
    found = traced(path, ids[1])
    assert (found.lines, found.candidates) == (4500, [ids[0]])


def test_a_partial_clone_fetches_nothing_and_says_what_is_missing(
    history: Maker, tmp_path: Path
) -> None:
    path, ids = history({b"f.c": b"a\n"}, {b"f.c": b"b\n"}, {b"f.c": b"c\n"})
    subprocess.run(["git", "-C", str(path), "config", "uploadpack.allowFilter", "true"], check=True)
    clone = tmp_path / "partial"
    line = ["git", "clone", "-q", "--bare", "--filter=blob:none", f"file://{path}", str(clone)]
    subprocess.run(line, check=True)
    before = sorted(clone.rglob("*"))
    (tmp_path / "repository.git").rename(tmp_path / "gone")
    found = traced(clone, ids[2])
    assert found.error and "git" in found.error and "\n" not in found.error
    assert found.candidates == []
    assert sorted(clone.rglob("*")) == before


def test_one_broken_fix_does_not_stop_the_others(history: Maker) -> None:
    versions = [{b"f.c": b"%d\n" % n, b"g.c": b"g%d\n" % (n // 3)} for n in range(9)]
    path, ids = history(*versions)
    line = ["git", "-C", str(path), "rev-parse", f"{ids[4]}:f.c"]
    blob = subprocess.run(line, capture_output=True, check=True, text=True).stdout.strip()
    broken = path / "objects" / blob[:2] / blob[2:]
    broken.chmod(0o644)
    broken.write_bytes(b"not an object")
    with Repository(path) as repository:
        found = list(trace(repository, ids[1:], B_SZZ, workers=1))
    failed = [index + 1 for index, one in enumerate(found) if one.error]
    assert failed and set(failed) <= {4, 5, 6}
    assert all(one.candidates for index, one in enumerate(found, 1) if index not in failed)


@pytest.mark.parametrize("line", [b"parent \xff\xfe", b"parent " + b"1" * 40, b"tree \xff"])
def test_what_git_does_not_read_of_a_commit_is_not_read(history: Maker, line: bytes) -> None:
    path, ids = history({b"f.c": b"1\n"}, {b"f.c": b"2\n"})
    with Repository(path) as repository:
        whole = repository.read(ids[1])[1].replace(b"\n\n", b"\n" + line + b"\n\n", 1)
        asked = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
        odd = repository.git(*asked, stdin=whole).decode().strip()
        found, plain = repository.commit(odd), repository.commit(ids[1])
        assert (found.tree, found.parents, found.time) == (plain.tree, plain.parents, plain.time)
        assert repository.git("rev-parse", f"{odd}^@").decode().split() == [ids[0]]


def test_files_with_names_of_tests_or_words_of_generators_are_traced(history: Maker) -> None:
    """`fuzz_match.c` matches fuzzily, and rd.c tells of a file that is generated."""
    mention = b"/* tables.h is automatically generated. */\n"
    before = {b"src/fuzz_match.c": b"a;\n", b"src/t/lex.c": b"a;\n", b"rd.c": mention + b"a;\n"}
    after = {path: text.replace(b"a;", b"b;") for path, text in before.items()}
    test = {b"src/test_lex.c": b"int main(void)\n{\n    a;\n}\n"}
    path, ids = history({**before, **test}, {**after, b"src/test_lex.c": b""})
    with Repository(path) as repository:
        (traced,) = trace(repository, [ids[1]], B_SZZ)
    assert {(skipped.path, skipped.reason) for skipped in traced.skipped} == {
        (b"src/test_lex.c", "test or fuzz target")
    }
    assert traced.lines == 3
