"""The nodes of a Ray cluster: on each a host process that does jobs in threads, as `local` does here.

A node declares its resources by `ray start --resources`: `arena_sandboxes`, `arena_builds`, `arena_disk`
(bytes), and Ray's `memory`. Where any node declares its sandboxes, only nodes that do are used.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from arena.jobs import (
    Capacity,
    Charged,
    EngineFault,
    Event,
    Fault,
    JobEnded,
    JobOutcome,
    Node,
    NodeJoined,
    NodeLost,
    StageJob,
    StepReported,
)
from arena.protocols import Setup
from arena.store.model import Spent
from arena.store.store import Store
from arena.sweep.engines._host import FactsOf, Host, News, version

# Seconds between checks for new and lost nodes.
LOOK = 2.0
# Seconds that the head of a cluster has to answer.
ANSWER = 5.0
# Seconds that the first node has to open the track.
OPEN = 120.0
# Seconds after which a sweep starts although some nodes are not ready.
ALL = 30.0
# Most host processes per node, one after the other, if they end by themselves.
HOSTS = 3
PROBE = b"arena: a node that reads this sees the artefacts of the store"
# Threads of a host for jobs without a sandbox, such as completion requests; one more reports news.
ASKING = 64
SANDBOXES, BUILDS, DISK = "arena_sandboxes", "arena_builds", "arena_disk"


@dataclass
class _Member:
    """A node of the cluster and its host.

    ready: resolves to the images on the host. news: resolves to its jobs' reports, then requested anew.
    """

    node: Node
    host: Any
    ready: Any
    news: Any = None
    joined: bool = False
    jobs: dict[Any, StageJob] = field(default_factory=dict)


class RayEngine:
    """address: of a cluster's head ("host:port"), "auto" for the local cluster, "" to start a cluster."""

    def __init__(self, address: str = "") -> None:
        self._address = address
        self._members: dict[str, _Member] = {}
        self._begun: dict[str, int] = {}
        self._failed: dict[str, str] = {}
        self._looked = 0.0

    # the Protocol

    def expect(self) -> None:
        _ray()
        _expect_answer(self._address)

    def open(self, setup: Setup, store: str, capacity: Capacity) -> Sequence[Node]:
        self._ray = connect(self._address, capacity)
        self._setup, self._default = setup, capacity
        try:
            return self._open_cluster(store)
        # An interrupt too: no process of a cluster that is half open may stay. All is raised again.
        except BaseException:
            self.close(hurry=True)
            raise

    def _open_cluster(self, store: str) -> Sequence[Node]:
        ray, shared_store = self._ray, Store(store)
        self._artefacts, self._probe = shared_store.artefacts_url, shared_store.keep(PROBE)
        own_node = ray.get_runtime_context().get_node_id()
        self._facts = _remote(ray, FactsOf, own_node, 4).remote(store)
        self._look()
        self._gather()
        nodes = [member.node for member in self._members.values() if member.joined]
        if not nodes:
            why = "; ".join(self._failed.values()) or f"no node is ready after {OPEN:g} s"
            raise EngineFault(f"ray: {why}")
        return nodes

    def submit(self, job: StageJob, node: str) -> None:
        member = self._members[node]
        member.jobs[member.host.do.remote(job)] = job

    def events(self, timeout: float) -> Sequence[Event]:
        """Raises EngineFault when the head of the cluster is gone: what is stored is all that is left."""
        try:
            return self._events(timeout)
        except (self._ray.exceptions.RayError, ConnectionError) as error:
            message = " ".join(str(error).split())[:200]
            raise EngineFault(f"ray: the cluster is lost: {message}") from error

    def _events(self, timeout: float) -> Sequence[Event]:
        events: list[Event] = []
        if time.monotonic() - self._looked > LOOK:
            events += self._look()
        waiting = {ref: member for member in self._members.values() for ref in member.jobs}
        waiting |= {m.ready: m for m in self._members.values() if not m.joined}
        waiting |= {m.news: m for m in self._members.values() if m.joined}
        if not waiting:
            if not events:
                time.sleep(timeout)
            return events
        ready, _ = self._ray.wait(list(waiting), timeout=0 if events else timeout)
        if ready:
            # One is ready: all others that are ready come with it, without another wait.
            ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=0)
        for ref in ready:
            member = waiting[ref]
            # A result before it in this round may have shown that its node is lost.
            if self._members.get(member.node.name) is member:
                events += self._take_result(member, ref)
        return events

    def close(self, hurry: bool = False) -> None:
        with suppress(self._ray.exceptions.RayError, ConnectionError):  # a cluster that is lost
            if not hurry and self._members:
                ended = [member.host.close.remote() for member in self._members.values()]
                self._ray.wait(ended, num_returns=len(ended), timeout=30)
            for member in self._members.values():
                self._ray.kill(member.host)
        self._members.clear()
        self._ray.shutdown()

    # what happens to nodes

    def _look(self) -> list[Event]:
        """Start hosts on nodes that have none, and return events for nodes that are gone."""
        self._looked = time.monotonic()
        alive = {n["NodeID"]: n for n in self._ray.nodes() if n["Alive"]}
        events: list[Event] = []
        for name in [name for name in self._members if name not in alive]:
            events += self._lose(name, "it left the cluster")
        members = [n for n in alive.values() if SANDBOXES in n["Resources"]]
        for node in members or list(alive.values()):
            name = node["NodeID"]
            if name not in self._members and self._begun.get(name, 0) < HOSTS:
                self._begun[name] = self._begun.get(name, 0) + 1
                self._members[name] = self._host(name, node["Resources"])
        return events

    def _host(self, name: str, resources: Mapping[str, float]) -> _Member:
        capacity = capacity_of(resources, self._default)
        host = _remote(self._ray, Host, name, capacity.sandboxes + ASKING + 1).remote(
            self._setup, self._artefacts, self._facts
        )
        ready = host.open.remote(self._probe, version())
        return _Member(Node(name, capacity), host, ready)

    def _gather(self) -> None:
        """Wait for the first node, and a while for the rest: a later node joins later."""
        began = time.monotonic()
        latest = began + OPEN
        while not all(m.joined for m in self._members.values()) and time.monotonic() < latest:
            self._greet(0.2)
            if any(m.joined for m in self._members.values()):
                latest = min(latest, began + ALL)

    def _greet(self, timeout: float) -> list[Event]:
        """Hear from the hosts that are opening."""
        opening = {m.ready: m for m in self._members.values() if not m.joined}
        ready, _ = self._ray.wait(list(opening), num_returns=len(opening), timeout=timeout)
        return [event for ref in ready for event in self._take_result(opening[ref], ref)]

    def _take_result(self, member: _Member, ref: Any) -> list[Event]:
        name = member.node.name
        job, news = member.jobs.get(ref), ref == member.news
        try:
            result = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            cause = f"{type(error.cause).__name__}: {error.cause}"
            if job is None:
                self._begun[name] = HOSTS  # it would fail again
                return self._lose(name, cause)
            del member.jobs[ref]
            return [JobEnded(job, name, JobOutcome(fault=Fault(cause, again=False)))]
        except self._ray.exceptions.RayError as error:
            return self._lose(name, f"its host ended: {type(error).__name__}")
        if news:
            member.news = member.host.news.remote()
            return list(events_of(result, member.jobs.values()))
        if job is None:
            return self._join(member, result)
        del member.jobs[ref]
        return [JobEnded(job, name, result)]

    def _join(self, member: _Member, images: frozenset[str]) -> list[Event]:
        member.joined = True
        member.news = member.host.news.remote()
        member.node.images |= images
        return [NodeJoined(member.node)]

    def _lose(self, name: str, reason: str) -> list[Event]:
        """A node or its host is gone: jobs that had not ended are faults that another node may be spared."""
        member = self._members.pop(name)
        # An outcome that was on its way is paid work: it counts though its node is gone.
        ended = {ref: self._outcome_of_lost_node(ref) for ref in member.jobs}
        self._ray.kill(member.host)
        self._failed[name] = f"node {name[:12]}: {' '.join(reason.split())}"
        fault = Fault(f"NodeLost: {name[:12]}: {reason}")
        events: list[Event] = [NodeLost(name, reason)] if member.joined else []
        return events + [
            JobEnded(job, name, ended[ref] or JobOutcome(fault=fault))
            for ref, job in member.jobs.items()
        ]

    def _outcome_of_lost_node(self, ref: Any) -> JobOutcome | None:
        """The outcome of a job that came to its end before its node was lost, as far as it is here."""
        try:
            outcome: JobOutcome = self._ray.get(ref, timeout=0)
        except self._ray.exceptions.RayError:
            return None
        return outcome


def events_of(news: Sequence[News], jobs: Iterable[StageJob]) -> Iterator[Event]:
    """Events from reports of jobs in flight; those of an earlier try, for instance, came too late."""
    flying = {job.tried: job for job in jobs}
    for tried, report in news:
        job = flying.get(tried)
        if job is not None:
            yield Charged(job, report) if isinstance(report, Spent) else StepReported(job, report)


def capacity_of(resources: Mapping[str, float], default: Capacity) -> Capacity:
    """The resources that a node declared to Ray; the default's where it declared none."""
    return Capacity(
        int(resources.get(SANDBOXES, default.sandboxes)),
        int(resources.get(BUILDS, default.builds)),
        int(resources.get("memory", default.memory)),
        int(resources.get(DISK, default.disk)),
    )


def _remote(ray: Any, kind: type, node: str, threads: int) -> Any:
    """An actor class whose only process is on that node, and uses no resources that Ray counts."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # Hard: with `soft` Ray may start the host on a node that nobody counted.
    affinity = NodeAffinitySchedulingStrategy(node, soft=False)
    # No CPU, since placement is the driver's. No restarts: a host that comes back has lost its track and its
    # jobs.
    actor = ray.remote(num_cpus=0, max_concurrency=threads, max_restarts=0)(kind)
    return actor.options(scheduling_strategy=affinity)


def connect(address: str, capacity: Capacity) -> Any:
    """Ray, connected to `address` ("": a cluster of this machine alone). Raises EngineFault."""
    ray = _ray()
    _expect_answer(address)
    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if not address:
        quiet |= {"include_dashboard": False, "num_cpus": max(1, capacity.sandboxes)}
    try:
        ray.init(address=address or "local", namespace="arena", **quiet)
    except ray.exceptions.AuthenticationError as error:
        raise EngineFault(
            f"ray: {address} asks for a token: set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN_PATH if it is not "
            "in ~/.ray/auth_token"
        ) from error
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        message = " ".join(str(error).split())[:200]
        raise EngineFault(f"ray: no cluster at {address or 'this machine'}: {message}") from error
    return ray


def _ray() -> Any:
    """The library. Raises ModuleNotFoundError where the extra is not installed."""
    # Ray reports its usage over the network unless it is told not to (law 8).
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    return ray


def _expect_answer(address: str) -> None:
    """Raise EngineFault when no process listens at the address: Ray itself waits for minutes."""
    if address in ("", "auto", "local"):
        return
    host, _, port = address.rpartition(":")
    if address.startswith("ray://") or not host or not port.isdigit():
        raise EngineFault(f"ray: address {address!r}: HOST:PORT of a cluster's head, or auto")
    try:
        socket.create_connection((host, int(port)), ANSWER).close()
    except (OSError, OverflowError) as error:
        raise EngineFault(f"ray: nobody answers at {address}: {error}") from error


PLUGIN = RayEngine
