"""The base is made ahead where it will be asked for, by Python's own library alone, and imported once."""

from __future__ import annotations

import http.server
import os
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from images import base, bootstrap

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Commands that would have been run; debootstrap is here and makes an empty folder."""
    ran: list[str] = []

    def run(argv: list[str]) -> None:
        ran.append(argv[0])
        if argv[0] == "debootstrap":
            (Path(argv[3]) / "etc/apt").mkdir(parents=True, exist_ok=True)
            (Path(argv[3]) / "usr/share/man/man1").mkdir(parents=True)
            (Path(argv[3]) / "usr/share/man/man1/dpkg.1.gz").write_text("never read")
        else:  # packages make links in the folder, which must not be gone
            assert list((Path(argv[2]) / "usr/share/man/man1").iterdir()) == []
            Path(argv[5]).write_bytes(b"tar")

    monkeypatch.setattr(bootstrap, "_run", run)
    monkeypatch.setattr(bootstrap, "ARCHIVE", tmp_path / "kept/base.tar")
    monkeypatch.setattr(bootstrap, "bootstrap_problem", lambda: "")
    monkeypatch.setattr(base, "bootstrap_problem", lambda: "")
    monkeypatch.setattr(bootstrap, "apt_sources", lambda suite: [f"deb http://mirror {suite} main"])
    return ran


Engine = Callable[[int], None]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine at DOCKER_HOST that answers every question with one status."""
    status = [200]

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/images/arena/base:bookworm/json"
            self.send_response(status[0])
            self.end_headers()

        def address_string(self) -> str:
            return "here"

        def log_message(self, *_: Any) -> None: ...

    address = str(tmp_path / "engine.sock")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{address}")
    monkeypatch.delenv("ARENA_BASE_IMAGE", raising=False)
    with socketserver.UnixStreamServer(address, Answer) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield lambda answer: status.__setitem__(0, answer)
        server.shutdown()


@pytest.mark.slow
def test_it_is_made_ahead_where_the_engine_lacks_it(ran: list[str], engine: Engine) -> None:
    engine(200)
    assert (bootstrap.main(), ran) == (0, [])
    engine(404)
    assert (bootstrap.main(), ran) == (0, ["debootstrap", "tar"])
    assert bootstrap.ARCHIVE.read_bytes() == b"tar"
    assert (bootstrap.main(), len(ran)) == (0, 2)  # kept until it is imported


@pytest.mark.slow
@pytest.mark.usefixtures("engine")
def test_it_is_not_made_ahead_for_another_base_or_without_an_engine(
    ran: list[str], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine(404)
    monkeypatch.setenv("ARENA_BASE_IMAGE", "other")
    assert bootstrap.main() == 0
    monkeypatch.delenv("ARENA_BASE_IMAGE")
    for address in ("tcp://127.0.0.1:1", "unix:///nonexistent.sock"):
        monkeypatch.setenv("DOCKER_HOST", address)
        assert bootstrap.main() == 0
    assert ran == []


@pytest.mark.slow
def test_a_failure_is_told_in_one_line_and_leaves_nothing(
    ran: list[str],
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    engine(404)

    def fail(argv: list[str]) -> None:
        raise bootstrap.ImageError(f"{argv[0]} failed: no mirror")

    monkeypatch.setattr(bootstrap, "_run", fail)
    assert bootstrap.main() == 1
    assert capsys.readouterr().err.splitlines()[-1] == "images: debootstrap failed: no mirror"
    assert not bootstrap.ARCHIVE.exists()


@pytest.mark.slow
def test_what_was_made_ahead_is_imported_and_removed(ran: list[str], engine: Engine) -> None:
    engine(404)
    bootstrap.main()
    imported: list[bytes] = []
    api = SimpleNamespace(import_image=lambda tar, **_: imported.append(Path(tar).read_bytes()))
    client: Any = SimpleNamespace(api=api, images=SimpleNamespace(list=lambda name: []))
    assert base.base_reference(client, {"label": "1"}, print) == "arena/base:bookworm"
    assert (imported, len(ran), bootstrap.ARCHIVE.exists()) == ([b"tar"], 2, False)


@pytest.mark.slow
def test_the_older_suite_is_made_beside_it(ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_BASE_IMAGE", "other")  # which stands for today's suite alone
    imported: list[str] = []
    api = SimpleNamespace(
        import_image=lambda tar, repository, tag, changes: imported.append(f"{repository}:{tag}")
    )
    images = SimpleNamespace(list=lambda name: [name] if name == "other" else [])
    client: Any = SimpleNamespace(api=api, images=images)
    assert base.base_here(client, bootstrap.OLDER) is None
    name = base.base_reference(client, {}, print, bootstrap.OLDER)
    assert (name, imported) == ("arena/base:bullseye", ["arena/base:bullseye"])
    assert ran == ["debootstrap", "tar"]
    assert base.base_reference(client, {}, print) == "other"


def test_the_sources_of_an_older_suite_are_the_archive_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = (
        "Debian|http://m/d/|bookworm|main",
        "Debian|http://m/d/|bookworm-updates|main",
        "Debian|http://m/s/|bookworm-security|main",
        "Debian|http://m/d/|bookworm|contrib",
        "Other|http://o/|bookworm|main",
    )
    said = SimpleNamespace(stdout="\n".join(rows))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: said)
    assert bootstrap.apt_sources("bullseye") == ["deb http://m/d/ bullseye main"]
    assert bootstrap.apt_sources() == [
        "deb http://m/d/ bookworm main",
        "deb http://m/s/ bookworm-security main",
        "deb http://m/d/ bookworm-updates main",
    ]


@pytest.mark.slow
def test_what_was_made_on_another_day_is_made_anew(ran: list[str], engine: Engine) -> None:
    engine(404)
    bootstrap.main()
    old = time.time() - bootstrap.FRESH - 1
    os.utime(bootstrap.ARCHIVE, (old, old))
    bootstrap.main()
    assert ran == ["debootstrap", "tar"] * 2


@pytest.mark.slow
def test_it_needs_nothing_but_pythons_own_library() -> None:
    """`scripts/demo` runs it while the Python packages are being installed."""
    env = {**os.environ, "DOCKER_HOST": "unix:///nonexistent.sock"}
    argv = [sys.executable, "-I", "-S", "-c"]
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from images import bootstrap; sys.exit(bootstrap.main())"
    assert subprocess.run([*argv, code], env=env, check=False).returncode == 0
