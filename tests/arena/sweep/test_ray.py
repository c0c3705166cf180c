"""The same drive over a real Ray cluster of two nodes on this machine; one of them is lost half-way."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arena.jobs import (
    Capacity,
    Charged,
    EngineFault,
    JobEnded,
    Needs,
    Node,
    Stage,
    StageJob,
    StepReported,
)
from arena.protocols import Setup
from arena.store.model import AttemptKey, AttemptUpdate, Spent, StoredSolution
from arena.store.store import Store
from arena.sweep import drive as driving
from arena.sweep.control import DriveOptions, Why
from arena.sweep.drive import drive
from arena.sweep.engines.ray import RayEngine, capacity_of, events_of
from arena.sweep.watch import Silent, Totals
from tests.arena.sweep.ray_track import Sleeping

ROOT = Path(__file__).parents[3]
RAY = Path(sys.executable).with_name("ray")
PATIENCE = 180
CAPACITY = Capacity(2, 2)
HERE = ("--node-ip-address", "127.0.0.1")


def free_port() -> int:
    """One below those that the kernel gives out: any of those may be somebody's a moment later."""
    least = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(max(1024, least - 10_000), least), 99):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


class Cluster:
    """Nodes as processes of their own (`ray start --block`), ended by their process groups."""

    def __init__(self, folder: Path) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self._folder = folder
        self._nodes: list[subprocess.Popen[bytes]] = []

    def add(self, sandboxes: int) -> None:
        resources = f'{{"arena_sandboxes": {sandboxes}, "arena_builds": 1}}'
        port = self.address.rpartition(":")[2]
        who = ["--head", "--port", port] if not self._nodes else ["--address", self.address]
        more = ["--include-dashboard=false"] if not self._nodes else []
        small = ["--num-cpus", "1", "--object-store-memory", str(80 << 20)]
        rest = ["--temp-dir", str(self._folder)] if not self._nodes else []
        log = (self._folder / f"node-{len(self._nodes)}.log").open("wb")
        node = subprocess.Popen(
            [RAY, "start", "--block", *HERE, "--resources", resources, *who, *more, *small, *rest],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
            start_new_session=True,
        )
        self._nodes.append(node)

    def wait(self) -> None:
        limit = time.monotonic() + PATIENCE
        host, _, port = self.address.partition(":")
        while time.monotonic() < limit:
            try:
                socket.create_connection((host, int(port)), 1).close()
                return
            except OSError:
                time.sleep(0.2)
        raise AssertionError("the head does not come up")

    def again(self) -> None:
        """Start the last node once more where it gave up: the head may not have been ready for it."""
        if self._nodes[-1].poll() is not None:
            self._nodes.pop()
            self.add(2)

    def told(self) -> str:
        logs = sorted(self._folder.glob("node-*.log"))
        return "\n".join(log.read_text(errors="replace")[-2000:] for log in logs)

    def lose(self, number: int) -> None:
        """End a node at once, all its processes with it."""
        os.killpg(self._nodes[number].pid, signal.SIGKILL)
        self._nodes[number].wait(60)

    def close(self) -> None:
        for number in reversed(range(len(self._nodes))):
            if self._nodes[number].poll() is None:
                self.lose(number)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with (
        tempfile.TemporaryDirectory(prefix="ry") as folder,  # sockets below it have short names
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv(
            "RAY_AUTH_MODE", "disabled"
        )  # or a token in the home of the user would turn it on
        made = Cluster(Path(folder))
        try:
            made.add(2)
            made.wait()
            made.add(2)
            limit = time.monotonic() + PATIENCE
            while len(_nodes(made.address)) < 2:
                made.again()
                assert time.monotonic() < limit, made.told()
            yield made
        finally:
            made.close()


class Recorded(Silent):
    def __init__(self) -> None:
        self.node_sets: list[int] = []
        self.steps = Counter[str]()
        self.most = 0.0
        self.written: list[AttemptUpdate] = []
        self.notes: list[str] = []

    def nodes(self, nodes: list[Node]) -> None:  # type: ignore[override]
        self.node_sets.append(len(nodes))

    def report_end(self, job: StageJob, written: AttemptUpdate) -> None:
        self.written.append(written)

    def step(self, job: StageJob, step: str) -> None:
        self.steps[step] += 1

    def tick(self, totals: Totals) -> None:
        self.most = max(self.most, totals.spent.usd)

    def note(self, text: str) -> None:
        self.notes.append(text)


def setup_for(folder: Path, **options: object) -> Setup:
    track = "tests.arena.sweep.ray_track:open_track"
    return Setup(track, "pack", options={"log": str(folder / "log"), **options})


def done_of(folder: Path) -> Counter[str]:
    lines = (folder / "log").read_text().splitlines()
    return Counter(" ".join(line.split()[:3]) for line in lines)


def _nodes(address: str) -> list[str]:
    out = subprocess.run(
        [sys.executable, "-c", NODES, address], capture_output=True, text=True, timeout=PATIENCE
    )
    return out.stdout.split()


NODES = """
import sys, ray
ray.init(address=sys.argv[1], logging_level="ERROR", log_to_driver=False)
print(*[n["NodeID"] for n in ray.nodes() if n["Alive"]])
"""


@pytest.mark.slow
def test_attempts_of_a_task_gather_where_its_image_is_and_faults_go_elsewhere(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.0)
    store = Store(tmp_path / "store")
    keys = [AttemptKey(f"t{n}", f"a{m}") for n in range(4) for m in range(10)]
    run = store.open_run("pack", [*keys, AttemptKey("bad", "a0", replicate=1)], {})
    setup = setup_for(tmp_path, seconds=0.05, die="bad")
    needs = Sleeping(setup, store).needs
    watch = Recorded()
    assert (
        drive(store, run, setup, RayEngine(cluster.address), CAPACITY, needs, watch=watch).why
        is Why.DONE
    )
    found = store.attempts(run)
    homes = [Counter(a.node for a in found if a.key.task == f"t{n}") for n in range(4)]
    at_home = sum(max(where.values()) for where in homes)
    assert at_home >= 28, homes  # of 40; by chance 25, the last task's rest goes where room is
    (bad,) = [a for a in found if a.key.task == "bad"]
    assert (bad.health, bad.reason) == ("infra", "SandboxDied: told to")
    lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    tried = [pid for what, task, _, pid in lines if task == "bad"]
    assert len(tried) == 3 and tried[0] != tried[1], "the second try is on the other node"


@pytest.mark.nightly
def test_a_sweep_over_two_nodes_survives_the_loss_of_one(cluster: Cluster, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    keys = [AttemptKey(f"t{n}", f"a{m}") for n in range(6) for m in range(8)]
    run = store.open_run("pack", keys, {})
    setup = setup_for(tmp_path, seconds=0.4)

    class Losing(Recorded):
        def report_end(self, job: StageJob, written: AttemptUpdate) -> None:
            super().report_end(job, written)
            if len(self.written) == 16:
                assert len({w.node for w in self.written}) == 2, "both nodes take part"
                cluster.lose(1)

    watch = Losing()
    needs = Sleeping(setup, store).needs
    ending = drive(store, run, setup, RayEngine(cluster.address), CAPACITY, needs, watch=watch)
    assert ending.why is Why.DONE
    found = store.attempts(run)
    assert {(a.health, a.label) for a in found} == {("ok", "C&S")}
    assert all(a.evidence["patch"] == a.key.task for a in found)
    done = done_of(tmp_path)
    graded = {what: n for what, n in done.items() if what.startswith("grade")}
    assert len(graded) == len(keys)
    repeated = sum(n - 1 for n in done.values())
    assert repeated <= 4, "only what the lost node had in hand is done again"
    assert any("is lost" in note for note in watch.notes)
    assert max(watch.node_sets) == 2 and watch.node_sets[-1] == 1
    assert store.fact("gold:t0") == {"task": "t0"}, "what nodes learn comes to the store"
    assert sum(a.tries for a in found) >= len(keys)


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_what_a_host_ended_before_it_died_is_not_lost(cluster: Cluster, tmp_path: Path) -> None:
    """The driver was busy, and hears of a result and of the death at the same time."""
    setup, store = setup_for(tmp_path, seconds=PATIENCE), Store(tmp_path / "store")
    left = StoredSolution(store.keep(b"t1"), "finished")
    flying = StageJob("a0", AttemptKey("t0", "a"), Stage.SOLVE, Needs())
    ended = StageJob("a1", AttemptKey("t1", "a"), Stage.GRADE, Needs(), left)
    engine = RayEngine(cluster.address)
    node = engine.open(setup, store.url, CAPACITY)[0].name
    try:
        for job in (flying, ended):
            engine.submit(job, node)
        first, second = engine._members[node].jobs
        assert engine._ray.wait([second], timeout=PATIENCE)[0]
        os.kill(int((tmp_path / "log").read_text().split()[-1]), signal.SIGKILL)
        assert engine._ray.wait([first], timeout=PATIENCE)[0]
        outcomes, limit = {}, time.monotonic() + PATIENCE
        while len(outcomes) < 2 and time.monotonic() < limit:
            happened = engine.events(0.1)
            outcomes |= {e.job.attempt: e.outcome for e in happened if isinstance(e, JobEnded)}
    finally:
        engine.close(hurry=True)
    fault, verdict = outcomes["a0"].fault, outcomes["a1"].verdict
    assert fault is not None and fault.again
    assert verdict is not None and verdict.evidence["patch"] == "t1"


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_nodes_tell_steps_and_costs_while_their_attempts_run(
    cluster: Cluster, tmp_path: Path
) -> None:
    store, stop = Store(tmp_path / "store"), threading.Event()
    run = store.open_run("pack", [AttemptKey(f"t{n}", "a", "m") for n in range(2)], {})
    setup = setup_for(tmp_path, seconds=PATIENCE)

    class Stopping(Recorded):
        def tick(self, totals: Totals) -> None:
            super().tick(totals)
            if self.most == 1.0 and self.steps["agent"] == 2:
                stop.set()

    watch, options = Stopping(), DriveOptions(grace=0.1)
    needs, engine = Sleeping(setup, store).needs, RayEngine(cluster.address)
    assert (
        drive(store, run, setup, engine, CAPACITY, needs, options, watch, stop).why is Why.STOPPED
    )
    assert [(a.label, a.usd) for a in store.attempts(run)] == [(None, 0.5)] * 2


@pytest.mark.slow
def test_an_address_that_does_not_answer_is_one_line() -> None:
    port = free_port()
    setup = Setup("repo", "starter")
    for address, told in (
        (f"127.0.0.1:{port}", "nobody answers"),
        ("nowhere", "HOST:PORT"),
        ("ray://127.0.0.1:1", "HOST:PORT"),
    ):
        with pytest.raises(EngineFault, match=told) as raised:
            RayEngine(address).open(setup, "", CAPACITY)
        assert "\n" not in str(raised.value)


def test_what_an_earlier_try_said_is_not_taken_for_this_one() -> None:
    """Its outcome, which may come first, has told its whole cost."""
    first = StageJob("a", AttemptKey("t", "agent"), Stage.SOLVE, Needs())
    second, spent = replace(first, number=2), Spent(0.5, 7)
    news = [(first.tried, spent), (second.tried, "agent"), (second.tried, spent)]
    assert list(events_of(news, [second])) == [
        StepReported(second, "agent"),
        Charged(second, spent),
    ]


def test_a_node_has_what_it_told_and_else_the_default() -> None:
    told = {"arena_sandboxes": 3.0, "memory": 5.0, "arena_disk": 7.0}
    assert capacity_of(told, CAPACITY) == Capacity(3, 2, 5, 7)
    assert capacity_of({}, CAPACITY) == CAPACITY
