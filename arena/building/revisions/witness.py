"""The witness of a case: any commit -> the observation there."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from arena.building.cases.schema import Case, CrashSpec, ReplaySpec, Surroundings
from arena.building.revisions import cache, replayer
from arena.building.revisions.builder import Recipe, RevisionBuild, RevisionBuilder
from arena.building.revisions.objects import Objects
from arena.building.revisions.replayer import Replayer
from arena.building.revisions.source import Revision, UnfitSource, revision
from harness.command import Limits, parse_size
from harness.grade.attack import Attack
from harness.grade.ports import ResultCache, digest_of
from harness.sandbox.base import Backend
from parsers.crashes import Signature, alike
from parsers.cwe import cwe_for, split_crash_type
from szz.observation import Observation
from tasks.loader import TaskError


class WitnessSubject(Protocol):
    """The parts of a case that are needed: its facts, its PoC's bytes, its repository on this machine."""

    @property
    def spec(self) -> Case: ...

    @property
    def poc(self) -> bytes | None: ...

    @property
    def repository(self) -> Path | None: ...


class SandboxWitness:
    """Observes revisions of a case's repository; safe to use from several threads.

    Observations are stored as facts by content, so that a second request is immediate, and a run that
    was killed goes on where it was. `close` it, or use it in a `with`.
    """

    def __init__(
        self,
        backend: Backend,
        case: WitnessSubject,
        results: ResultCache,
        say: Callable[[str], None],
        over: frozenset[str] = frozenset(),
    ) -> None:
        """over: paths of the fix's fuzz target that replace those of each revision.

        Raises TaskError when the case lacks what observing needs."""
        spec = case.spec
        self._case, self._backend, self._cache, self._say = case, backend, results, say
        self._target_paths = over
        self._environment: Surroundings = _present(spec, "environment", spec.environment)
        self._replay_spec: ReplaySpec = _present(spec, "poc", spec.poc)
        self._objects = Objects(_present(spec, "local repository", case.repository))
        limits = spec.limits
        sizes = parse_size(limits.memory), limits.pids, parse_size(limits.disk)
        self._limits = Limits(limits.cpus, *sizes)
        # Threads of one search may ask for the same revision; a build of a quarter of an hour is made once.
        self._observing: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        # of whatever image: ccache goes by the compiler and by what it reads
        project = str(self._objects.repository.resolve())
        self._compiled: cache.Cache | None = cache.lease(digest_of(backend.name, project))

    def __enter__(self) -> SandboxWitness:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the compiler cache back; snapshots and facts stay."""
        if self._compiled is not None:
            cache.release(self._compiled)
            self._compiled = None

    @cached_property
    def stated_crash(self) -> dict[str, Any] | None:
        """The crash that the case states, in the form of `Observation.signature`, or None."""
        return stated_signature(self._case.spec.crash)

    def same(self, signature: Mapping[str, Any], reference: Mapping[str, Any]) -> bool:
        """Whether two signatures are of the same crash, see `parsers.crashes.alike`."""
        return alike(_signature(signature), _signature(reference))

    def observe(self, commit: str) -> Observation:
        """Build the revision of that commit id and replay the PoC, unless it was done before.

        Raises TaskError when the repository cannot be read, and SandboxFault.
        """
        try:
            revision_ = self._revision(commit)
        except UnfitSource as error:
            return Observation(commit, "unbuilt", reason=str(error))
        key = self._key(revision_)
        with self._observing[key]:
            fact = self._cache.fact(key)
            if fact is None:
                fact = self._look(revision_)
                if "image" in fact:  # else the builder keeps why
                    self._cache.put_fact(key, fact)
        return replace(_observation(fact), commit=commit, carried=revision_.carried)

    def build_commit(self, commit: str) -> RevisionBuild:
        """The snapshot of that commit's revision, built unless it was before; no PoC is needed.

        Raises as `observe`.
        """
        try:
            revision_ = self._revision(commit)
        except UnfitSource as error:
            return RevisionBuild("", str(error))
        return self._builder.build_revision(revision_)

    def fix_and_parent(self) -> tuple[str, str]:
        """The newest of the case's fixes, and the first parent of the oldest. Raises TaskError."""
        fixes = self._case.spec.fix
        return self._objects.newest(fixes), self._objects.parent(fixes[0])

    def place(self, commit: str) -> str:
        """An image to look at a revision in: it built, or where it is built. Raises as `observe`."""
        return self.build_commit(self._objects.resolve(commit)).image or self._recipe.base

    def logs(self, commit: str, poc: bool) -> list[bytes]:
        """The output of a failed build of the revision; or of each replay of the PoC. Builds nothing.

        Raises TaskError where nothing was stored.
        """
        revision_ = self._revision(self._objects.resolve(commit))
        if poc:
            fact = self._cache.fact(self._key(revision_)) or {}
            digests = [str(shown["log"]) for shown in fact.get("replays", ())]
            digests += [
                str(shown["report"]) for shown in fact.get("replays", ()) if "report" in shown
            ]
        else:
            failed = self._cache.fact(self._builder.failure(revision_)) or {}
            digests = [str(failed["log"])] if failed else []
        if not digests:
            replay_fact = (self._cache.fact(self._key(revision_)) if self._case.poc else None) or {}
            if (
                replay_fact.get("state") == "unbuilt"
            ):  # the build ended well: its output is not kept
                raise TaskError(f"{commit[:12]}: {replay_fact['reason']}")
            what = "no replay of its PoC was" if poc else "no failed build of it is"
            raise TaskError(f"{commit[:12]}: {what} kept; `arena cases try` makes them")
        return [self._cache.blob(name) for name in digests]

    def _revision(self, commit: str) -> Revision:
        revision_ = revision(
            self._objects, commit, self._fix, self._replay_spec.carry, self._target_paths
        )
        for note in revision_.notes:
            self._say(f"{commit[:12]}: {note}")
        return revision_

    @property
    def _builder(self) -> RevisionBuilder:
        if self._compiled is None:
            raise ValueError("this witness is closed")
        return RevisionBuilder(self._backend, self._recipe, self._cache, self._compiled, self._say)

    @cached_property
    def _fix(self) -> str:
        return self._objects.newest(self._case.spec.fix) if self._replay_spec.carry else ""

    @cached_property
    def _recipe(self) -> Recipe:
        environment, sanitizer = self._environment, self._case.spec.crash.sanitizer
        base = self._backend.resolve(environment.image)
        content = self._backend.content_of(base).digest
        facts = environment.workdir, environment.build, environment.timeout, sanitizer, self._limits
        return Recipe(base, content, *facts)

    @cached_property
    def _replayer(self) -> Replayer:
        how, sanitizer = self._replay_spec, self._case.spec.crash.sanitizer
        poc = self._case.poc
        if "{poc}" in how.command:
            _present(self._case.spec, "PoC file (poc.file)", poc)
        attack = Attack(how.command, sanitizer, poc, self._environment.workdir, how.timeout)
        kind = str(self.stated_crash["kind"]) if self.stated_crash else ""
        return Replayer(self._backend, self._limits, attack, how.replays, kind, self._cache)

    def _key(self, revision: Revision) -> str:
        """The key of an observation, from all that can change it."""
        shot = self._replayer.attack
        expected = self._replayer.expected
        # The kind of crash takes part only where it changes how a limit is read, so that a corrected record
        # does not cost all builds again.
        resource = expected if expected in replayer.RESOURCES else ""
        numbers = f"{shot.timeout} {self._replay_spec.replays} {self._limits}"
        parts = (shot.command, numbers, resource, shot.poc or b"", str(shot.poc is None))
        return "observation:" + digest_of(replayer.VERSION, self._recipe.key(revision), *parts)

    def _look(self, revision: Revision) -> dict[str, Any]:
        """Build and replay now; the facts to keep."""
        started = time.monotonic()
        build = self._builder.build_revision(revision)
        if not build.image:
            facts = {"seconds": build.seconds, "cpu": build.cpu, "lacks": build.lacks}
            return {"state": "unbuilt", "reason": build.reason, **facts}
        self._say(f"replaying the PoC at {revision.commit[:12]}")
        shown = self._replayer.replay(build.image)
        return {
            "state": shown.state,
            "signature": dict(shown.signature) if shown.signature else None,
            "reason": shown.reason,
            "seconds": round(time.monotonic() - started, 3),
            "cpu": build.cpu + sum(float(replay["cpu"]) for replay in shown.replays),
            "image": build.image,
            "replays": list(shown.replays),
        }


def stated_signature(crash: CrashSpec) -> dict[str, Any] | None:
    """The crash as its source states it, in the form of `Crash.to_json`; None when it states no type."""
    if not crash.type.strip():
        return None
    kind, access = split_crash_type(crash.type)
    return {
        "kind": kind,
        "access": access,
        "size": None,
        "frames": [frame for frame in crash.state if frame and frame != "NULL"],
        "sanitizer": crash.sanitizer,
        "cwe": cwe_for(crash.type),
    }


def _signature(facts: Mapping[str, Any]) -> Signature:
    return Signature(str(facts["kind"]), str(facts["access"]), tuple(facts["frames"]))


def _observation(fact: Mapping[str, Any]) -> Observation:
    return Observation(
        commit="",
        state=fact["state"],
        signature=fact.get("signature"),
        seconds=float(fact["seconds"]),
        cpu=float(fact.get("cpu", 0.0)),
        lacks=tuple(fact.get("lacks", ())),
        reason=str(fact["reason"]),
    )


def _present(spec: Case, what: str, value: Any) -> Any:
    """`value`, unless it is None: then TaskError says what the case lacks."""
    if value is None:
        raise TaskError(f"case {spec.id}: has no {what}, which observing a revision needs")
    return value
