"""A revision -> a snapshot image with it built. The same files, image and build command: built once."""

from __future__ import annotations

import re
import shlex
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from arena.building.revisions import cache
from arena.building.revisions.source import Revision, UnfitSource
from harness.command import Command, Limits
from harness.grade.building import ending, tail
from harness.grade.environment import sandbox
from harness.grade.errors import TAIL_BYTES, error_lines
from harness.grade.ports import ResultCache, digest_of
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import TaskError

REPOSITORY = "arena/rev"
# Goes up when the same revision would be built otherwise.
VERSION = "1"

NAMED_ERRORS = 2
# A name that what is built uses and nothing declares or defines.
MISSING = re.compile(
    r"(?:undeclared identifier|undeclared function|no member named|undefined reference to|undefined symbol:)"
    r" ?['`\"]?(?:[\w:]*::)?(\w+)"
)
MAX_MISSING = 20
# What builds print that want to be in a repository of git.
ASKS_GIT = re.compile(
    rb"not a git repository|\bgit (?:describe|rev-parse|log|ls-files|archive)\b|\bfrom git\b|\.git\b"
)
# Makes a repository of one commit of the working folder, with a tag for what asks `git describe`.
AS_REPOSITORY = (
    "git init -q . && git add -A -f . && export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'"
    " && git config user.name arena && git config user.email arena"
    " && git commit -q --allow-empty -m 'the revision' && git tag -a -m 'the revision' 0.0.0"
)

# Seconds for emptying the working folder.
PREPARING = 120.0

_BUILDING: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


@dataclass(frozen=True)
class Recipe:
    """The recipe for revisions of a case. `base` is the identity of the image that they are built in, on this
    engine; `content` identifies the image by its inputs, the same on every machine.
    """

    base: str
    content: str
    workdir: str
    build: str
    timeout: float
    sanitizer: str
    limits: Limits

    def key(self, revision: Revision) -> str:
        """Names what comes of building a revision."""
        parts = (self.content, revision.identity, self.workdir, self.build, self.sanitizer)
        return digest_of(VERSION, *parts)

    @property
    def bounds(self) -> str:
        """The bounds that also decide whether a build succeeds."""
        return f"{self.limits} {self.timeout}"


@dataclass(frozen=True)
class RevisionBuild:
    """A snapshot's name, or "" with the reason why there is none. seconds: wall time; cpu: processor time.

    lacks: names that the build could not resolve.
    """

    image: str
    reason: str
    seconds: float = 0.0
    cpu: float = 0.0
    lacks: tuple[str, ...] = ()


class RevisionBuilder:
    """Builds revisions by a fixed recipe; safe to use from several threads."""

    def __init__(
        self,
        backend: Backend,
        recipe: Recipe,
        results: ResultCache,
        compiled: cache.Cache,
        say: Callable[[str], None],
    ) -> None:
        self._backend, self._recipe, self._cache = backend, recipe, results
        self._compiled, self._say = compiled, say

    def build_revision(self, revision: Revision) -> RevisionBuild:
        """Build a revision, unless that was done before, by whomever, whether it went well or not.

        Raises TaskError when an object is missing or `workdir` cannot be used, and SandboxFault.
        """
        key = self._recipe.key(revision)
        name = f"{REPOSITORY}:{key[:32]}"
        # A failure is filed with its limits: with more time or memory the same revision may build.
        failed = self.failure(revision)
        # One lock for each snapshot: two cases of a project meet at the same revision.
        with _BUILDING[f"{self._backend.name} {name}"]:
            if self._backend.find(name) is not None:
                return RevisionBuild(name, "")
            failure = self._cache.fact(failed)
            if failure is not None:
                took = float(failure["seconds"]), float(failure.get("cpu", 0.0))
                return RevisionBuild("", str(failure["reason"]), *took, self._lacks(failure))
            self._say(f"building {revision.commit[:12]}")
            started = time.monotonic()
            reason, log, cpu = self._build(revision, name)
            seconds = round(time.monotonic() - started, 3)
            if reason:
                spent = {"seconds": seconds, "cpu": cpu}
                fact = {"reason": reason, **spent, "log": self._cache.keep(log)}
                self._cache.put_fact(failed, fact)
            lacks = tuple(missing_names(log)) if reason else ()
            return RevisionBuild("" if reason else name, reason, seconds, cpu, lacks)

    def _lacks(self, facts: dict[str, Any]) -> tuple[str, ...]:
        """Names that an earlier failed build could not resolve, from its log as far as that is stored."""
        with suppress(KeyError):
            return tuple(missing_names(self._cache.blob(str(facts["log"]))))
        return ()

    def failure(self, revision: Revision) -> str:
        """The name of the fact that says why a revision was not built."""
        return "unbuilt:" + digest_of(
            self._recipe.key(revision), self._recipe.bounds, AS_REPOSITORY
        )

    def _build(self, revision: Revision, name: str) -> tuple[str, bytes, float]:
        """Make the snapshot `name`; returns why there is none ("" when there is), output, and CPU seconds.

        Revisions are plain files; for a build that fails and speaks of git they are put into a repository.
        """
        reason, output, cpu = self._try_build(revision, name, ":")
        if reason and ASKS_GIT.search(output[-TAIL_BYTES:]):
            reason, output, again = self._try_build(revision, name, AS_REPOSITORY)
            cpu += again
        return reason, output, round(cpu, 3)

    def _try_build(self, revision: Revision, name: str, before: str) -> tuple[str, bytes, float]:
        recipe = self._recipe
        with (
            tempfile.TemporaryFile() as tar,
            sandbox(self._backend, recipe.base, recipe.limits) as box,
        ):
            user = self._prepare(box)
            try:
                revision.write(tar, recipe.workdir, user, recipe.limits.disk)
            except UnfitSource as error:
                return str(error), b"", 0.0
            tar.seek(0)
            box.put_tree(tar, "/")
            self._compiled.fill(box)
            line = f"{before}\n{cache.THROUGH_CACHE}{recipe.build}"
            done = box.exec(Command(line, recipe.workdir, recipe.timeout, cache.ENVIRONMENT))
            # A build that a limit ended may have left a cache file by halves.
            if not done.stopped:
                self._compiled.keep(box)
            if not done.ok:
                return _why(ending(done), done.output, revision), done.output, done.cpu
            tidied = box.exec(Command(self._tidying, "/", PREPARING))
            if not tidied.ok:
                reason = f"what the build left cannot be kept: {ending(tidied)}"
                return reason, tidied.output, done.cpu
            box.snapshot(name, {"io.arena.commit": revision.commit})
            return "", done.output, done.cpu

    def _prepare(self, box: Sandbox) -> int:
        """Empty the working folder; returns the user that everything runs as."""
        workdir = shlex.quote(self._recipe.workdir)
        emptied = f"find {workdir} -mindepth 1 -maxdepth 1 -exec rm -rf -- {{}} +"
        done = box.exec(
            Command(f"mkdir -p {workdir} {cache.FOLDER} && {emptied} && id -u", "/", PREPARING)
        )
        last = tail(done.output.rstrip(), 1)
        if not done.ok or not last.isdecimal():
            problem = f"environment.workdir {self._recipe.workdir} cannot be emptied"
            raise TaskError(f"{problem} in the image: {last[:200] or ending(done)}")
        return int(last)

    @property
    def _tidying(self) -> str:
        """Leaves nothing of the cache, and a working folder even after a build that removed it."""
        return f"rm -rf {cache.FOLDER} && mkdir -p {shlex.quote(self._recipe.workdir)}"


def _why(how: str, output: bytes, revision: Revision) -> str:
    """Why a revision was not built, in a line."""
    worst = " | ".join(line.strip()[:160] for line in error_lines(output, NAMED_ERRORS))
    notes = "".join(f" ({note})" for note in revision.notes)
    return f"{how}{': ' if worst else ''}{worst}{notes}"


def missing_names(output: bytes) -> list[str]:
    """The names that a build's output says are nowhere, each once, in order."""
    matches = MISSING.finditer(output[-TAIL_BYTES:].decode("utf-8", "replace"))
    return list(dict.fromkeys(match[1] for match in matches))[:MAX_MISSING]
