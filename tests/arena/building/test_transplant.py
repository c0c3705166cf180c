"""A fix is brought onto a VIC that its lines are not those of."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.building.patches import fixes
from arena.building.transplant import MARK, PERSON, Merged, merge, merge_by_tokens, with_needed
from szz.repository import NoCommit, Repository
from tests.arena.building.test_patches import applied, made
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow

TOP, END = (
    b"".join(b"int a%d;\n" % n for n in range(9)),
    b"".join(b"int b%d;\n" % n for n in range(9)),
)
OLD = b"  if (!allow) {\n    if (same(at, mark)) at += 3;\n  }\n"
RENAMED = OLD.replace(b"!allow", b"skip")
MENDED = RENAMED.replace(b"(same", b"(end - at >= 3 && same")


def around(body: bytes) -> bytes:
    return TOP + body + END


def test_a_line_beside_one_that_was_changed_since_is_mended(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"f.c": around(b"")},
        {b"f.c": around(OLD)},
        {b"f.c": around(RENAMED)},
        {b"f.c": around(MENDED)},
    )
    found = made(path, ids[1], ids[3])
    assert list(found)[:2] == ["tokens", "needed"]
    assert applied(path, ids[0], found["tokens"], b"f.c") == around(
        OLD.replace(b"(same", b"(end - at >= 3 && same")
    )
    assert applied(path, ids[0], found["needed"], b"f.c") == around(MENDED)


@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_what_is_no_text_is_not_merged_by_tokens(history: Maker, side: int) -> None:  # noqa: F811
    """Nor what is not there on a side."""
    bodies: list[bytes] = [around(b""), around(OLD), around(RENAMED), around(MENDED)]
    trees: list[dict[bytes, bytes]] = [{b"f.c": body} for body in bodies]
    if side:
        trees[side][b"f.c"] += MARK
    else:
        del trees[1][b"f.c"]
        trees[1][b"g.c"] = b"g"
    path, ids = history(*trees)
    assert "tokens" not in made(path, ids[1], ids[3])


def test_what_both_change_is_no_merge_by_tokens(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"f.c": around(b"")},
        {b"f.c": around(b"f(bad);\n")},
        {b"f.c": around(b"f(moved);\n")},
        {b"f.c": around(b"f(good);\n")},
    )
    assert list(made(path, ids[1], ids[3])) == ["needed"]


def test_the_guard_that_a_fix_widens_comes_along_and_nothing_else(history: Maker) -> None:  # noqa: F811
    vic = around(b"use(x);\n")
    guarded = around(b"if (!x) return;\nuse(x);\n")
    later = guarded + b"int later;\n"
    path, ids = history(
        {b"f.c": around(b"")},
        {b"f.c": vic},
        {b"f.c": guarded, b"NEWS": b"guard\n"},
        {b"f.c": later, b"NEWS": b"guard\n"},
        {b"f.c": later.replace(b"(!x)", b"(!x || !y)"), b"NEWS": b"fixed\n"},
    )
    found = made(path, ids[1], ids[4])
    assert next(iter(found)) == "needed"
    assert applied(path, ids[0], found["needed"], b"f.c") == guarded.replace(b"(!x)", b"(!x || !y)")
    assert b"NEWS" not in found["needed"]


def test_what_is_needed_needs_something_itself(history: Maker) -> None:  # noqa: F811
    bodies = (
        b"use(x);\n",
        b"if (a)\nuse(x);\n",
        b"if (a || b)\nuse(x);\n",
        b"if (a || b || c)\nuse(x);\n",
    )
    path, ids = history({b"f.c": around(b"")}, *({b"f.c": around(body)} for body in bodies))
    found = made(path, ids[1], ids[4])
    assert applied(path, ids[0], found["needed"], b"f.c") == around(bodies[-1])


def test_a_root_that_a_fix_builds_on_is_left(history: Maker) -> None:  # noqa: F811
    path, ids = history({b"f.c": around(b"x;\n")}, {b"f.c": b"y;\n"}, {b"f.c": around(b"z;\n")})
    with Repository(path) as repository:
        assert with_needed(repository, ids[1], ids[2])  # it merges: nothing is asked for


TEXT = st.binary(max_size=40).filter(lambda text: MARK not in text and b"\0" not in text)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    path = tmp_path_factory.mktemp("history")
    subprocess.run(["git", "init", "-q", path], check=True)
    with Repository(path) as made:
        yield made


@settings(max_examples=25, deadline=None)
@given(TEXT, TEXT)
def test_what_one_side_alone_changed_is_its_text(
    repository: Repository, one: bytes, other: bytes
) -> None:
    """Byte for byte, whatever bytes these are."""
    base, side = (tree_of(repository, text) for text in (one, other))
    torn = Merged(base, (b"f.c",))
    assert merge_by_tokens(repository, base, base, side, torn).clean_tree == side
    assert merge_by_tokens(repository, base, side, base, torn).clean_tree == side


def tree_of(repository: Repository, text: bytes) -> str:
    blob = repository.git("hash-object", "-w", "--stdin", stdin=text).strip()
    return repository.git("mktree", stdin=b"100644 blob " + blob + b"\tf.c\n").decode().strip()


LINK, FOLDER, MODULE = b"120000", b"040000", b"160000"


@pytest.mark.parametrize("kind", [LINK, MODULE])
def test_what_is_no_file_leaves_the_other_ways(
    history: Maker,  # noqa: F811
    kind: bytes,
) -> None:
    """A link's target is no text to merge, and a submodule's commit is not here."""
    path, ids = history(*({b"f.c": around(body)} for body in (b"", OLD, RENAMED, MENDED)))
    with Repository(path) as repository:
        tree = tree_of(repository, b"f.c")
        blob = b"1" * 40 if kind == MODULE else tree_of_blob(repository, b"f.c")
        odd = repository.git("mktree", "--missing", stdin=entry(kind, blob)).decode().strip()
        sides = [repository.commit(ids[0]).tree, odd, tree]
        assert merge_by_tokens(repository, *sides, Merged(tree, (b"f.c",))).conflicts == (b"f.c",)


def entry(mode: bytes, oid: bytes) -> bytes:
    kind = {MODULE: b"commit", FOLDER: b"tree"}.get(mode, b"blob")
    return mode + b" " + kind + b" " + oid + b"\tf.c\n"


def tree_of_blob(repository: Repository, text: bytes) -> bytes:
    return repository.git("hash-object", "-w", "--stdin", stdin=text).strip()


def test_a_folder_where_a_file_was_leaves_the_other_ways(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"g.c": b"g\n"},
        {b"g.c": b"g\n", b"f.c": b"bad\n"},
        {b"g.c": b"g\n", b"f.c/y.txt": b"y\n"},
        {b"g.c": b"g\n", b"f.c": b"good\n"},
    )
    assert list(made(path, ids[1], ids[3])) == ["files"]  # which is the whole tree here


def test_a_root_has_no_fix_and_is_none(history: Maker) -> None:  # noqa: F811
    path, ids = history({b"f.c": b"1\n"}, {b"f.c": b"2\n"})
    with Repository(path) as repository:
        for vic, vfc in ((ids[0], ids[1]), (ids[1], ids[0])):
            with pytest.raises(NoCommit, match="has no parent"):
                list(fixes(repository, vic, vfc))


def test_a_merge_that_wrote_a_line_is_not_taken_along(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"f.c": around(b"")},
        {b"f.c": around(b"use(x);\n")},
        {b"f.c": around(b"if (!x) return;\nuse(x);\n"), b"other.c": b"much\n"},
        {b"f.c": around(b"if (!x || !y) return;\nuse(x);\n"), b"other.c": b"much\n"},
    )
    with Repository(path) as repository:
        commits = [repository.commit(one) for one in ids]
        whole = repository.git(
            "commit-tree", "-m", "m", "-p", ids[1], "-p", ids[0], commits[2].tree, env=PERSON
        )
        merged = whole.decode().strip()
        fixed = repository.git(
            "commit-tree", "-m", "f", "-p", merged, commits[3].tree, env=PERSON
        ).decode()
        assert with_needed(repository, ids[1], fixed.strip()) is None


def test_a_file_keeps_the_mode_that_a_merge_by_lines_gives_it(history: Maker) -> None:  # noqa: F811
    path, _ = history({b"f.c": b""})
    with Repository(path) as repository:

        def side(mode: bytes, body: bytes) -> str:
            blob = tree_of_blob(repository, around(body))
            return repository.git("mktree", stdin=entry(mode, blob)).decode().strip()

        base, ours, theirs = side(b"100644", RENAMED), side(b"100755", OLD), side(b"100644", MENDED)
        lines = merge(repository, base, ours, theirs)
        whole = merge_by_tokens(repository, base, ours, theirs, lines).clean_tree
        assert lines.conflicts and whole
        assert repository.git("ls-tree", whole).startswith(b"100755")
