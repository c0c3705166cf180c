"""What an engine cannot do is found out, done without and told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import docker.errors
import pytest

from arena.doctor import machine
from harness.command import Command
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.sandbox import container
from harness.sandbox.backends.docker import NO_FILTER, NO_KEEPER, DockerBackend
from harness.sandbox.base import Backend, SandboxDied
from harness.sandbox.container import DockerSandbox
from harness.sandbox.engine import EngineFeatures, means_of
from tasks.loader import load_pack
from tests.conftest import SMALL
from tests.mini import FIXED_C, Mini


def client(name: str, options: list[str], ranges: Any = None, ok: bool = True) -> Any:
    told = {"host": {"idMappings": {"uidmap": ranges}}}
    answer = SimpleNamespace(ok=ok, json=lambda: told)
    return SimpleNamespace(
        version=lambda: {"Components": [{"Name": name}]},
        info=lambda: {"SecurityOptions": options},
        api=SimpleNamespace(base_url="x", _get=lambda _: answer),
    )


ONE, MANY = [{"size": 1}], [{"size": 1}, {"size": 65536}]
SECCOMP = ["name=seccomp,profile=default"]


@pytest.mark.parametrize(
    ("engine", "means"),
    [
        (client("Engine", SECCOMP), EngineFeatures()),
        (client("Engine", [*SECCOMP, "name=rootless"]), EngineFeatures()),
        (client("Engine", []), EngineFeatures(filters=False)),
        (client("Podman Engine", SECCOMP), EngineFeatures(filters=False)),
        (client("Podman Engine", SECCOMP, MANY), EngineFeatures(filters=False)),
        (client("Podman Engine", SECCOMP, ONE), EngineFeatures(filters=False, switches=False)),
        (client("Podman Engine", SECCOMP, ok=False), EngineFeatures(filters=False, switches=False)),
    ],
)
def test_what_an_engine_can_do(engine: Any, means: EngineFeatures) -> None:
    assert means_of(engine) == means


@pytest.fixture
def weak(monkeypatch: pytest.MonkeyPatch, docker: Backend) -> DockerBackend:
    """An engine that can do neither."""
    backend = DockerBackend()
    monkeypatch.setattr(backend, "_means", EngineFeatures(False, False))
    return backend


@pytest.mark.docker
@pytest.mark.slow
def test_a_sandbox_does_without(weak: DockerBackend) -> None:
    box = weak.create(weak.resolve("arena/cpp"), SMALL)
    assert isinstance(box, DockerSandbox)
    box.start()
    try:
        assert box.exec(Command("stat -c %u /proc/1; id -u")).output.split() == [b"1000", b"1000"]
    finally:
        box.stop()


@pytest.mark.docker
def test_a_kernel_without_ipv6_has_a_sandbox_all_the_same(
    docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine refuses a setting that its kernel does not have, and there is one container in the end."""
    monkeypatch.setattr(container, "LOOPBACK", {"net.ipv6.conf.no-such.disable_ipv6": "0"})
    box = docker.create(docker.resolve("arena/cpp"), SMALL)
    assert isinstance(box, DockerSandbox)
    box.start()
    try:
        assert box.exec(Command("cat /proc/net/if_inet6")).output == b""
    finally:
        box.stop()


def test_an_engine_that_refuses_twice_is_told_by_its_second_word() -> None:
    """Once for IPv6, and then for what stands in the way: of the first container nothing is left to remove."""
    removed = []

    class Refusing:
        def __init__(self, why: str) -> None:
            self.why = why

        def start(self) -> None:
            raise docker.errors.APIError(self.why)

        def remove(self, **_: Any) -> None:
            if self in removed:
                raise docker.errors.NotFound("no such container")
            removed.append(self)

    made = iter([Refusing("open /proc/sys/net/ipv6/conf/lo/disable_ipv6")])

    def create(**facts: Any) -> Refusing:
        for one in made:
            return one
        raise docker.errors.APIError("no space left on device")

    user = SimpleNamespace(attrs={"Config": {"User": "1000"}})
    engine: Any = SimpleNamespace(
        images=SimpleNamespace(get=lambda _: user), containers=SimpleNamespace(create=create)
    )
    box = DockerSandbox(engine, "image", SMALL)
    with pytest.raises(SandboxDied, match="no space left"):
        box.start()
    box.stop()
    assert len(removed) == 1


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.docker
@pytest.mark.slow
def test_a_verdict_tells_what_was_lacking(weak: DockerBackend, mini: Mini) -> None:
    task = load_pack(mini.folder).tasks[0]
    patch = mini.patch(lambda _: None, {"src/text.c": FIXED_C})
    assert Grader(weak, MemoryCache()).grade(task, patch).evidence["lacks"] == [NO_FILTER, NO_KEEPER]  # fmt: skip


@pytest.mark.docker
def test_doctor_tells_what_is_lacking(docker: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine._sandbox("docker")().state == "works"
    monkeypatch.setattr(DockerBackend, "_means", EngineFeatures(True, False))
    found = machine._sandbox("docker")()
    assert found.ok and found.state == f"works, but {NO_KEEPER}"
