"""What a jail holds: files, copies, binds, secrets, databases; and what is told of it before and after."""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.tracks.dual.runner import Bind, Copy, Order, rootfs
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.orders import QUICK, running

ROOT = Path(__file__).resolve().parents[4]


def test_copies_are_fresh_and_binds_are_read_only(runner: ProgramRunner, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.bin").write_bytes(b"\x00\xff")
    (tmp_path / "data/run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "data/run.sh").chmod(0o700)
    (tmp_path / "kit").write_text("kit")
    program = """
        import os
        print(open("/srv/app/data/a.bin", "rb").read(), os.access("data/run.sh", os.X_OK))
        open("/srv/app/data/a.bin", "wb").write(b"changed")
        try:
            open("/srv/app/lib/kit", "w")
        except OSError as error:
            print(error.strerror, open("/srv/app/lib/kit").read())
    """
    order = running(
        program,
        copies=(Copy(str(tmp_path / "data"), "/srv/app/data"),),
        binds=(Bind(str(tmp_path / "kit"), "/srv/app/lib/kit"),),
    )
    for _ in range(2):
        seen = runner.run(order)
        assert seen.stdout == "b'\\x00\\xff' True\nRead-only file system kit\n", seen.stderr
    assert seen.before["/srv/app/data/a.bin"].sha256 == hashlib.sha256(b"\x00\xff").hexdigest()
    assert seen.after["/srv/app/data/a.bin"].content == "changed"
    assert (tmp_path / "data/a.bin").read_bytes() == b"\x00\xff"


def test_the_tree_tells_kinds_modes_and_what_changed(runner: ProgramRunner) -> None:
    program = """
        import os
        os.makedirs("new/deep"); os.chmod("new", 0o700)
        os.symlink("../x", "new/link")
        open("/tmp/t", "w").write("x" * 100_000)
        open("/srv/beside", "w").write("out of the folder")
        open("/var/log/w.log", "w").write("line")
        os.remove("old")
    """
    seen = runner.run(running(program, files={"/srv/app/old": b"o"}, watched=("/var/log",)))
    new = {path for path in seen.after if path not in seen.before}
    assert new == {
        "/srv/app/new",
        "/srv/app/new/deep",
        "/srv/app/new/link",
        "/tmp/t",
        "/srv/beside",
        "/var/log/w.log",
    }
    assert set(seen.before) - set(seen.after) == {"/srv/app/old"}
    after = seen.after
    assert (after["/srv/app/new"].kind, after["/srv/app/new"].mode) == ("folder", 0o700)
    assert (after["/srv/app/new/link"].kind, after["/srv/app/new/link"].target) == ("link", "../x")
    assert (after["/tmp/t"].size, len(after["/tmp/t"].content)) == (100_000, 64 << 10)


def test_too_many_files_are_cut_and_not_lost_in(runner: ProgramRunner) -> None:
    program = "import os\nfor n in range(11_000): os.mknod(f'/tmp/{n}')"
    seen = runner.run(running(program))
    assert len(seen.after) == 10_000 and "/srv/app/app.py" in seen.after


def test_secrets_lie_where_they_were_put(runner: ProgramRunner) -> None:
    secrets = {"/srv/secret.txt": "TOKEN-1", "/etc/passwd": "TOKEN-2", "/etc/app/key": "TOKEN-3"}
    program = """
        import os, pwd
        for path in ("/srv/secret.txt", "/etc/app/key"):
            print(open(path).read())
        print(pwd.getpwuid(os.getuid()).pw_name, pwd.getpwnam("arena").pw_gecos)
    """
    seen = runner.run(running(program, secrets=secrets))
    assert seen.stdout == "TOKEN-1\nTOKEN-3\nnobody TOKEN-2\n" and seen.secrets == secrets


def test_canaries_are_seen_and_do_nothing(runner: ProgramRunner) -> None:
    program = r"""
        import os, subprocess
        os.system('canary "$(printf \'a\\nb\')" "" "; id"')
        subprocess.run(["rm", "-rf", "/srv/app", b"\xff\x00".replace(b"\x00", b"")])
        subprocess.run(["curl", *map(str, range(30))], env={"PATH": "/opt/arena/bin"})
        subprocess.run(["canary", "x" * 5000])
    """
    seen = runner.run(running(program, canaries=("rm", "curl")))
    assert seen.canaries[0] == ("canary", "a\nb", "", "; id")
    assert seen.canaries[1] == ("rm", "-rf", "/srv/app", "\ufffd")
    assert seen.canaries[2] == ("curl", *map(str, range(11)))
    assert seen.canaries[3] == ("canary", "x" * 900)
    assert "/srv/app/app.py" in seen.after and seen.steps[0].exit == 0


MADE = """
import sqlite3
db = sqlite3.connect("shop.db")
db.execute("CREATE TABLE t (a, b)")
db.execute("INSERT INTO t VALUES (2, 'two'), (1, NULL), (3, x'ff')")
db.commit()
"""


def test_rows_before_and_after(runner: ProgramRunner, tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE t (a, b)")
        db.execute("INSERT INTO t VALUES (1, 'é')")
        db.execute('CREATE TABLE "od""d" (x)')
    db.close()
    program = """
        import os, sqlite3
        db = sqlite3.connect("shop.db")
        db.execute("PRAGMA journal_mode=wal")
        db.execute("PRAGMA wal_autocheckpoint=0")
        db.execute("INSERT INTO t VALUES (0, 2.5)")
        db.commit()
        print(os.path.getsize("shop.db-wal") > 0, flush=True)
        os._exit(0)
    """
    order = running(program, copies=(Copy(str(file), "/srv/app/shop.db"),), databases=("shop.db",))
    seen = runner.run(order)
    assert seen.stdout == "True\n", seen.stderr
    assert seen.databases_before == {"shop.db": {"t": ((1, "é"),), 'od"d': ()}}
    assert seen.databases_after["shop.db"]["t"] == ((0, 2.5), (1, "é"))


SPOILED = {
    "none": "pass",
    "text": "open('shop.db', 'w').write('no database')",
    "noise": "import os; open('shop.db', 'wb').write(b'SQLite format 3\\0' + os.urandom(4000))",
    "a link": "import os; os.symlink('/etc/passwd', 'shop.db')",
    "a pipe": "import os; os.mkfifo('shop.db')",
    "a folder": "import os; os.mkdir('shop.db')",
    "cut": MADE + "db.close(); f = open('shop.db', 'r+b'); f.truncate(4096)",
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_database_that_is_none(runner: ProgramRunner, name: str) -> None:
    seen = runner.run(running(SPOILED[name], databases=("shop.db",)))
    assert list(seen.databases_after["shop.db"]) == ["!"] and seen.ended is ProcessEnded.OK, (
        seen.stderr
    )
    assert seen.databases_before["shop.db"]["!"][0][0] == "no file, or too large"


def test_a_computed_column_is_not_computed(runner: ProgramRunner) -> None:
    """Its expression is the program's, and would run in the supervisor."""
    spoil = (
        "db.execute('PRAGMA writable_schema = ON')\n"
        "db.execute(\"UPDATE sqlite_master SET sql = 'CREATE TABLE t (a, b, c AS (x(1)))'\")\n"
        "db.commit()"
    )
    seen = runner.run(running(MADE + spoil, databases=("shop.db",)))
    assert [row[0] for row in seen.databases_after["shop.db"]["t"]] == [1, 2, 3]


def test_blobs_and_order_of_rows(runner: ProgramRunner) -> None:
    seen = runner.run(running(MADE, databases=("/srv/app/shop.db",)))
    rows = seen.databases_after["/srv/app/shop.db"]["t"]
    assert rows == ((1, None), (2, "two"), (3, {"$hex": "ff"}))


def test_files_are_fetched(runner: ProgramRunner) -> None:
    program = (
        "import os\nopen('out.bin', 'wb').write(bytes(range(256)))\nos.symlink('/etc/hosts', 'l')"
    )
    wanted = ("/srv/app/out.bin", "/srv/app/l", "/srv/app/none", "/srv/app")
    assert runner.run(running(program, fetch=wanted)).fetched == {
        "/srv/app/out.bin": bytes(range(256))
    }


WRONG = {
    "folder: '/srv/../etc' is not": {"folder": "/srv/../etc"},
    "folder: /etc is in a folder": {"folder": "/etc"},
    "files: 'a' is not": {"files": {"a": b""}},
    "files: '/srv/a\\\\x00' is not": {"files": {"/srv/a\0": b""}},
    "argv: it is empty": {"argv": ()},
    "canaries: 'a/b' is no": {"canaries": ("a/b",)},
    "databases: '/srv/app/../x' is not": {"databases": ("../x",)},
    "hooks: unknown set 'cobol'": {"hooks": ("cobol",)},
    "copies or binds: there is no /no/such/file": {"copies": (Copy("/no/such/file", "/srv/a"),)},
}


@pytest.mark.parametrize("message", WRONG)
def test_an_order_that_cannot_be_carried_out(runner: ProgramRunner, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        runner.run(dataclasses.replace(Order("run", ("true",), ({},)), **WRONG[message]))
    assert "\n" not in str(raised.value)


def test_copies_that_are_too_much(runner: ProgramRunner, tmp_path: Path) -> None:
    with (tmp_path / "vast").open("wb") as file:
        file.truncate(rootfs.MAX_COPIED + 1)
    with pytest.raises(ValueError, match=f"copies: {tmp_path}/vast is too much to copy"):
        runner.run(running("pass", copies=(Copy(str(tmp_path / "vast"), "/srv/app/vast"),)))


def test_other_languages_run(runner: ProgramRunner) -> None:
    files = {"/srv/app/a.js": b"console.log(process.argv[2], require('os').totalmem() > 0)"}
    order = Order("run", ("node", "/srv/app/a.js"), ({"args": ["x"]},), files=files, limits=QUICK)
    assert runner.run(order).stdout == "x true\n"
    files = {"/srv/app/a.cpp": b'#include <cstdio>\nint main() { std::puts("built"); }'}
    build = ("sh", "-c", "g++ -o prog a.cpp && ./prog")
    seen = runner.run(
        Order("run", build, ({},), files=files, fetch=("/srv/app/prog",), limits=QUICK)
    )
    assert seen.stdout == "built\n" and seen.fetched["/srv/app/prog"].startswith(b"\x7fELF"), (
        seen.stderr
    )
    assert shutil.which("node") and shutil.which("g++")


SCRIPT = """
import harness
from arena.tracks.dual.runner import Order
from arena.tracks.dual.runner.pool import ProgramRunner

with ProgramRunner() as runner:
    order = Order("run", ("python", "-c", "import os; print(os.listdir('/tmp'))"), ({},))
    print(harness.__file__, [runner.run(order).stdout for _ in range(2)])
"""


@pytest.mark.usefixtures("isolated")
def test_a_checkout_below_the_scratch_folder(tmp_path: Path) -> None:
    """Its own /tmp hides a checkout there from a program; the worker needs it."""
    shutil.copytree(
        ROOT / "harness", tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__")
    )
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        cwd="/",
        capture_output=True,
        text=True,
    )
    prefix = Path(sys.prefix).parts  # the Python that runs is seen, wherever it is
    found = repr([f"{[prefix[2]] if prefix[1] == 'tmp' else []}\n"] * 2)
    assert done.stdout.strip() == f"{tmp_path}/harness/__init__.py {found}", done.stderr


@pytest.mark.slow
def test_another_user_than_root(tmp_path: Path) -> None:
    """Without root, all is made in a user namespace: the same place, the same boundary."""
    if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() != "0":
        return  # every other test here has shown it
    source = tmp_path / "checkout"
    for room in ("arena", "harness", "parsers"):
        shutil.copytree(
            ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__", "operators")
        )
    for folder in (tmp_path, *(p for p in tmp_path.parents if len(p.parts) > 2)):
        folder.chmod(0o755)
    script = (
        "from arena.tracks.dual.runner import Order\nfrom arena.tracks.dual.runner.pool import ProgramRunner\n"
        "with ProgramRunner() as runner:\n"
        "    order = Order('run', ('sh', '-c', 'id -u; canary x; ls /proc/1; echo y >/srv/app/f'), ({},))\n"
        "    seen = runner.run(order)\n"
        "    print(seen.stdout, seen.canaries, sorted(seen.after))\n"
    )
    done = subprocess.run(
        ["/usr/bin/python3", "-c", script],
        env={"PYTHONPATH": str(source), "PATH": "/usr/bin:/bin"},
        cwd="/",
        capture_output=True,
        text=True,
        user=12345,
        group=12345,
        extra_groups=[],
    )
    expected = "12345\n (('canary', 'x'),) ['/srv/app', '/srv/app/f', '/srv/home']\n"
    assert done.stdout == expected, done.stderr
