"""A proof over real git repositories, tiny ones."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from szz.observation import Observation
from szz.proof.git_history import GitHistory, HistoryError
from szz.proof.lineage import NotInLineage
from szz.proof.prove import prove
from szz.shield import QUIET
from tests.szz.synthetic import BUG, same

WHO = {
    f"GIT_{role}_{key}": text
    for role in ("AUTHOR", "COMMITTER")
    for key, text in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2020-01-01T00:00:00Z"))
}


class Tree:
    """Commits by label; parents are labels."""

    def __init__(self, path: Path) -> None:
        self.path, self.ids = path, dict[str, str]()
        path.mkdir()
        self.git("init", "-q", "-b", "main", "--template=")
        self.empty = self.git("hash-object", "-t", "tree", "-w", "--stdin")

    def git(self, *args: str) -> str:
        env = {**QUIET, **WHO, "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ["git", *args], cwd=self.path, env=env, input=b"", capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def commit(self, label: str, *parents: str) -> None:
        flags = [flag for parent in parents for flag in ("-p", self.ids[parent])]
        self.ids[label] = self.git("commit-tree", "-m", label, *flags, self.empty)
        self.git("update-ref", "refs/heads/main", self.ids[label])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """main: r a b M O f ; branch x y merged by M ; p and q merged by the octopus O, q from a root of its own."""
    made = Tree(tmp_path_factory.mktemp("git") / "repository")
    made.commit("r")
    for child, *parents in ("ar", "ba", "xa", "yx", "pb", "q"):
        made.commit(child, *parents)
    for child, *parents in ("Mby", "OMpq", "fO"):
        made.commit(child, *parents)
    made.git("tag", "-a", "-m", "one", "v1.0", made.ids["M"])
    made.git("branch", "topic/y", made.ids["y"])
    return made


@pytest.fixture
def own(tree: Tree, tmp_path: Path) -> Tree:
    """A copy to be changed."""
    mine = copy.copy(tree)
    mine.path = tmp_path / "repository"
    shutil.copytree(tree.path, mine.path)
    return mine


@pytest.mark.slow
def test_lines_and_parents(tree: Tree) -> None:
    history, ids = GitHistory(tree.path), tree.ids
    assert history.first_parents(ids["f"]) == [ids[c] for c in "fOMbar"]
    assert history.first_parents(ids["y"]) == [ids[c] for c in "yxar"]
    assert history.parents(ids["O"]) == tuple(ids[c] for c in "Mpq")
    assert history.parents(ids["r"]) == () and history.parents(ids["q"]) == ()
    assert history.is_ancestor(ids["x"], ids["M"]) and history.is_ancestor(ids["M"], ids["M"])
    assert not history.is_ancestor(ids["M"], ids["x"]) and not history.is_ancestor(
        ids["q"], ids["M"]
    )


def test_names(tree: Tree) -> None:
    history, ids = GitHistory(tree.path), tree.ids
    for label, word in (("M", "v1.0"), ("y", "topic/y"), ("f", "main"), ("f", "HEAD"), ("f", "@")):
        assert history.resolve(word) == ids[label]
    assert history.resolve(ids["a"][:10]) == history.resolve(ids["a"]) == ids["a"]


@pytest.mark.parametrize(
    "word",
    [
        "",
        "--all",
        "-1",
        "nothing",
        "0" * 40,
        "f" * 40,
        ":/f",
        "main^{/f}",
        "@{1}",
        "a..b",
        "a\0b",
        "a\nb",
        " ",
    ],
)
def test_names_of_no_commit(tree: Tree, word: str) -> None:
    with pytest.raises(NotInLineage, match="no commit"):
        GitHistory(tree.path).resolve(word)


def test_the_id_of_a_tree_is_no_commit(tree: Tree) -> None:
    with pytest.raises(NotInLineage):
        GitHistory(tree.path).resolve(tree.empty)


@pytest.mark.slow
@pytest.mark.parametrize("vic", "abxyMpO")
def test_a_proof_over_it(tree: Tree, vic: str) -> None:
    history, ids = GitHistory(tree.path), tree.ids

    def replay(commit: str) -> Observation:
        crashes = commit != ids["f"] and history.is_ancestor(ids[vic], commit)
        return Observation(commit, "crash" if crashes else "clean", BUG if crashes else None)

    proof = prove(history, ["main"], [], replay, same)
    assert (proof.vic, proof.vfc, proof.monotone) == (ids[vic], ids["f"], True)


def test_replacements_and_settings_of_the_repository_take_no_part(own: Tree) -> None:
    own.git("replace", own.ids["b"], own.ids["q"])
    own.git("config", "log.showSignature", "true")
    assert len(GitHistory(own.path).first_parents(own.ids["f"])) == 6


def test_a_bare_one_serves(tree: Tree, tmp_path: Path) -> None:
    tree.git("clone", "-q", "--bare", str(tree.path), str(tmp_path / "bare"))
    assert GitHistory(tmp_path / "bare").resolve("v1.0") == tree.ids["M"]


def test_what_is_no_history(tree: Tree, tmp_path: Path) -> None:
    tree.git("clone", "-q", "--depth=2", f"file://{tree.path}", str(tmp_path / "shallow"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    for path, words in (
        ("shallow", "unshallow"),
        ("folder", "not a git repository"),
        ("file", "cannot be run there"),
        ("nowhere", "cannot be run there"),
    ):
        with pytest.raises(HistoryError, match=words) as caught:
            GitHistory(tmp_path / path)
        assert path in str(caught.value) and "\n" not in str(caught.value)


def test_a_damaged_one_is_told(own: Tree) -> None:
    history, gone = GitHistory(own.path), own.ids["a"]
    (own.path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    with pytest.raises(HistoryError, match=r"Failed to traverse|Could not read|missing"):
        history.first_parents(own.ids["f"])
    with pytest.raises(HistoryError):
        history.is_ancestor(gone, own.ids["f"])
