"""Toolboxes in real containers: an empty image, and one whose libraries are its own."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.sandbox.base import Backend
from harness.sandbox.engine import connect
from harness.toolbox import FORWARDER, check
from harness.toolbox.recipe import NodeRecipe, Python, Recipe
from tests.harness.toolbox.conftest import Place
from tests.harness.toolbox.programs import Tiny

pytestmark = [pytest.mark.docker, pytest.mark.rotating(3)]
USERS = ("0:0", "1000:1000")


def run(place: Place, image: str, argv: list[str], user: str, *more: Path) -> str:
    """Run in a sealed container and return what was said; raises when that is not status 0."""
    client = connect()
    folders = [*place.toolbox.mounts, *more]
    volumes = {str(path): {"bind": str(path), "mode": "ro"} for path in folders}
    made = client.containers.run(
        image,
        argv,
        user=user,
        volumes=volumes,
        network_mode="none",
        cap_drop=["ALL"],
        read_only=True,
        tmpfs={"/tmp": "mode=1777"},
        environment={"HOME": "/tmp"},
        remove=True,
        stderr=True,
    )
    return bytes(made).decode()


@pytest.fixture(scope="module")
def empty(docker: Backend) -> Iterator[str]:
    with check._empty_image(connect()) as image:
        yield image


@pytest.mark.nightly("installs packages or toolboxes")
def test_a_whole_toolbox_has_no_problems(docker: Backend, place: Place) -> None:
    assert check.problems(place.boxes, place.program) == []


def test_the_empty_image_is_gone_afterwards(docker: Backend) -> None:
    client = connect()
    with check._empty_image(client) as image:
        assert client.images.list(image)
    assert not client.images.list(image)


@pytest.mark.nightly("installs packages or toolboxes")
def test_a_module_that_is_missing_is_a_problem(docker: Backend, place: Place) -> None:
    path = place.toolbox.path
    module = next(path.glob("env/lib/python*/site-packages/tiny_agent/__init__.py"))
    away = module.rename(module.with_name("away"))
    try:
        found = check.problems(place.boxes, place.program)
    finally:
        away.rename(module)
    assert [line.split()[1] for line in found] == ["0:0:", "1000:1000:"]
    assert all("cannot import name 'main'" in line for line in found)


@pytest.mark.nightly("installs packages or toolboxes")
def test_a_program_is_started_as_the_agent_starts_it(docker: Backend, place: Place) -> None:
    """With the variables of its launch: here one that breaks it, elsewhere one without which it is broken."""
    found = check.problems(place.boxes, place.program, lambda path: {"PYTHONHOME": f"{path}/none"})
    assert any("bin/tiny --version" in line for line in found)


@pytest.mark.nightly("installs packages or toolboxes")
def test_a_program_that_no_other_user_may_read_is_a_problem(docker: Backend, place: Place) -> None:
    path = place.toolbox.path / "env/bin"
    path.chmod(0o700)
    try:
        found = check.problems(place.boxes, place.program)
    finally:
        path.chmod(0o755)
    assert found[0] == f"{path}: other users may not read it (mode 700)"
    assert "Permission denied" in found[-1]
    assert found[-1].startswith("as 1000:1000: ")


@pytest.mark.parametrize("user", USERS)
def test_the_forwarder_is_the_only_way_out(place: Place, empty: str, user: str) -> None:
    """The agent in an empty, sealed image reaches the gate through the forwarder, and nothing else."""
    code = """
import json, socket, urllib.request
answer = urllib.request.urlopen("http://127.0.0.1:4000/v1/models", timeout=60).read().decode()
tried = []
for address in (("172.17.0.1", 80), ("1.1.1.1", 53)):
    try: socket.create_connection(address, timeout=1)
    except OSError as error: tried.append(type(error).__name__)
print(json.dumps([answer, tried, [name for _, name in socket.if_nameindex() if name == "eth0"]]))
"""
    folder = Path(tempfile.mkdtemp(prefix="arena-gate-"))
    folder.chmod(0o755)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "model.sock"))
    (folder / "model.sock").chmod(0o666)
    listener.listen()

    def answer() -> None:
        sock, _ = listener.accept()
        with sock:
            sock.recv(65536)
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")

    thread = threading.Thread(target=answer)
    thread.start()
    shutil.copyfile(FORWARDER, folder / "forwarder.py")
    python = str(place.toolbox.python)
    argv = [python, "-I", "-S", str(folder / "forwarder.py"), "--port", "4000"]
    argv += ["--socket", str(folder / "model.sock"), "--", python, "-c", code]
    try:
        said = run(place, empty, argv, user, folder)
    finally:
        thread.join(60)
        listener.close()
        shutil.rmtree(folder)
    assert json.loads(said) == ["here", ["OSError", "OSError"], []]


def test_children_run_with_the_images_own_libraries(docker: Backend, place: Place) -> None:
    image = docker.resolve("arena/cpp")
    code = """
import subprocess
print(subprocess.check_output(["cat", "/proc/self/maps"], text=True))
subprocess.check_call(["gcc", "--version"], stdout=subprocess.DEVNULL)
"""
    said = run(place, image, [str(place.toolbox.python), "-c", code], "1000:1000")
    loaded = {line.split()[-1] for line in said.splitlines() if ".so" in line}
    assert any("libc" in path for path in loaded)
    assert not [path for path in loaded if path.startswith(str(place.boxes.folder))]


@pytest.mark.nightly("installs packages or toolboxes")
def test_an_older_library_of_the_image_is_not_mixed_in(docker: Backend, place: Place) -> None:
    image = docker.resolve("arena/cpp")
    code = "import ssl, sqlite3, ctypes, curses; print(open('/proc/self/maps').read())"
    said = run(place, image, [str(place.toolbox.python), "-c", code], "0:0")
    loaded = {line.split()[-1] for line in said.splitlines() if ".so" in line}
    assert loaded and all(path.startswith(str(place.boxes.folder)) for path in loaded)


@pytest.mark.nightly("installs packages or toolboxes")
@pytest.mark.slow
def test_packages_of_both_registries_run_in_nothing(
    docker: Backend, place: Place, named: Callable[[str, Recipe], Tiny]
) -> None:
    """Real installations: a wheel with native code and a C++ library, and a script for node."""
    for program in (
        named("native", Python(("tabulate==0.9.0", "rapidfuzz==3.9.7"))),
        named("scripted", NodeRecipe(("semver@7.6.3",), node=True)),
    ):
        made = place.boxes.install(program)
        assert made.facts["packages"].keys() >= set(made.facts["programs"])
        if isinstance(program.recipe, Python):
            assert check.problems(place.boxes, program) == []
        else:
            said = subprocess.check_output([made.path / "bin/semver", "1.2.3"], text=True)
            assert said.strip() == "1.2.3"
