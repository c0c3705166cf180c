"""Which repositories are cloned first, from where, and what a clone leaves; over http on loopback."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from arena.building.cases import cloning
from arena.building.cases.cloning import (
    PASSED_VARIABLES,
    CloneFailed,
    MissingClone,
    clone_repository,
    missing_clones,
    problem_of,
)
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class NeverAnswering(Quiet):
    """Sends nothing until the server closes."""

    closing = threading.Event()

    def do_GET(self) -> None:
        self.closing.wait(60)


Serve = Callable[..., str]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve a folder over http, as git's dumb protocol reads it; returns the address."""
    for name in PASSED_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    servers: list[ThreadingHTTPServer] = []

    def start(folder: Path, handler: type[Quiet] = Quiet) -> str:
        made = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
        servers.append(made)
        threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{made.server_address[1]}"

    yield start
    NeverAnswering.closing.set()
    for server in servers:
        server.shutdown()
        server.server_close()
    NeverAnswering.closing.clear()


def git(repository: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *words], capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def published(history: Maker) -> tuple[Path, list[str]]:  # noqa: F811
    """A repository with a branch and a tag beside HEAD's, ready to be served; and its commits."""
    path, ids = history({b"f.c": b"1\n"}, {b"f.c": b"2\n"}, {b"f.c": b"3\n"}, name="a/brook.git")
    git(path, "update-ref", "refs/heads/next", ids[2])
    git(path, "update-ref", "refs/tags/v1", ids[1])
    git(path, "update-ref", "refs/heads/main", ids[0])
    git(path, "update-server-info")
    return path, ids


# which addresses


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/libimobiledevice/libplist",
        "https://gitlab.gnome.org/GNOME/libxml2.git",
        "git://git.code.sf.net/p/net-snmp/code",
        "https://skia.googlesource.com/skia.git",
        "http://127.0.0.1:8080/a/brook.git",
    ],
)
def test_plain_addresses_of_the_network_are_taken(url: str) -> None:
    assert problem_of(url) == ""


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("ssh://git@example.org/a/b", "no address of https, http, git"),
        ("git@example.org:a/b.git", "no address of https, http, git"),
        ("file:///srv/a/b", "no address of https, http, git"),
        ("ext::sh -c id", "no address of https, http, git"),
        ("--upload-pack=id", "no address of https, http, git"),
        ("/srv/a/b", "no address of https, http, git"),
        ("https://user:word@example.org/a/b", "a user's name"),
        ("https://-oProxy/a/b", "no plain address"),
        ("https://example.org/a/b c", "no plain address"),
        ("https://example.org/a/b\n", "no plain address"),
        ("https://example.org:x/a/b", "is not a URL"),
        ("https://example.org/a/..", "no plain owner and name"),
        ("https://example.org/%2e%2e/$(id)", "no plain owner and name"),
    ],
)
def test_other_addresses_are_refused_before_git_runs(url: str, part: str, tmp_path: Path) -> None:
    assert part in problem_of(url)
    with pytest.raises(CloneFailed, match=re.escape(part)):
        clone_repository(url, tmp_path / "mirrors")
    assert not (tmp_path / "mirrors").exists()


# which first


def test_the_repository_that_most_cases_wait_for_comes_first(tmp_path: Path) -> None:
    (tmp_path / "there+already/repo").mkdir(parents=True)
    wanted = [
        ("https://example.org/a/one", "1"),
        ("https://example.org/b/two.git", "2"),
        ("https://example.org/b/two", "3"),
        ("https://example.org/b/two", "3"),
        ("https://example.org/there/already", "4"),
        ("ssh://example.org/c/three", "5"),
        ("ssh://example.org/c/three", "6"),
        ("ssh://example.org/c/three", "7"),
    ]
    three = problem_of("ssh://example.org/c/three")
    assert missing_clones(wanted, tmp_path) == [
        MissingClone("https://example.org/b/two.git", "b+two/repo", ("2", "3")),
        MissingClone("https://example.org/a/one", "a+one/repo", ("1",)),
        MissingClone("ssh://example.org/c/three", "c+three/repo", ("5", "6", "7"), three),
    ]


# a clone


def test_a_clone_is_bare_whole_and_has_all_branches_and_tags(
    tmp_path: Path, serve: Serve, published: tuple[Path, list[str]]
) -> None:
    path, ids = published
    mirrors = tmp_path / "mirrors"
    made = clone_repository(f"{serve(path.parent.parent)}/a/brook.git", mirrors)
    assert made == mirrors / "a+brook/repo"
    assert git(made, "rev-parse", "--is-bare-repository") == "true"
    names = ("main", "next", "v1")
    assert git(made, "rev-parse", *names).split() == [ids[0], ids[2], ids[1]]
    assert git(made, "show", "next:f.c") == "3"
    assert not (made / "hooks").exists()
    assert [entry.name for entry in made.parent.iterdir()] == ["repo"]


def test_a_clone_that_is_there_is_taken_without_the_network(tmp_path: Path) -> None:
    there = tmp_path / "a+brook/repo"
    there.mkdir(parents=True)
    assert clone_repository("http://127.0.0.1:9/a/brook.git", tmp_path) == there


def test_the_users_configuration_takes_no_part(
    tmp_path: Path,
    serve: Serve,
    published: tuple[Path, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = serve(published[0].parent.parent)
    (tmp_path / ".gitconfig").write_text(
        f'[url "http://127.0.0.1:9/"]\n\tinsteadOf = {address}/\n[init]\n\ttemplateDir = {tmp_path}\n'
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "url.http://127.0.0.1:9/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"{address}/")
    made = clone_repository(f"{address}/a/brook.git", tmp_path / "mirrors")
    assert not (made / ".gitconfig").exists()


def test_what_a_killed_process_left_is_removed(
    tmp_path: Path, serve: Serve, published: tuple[Path, list[str]]
) -> None:
    left = tmp_path / "mirrors/a+brook" / f"{cloning.PARTIAL_PREFIX}x/repo"
    left.mkdir(parents=True)
    made = clone_repository(
        f"{serve(published[0].parent.parent)}/a/brook.git", tmp_path / "mirrors"
    )
    assert [entry.name for entry in made.parent.iterdir()] == ["repo"]


def test_a_repository_that_is_not_there_leaves_nothing(tmp_path: Path, serve: Serve) -> None:
    with pytest.raises(CloneFailed, match=r"a/brook\.git.*not found"):
        clone_repository(f"{serve(tmp_path)}/a/brook.git", tmp_path / "mirrors")
    assert not (tmp_path / "mirrors/a+brook").exists()


def test_an_empty_repository_is_none(tmp_path: Path, serve: Serve) -> None:
    path = tmp_path / "served/a/brook.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    git(path, "update-server-info")
    with pytest.raises(CloneFailed, match="empty"):
        clone_repository(f"{serve(tmp_path / 'served')}/a/brook.git", tmp_path / "mirrors")
    assert not (tmp_path / "mirrors/a+brook").exists()


@pytest.mark.parametrize(
    ("limit", "value", "part"),
    [("CLONE_TIMEOUT_S", 0.1, "not whole after"), ("MAX_CLONE_BYTES", -1, "larger than")],
)
def test_a_server_that_does_not_come_to_an_end_is_left(
    tmp_path: Path,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: float,
    part: str,
) -> None:
    monkeypatch.setattr(cloning, "PROGRESS_INTERVAL_S", 0.1)
    monkeypatch.setattr(cloning, limit, value)
    address, lines = serve(tmp_path, NeverAnswering), list[str]()
    with pytest.raises(CloneFailed, match=part):
        clone_repository(f"{address}/a/brook.git", tmp_path / "mirrors", lines.append)
    assert any(line.startswith(f"cloning {address}") for line in lines)
    assert not (tmp_path / "mirrors/a+brook").exists()
