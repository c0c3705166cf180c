import subprocess

import pytest


@pytest.fixture
def git(monkeypatch):
    """A stand-in for the program: what it was called with, and what it answers."""
    answer = {"stdout": "", "stderr": "", "returncode": 0, "calls": []}

    def run(command, **options):
        answer["calls"].append((list(command), options))
        return subprocess.CompletedProcess(command, answer["returncode"], answer["stdout"], answer["stderr"])

    monkeypatch.setattr(subprocess, "run", run)
    return answer


def test_log(git):
    git["stdout"] = "1a2b\tAnn\tAdd a page\n3c4d\tBo\tFix\ttabs\n"
    found = GitHistory("/repo").log("main~2", path="src/page.py", author="Ann", limit=5)
    assert found == [Commit("1a2b", "Ann", "Add a page"), Commit("3c4d", "Bo", "Fix\ttabs")], "commits are read"
    command = git["calls"][0][0]
    assert command[0] == "git" and "log" in command and "main~2" in command and "src/page.py" in command, "git is asked"


def test_show_and_changed(git):
    git["stdout"] = "one\ntwo\n"
    history = GitHistory("/repo")
    assert history.show("v1.2", "docs/read me.md") == "one\ntwo", "a file as it was"
    assert "v1.2:docs/read me.md" in git["calls"][0][0], "revision and path in one"
    assert history.changed("HEAD^", "feature/new-page") == ["one", "two"], "names of files"


def test_find_and_branches(git):
    git["stdout"] = "main\nmaster\nold\n"
    assert GitHistory("/repo").branches("ma") == ["main", "master"], "branches by their beginning"
    assert GitHistory("/repo").find("needle", "1a2b3c4") == ["main", "master", "old"], "lines found"
    assert "needle" in git["calls"][1][0], "the text is asked for"


def test_refused(git):
    git.update(returncode=128, stderr="fatal: bad revision")
    with pytest.raises(GitError, match="bad revision"):
        GitHistory("/repo").log("nope")


def test_limit(git):
    with pytest.raises(GitError):
        GitHistory("/repo").log(limit=0)
