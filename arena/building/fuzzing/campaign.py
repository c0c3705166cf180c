"""A bounded campaign for a case: what crashes the fix's parent as the record says, and not the fix.

It goes in turns of libFuzzer. After each, every new crash is replayed: what matches the record and is clean
at the fix is the PoC, once it is minimised; the rest are stored for the project's remaining cases.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.building.candidates import find_fix_loss
from arena.building.cases.loader import POC_FILE, LoadedCase, load_case
from arena.building.cases.proof import FuzzingOrigin, PocOrigin
from arena.building.cases.schema import Case
from arena.building.cases.store import save
from arena.building.confirm import ALL_LOSSES, CASE_ERRORS, loss_of
from arena.building.fuzzing import libfuzzer
from arena.building.fuzzing.captures import are_captures, packets_at
from arena.building.fuzzing.corpus import CAMPAIGNS, StoredCorpus, crashes_in
from arena.building.fuzzing.hints import Hints, hints_of
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.oss_fuzz.pocs import PocFile, data_files_beside, origin_of
from arena.building.oss_fuzz.reproducer import download_testcase
from arena.building.revisions.objects import Objects
from arena.building.revisions.replayer import target_of
from arena.building.revisions.witness import SandboxWitness
from harness.command import Command, ExecResult, Limits, parse_size
from harness.grade.attack import Attack, NotRun, replay
from harness.grade.environment import sandbox
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from szz.repository import Repository
from tasks.loader import TaskError

# Short turns first: many crashes show within seconds, and each look at them costs a replay.
# Seconds of libFuzzer between two looks at what crashed; the last is every further turn's.
TURNS_S = (5, 10, 20, 40)
# Turns that begin with packets of what the fix changes alone, if there are any.
NEAR_TURNS = 4
MINIMISE_S = 20
GRACE_S = 60.0
REPRODUCER, BESIDE, EARLIER, FUZZING = (
    "the record's reproducer",
    "beside the fix",
    "an earlier campaign",
    "fuzzing",
)
SEEDS = "seeds, dictionary and data files of the fix's parent, and what the fix tells"
# CPU seconds of fuzzing for a better PoC than a file of the project, which an agent has at hand.
FALLBACK_CPU_S = 30.0
# New crashes that one turn's look replays.
MAX_REPLAYED_PER_TURN = 40

Say = Callable[[str], None]


@dataclass
class FuzzOutcome:
    """The result of a campaign. frames: of the matching crash; others: crashes of different signatures.

    origin: where the PoC comes from.
    """

    case: str
    is_found: bool = False
    origin: str = ""
    executions: int = 0
    cpu_seconds: float = 0.0
    frames: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The contract of `arena cases fuzz --json`."""
        facts = asdict(self)
        return {"case": facts.pop("case"), "found": facts.pop("is_found"), **facts}


@dataclass(frozen=True)
class _CandidatePoc:
    """The case with a candidate for its PoC; see `WitnessSubject`."""

    spec: Case
    poc: bytes
    repository: Path | None


def fuzz_case(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    minutes: float,
    say: Say = lambda text: None,
    download: bool = False,
) -> FuzzOutcome:
    """As `search`, of a case with or without an image; faults of the case are returned, not raised.

    download: try the record's reproducer address first.
    """
    needs = {code: text for code, text in case.lacking.items() if code != "poc"}
    if needs:
        return FuzzOutcome(case.id, reason="lacks " + "; ".join(needs.values()))
    try:
        assert case.repository  # noqa: S101 - nothing else is lacking
        with Repository(case.repository) as repository:
            code, reason = find_fix_loss(repository, case.spec)
        if code:
            return FuzzOutcome(case.id, reason=f"{code}: {ALL_LOSSES[code]}; {reason}")
        downloaded = _download_reproducer(case, say) if download else {}
        return search(
            with_built_image(case, backend, cache, say), backend, cache, minutes, say, downloaded
        )
    except CASE_ERRORS as error:
        code, reason = loss_of(error)
        return FuzzOutcome(case.id, reason=f"{code}: {reason}")


def _download_reproducer(case: LoadedCase, say: Say) -> dict[str, bytes]:
    address = case.spec.oss_fuzz.reproducer
    try:
        return {address: download_testcase(address)} if address else {}
    except TaskError as error:
        say(f"{case.id}: {error}")
        return {}


def search(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    minutes: float,
    say: Say = lambda text: None,
    candidates: Mapping[str, bytes] | None = None,
) -> FuzzOutcome:
    """Fuzz the parent of the case's fix for `minutes` of CPU; a PoC, if any, is put beside the case.

    candidates: inputs by name that are tried first.
    The case has an image (`oss_fuzz.bases.with_built_image`). Raises TaskError and SandboxFault.
    """
    outcome = FuzzOutcome(case.id)
    with SandboxWitness(backend, case, cache, say) as witness:
        fix, parent = witness.fix_and_parent()
        for commit in (parent, fix):
            build = witness.build_commit(commit)
            if not build.image:
                outcome.reason = f"{commit[:12]} is not built: {build.reason}"
                return outcome
        campaign = _Campaign(case, backend, cache, witness, parent, fix, outcome, say)
        campaign.run(witness.build_commit(parent).image, minutes * 60, candidates or {})
    return outcome


@dataclass
class _Campaign:
    case: LoadedCase
    backend: Backend
    cache: ResultCache
    witness: SandboxWitness
    parent: str
    fix: str
    outcome: FuzzOutcome
    say: Say
    replayed: set[bytes] = field(default_factory=set)
    near: bool = False
    fallback: tuple[bytes, dict[str, Any], str] | None = None
    cpu_limit: float = math.inf
    budget: float = 1.0
    turn: int = 0
    files_beside_fixes: dict[bytes, PocFile] = field(default_factory=dict)

    def run(self, image: str, seconds: float, candidates: Mapping[str, bytes]) -> None:
        self.budget = max(seconds, 1.0)
        spec = self.case.spec
        program = target_of(spec.poc.command if spec.poc else "")
        out, _, target = program.rpartition("/")
        if not target:
            raise TaskError(f"case {self.case.id}: poc.command names no fuzz target")
        corpus = StoredCorpus(self.case.folder.parent / CAMPAIGNS / spec.project / target)
        limits = spec.limits
        box_limits = Limits(limits.cpus, *(parse_size(limits.memory), 512, parse_size(limits.disk)))
        with sandbox(self.backend, image, box_limits) as box:
            workdir = spec.environment.workdir if spec.environment else "/"
            preparing = libfuzzer.preparing(out, target, workdir)
            output = box.exec(Command(preparing, "/", GRACE_S)).output
            # Before the stored corpus is laid out, whose inputs would be taken for the target's own seeds.
            heads = box.exec(Command(libfuzzer.HEADS, "/", GRACE_S)).output
            corpus.fill(box)
            hints = self._hints()
            near, others = self._captures_or_packets(are_captures(heads))
            self.near = bool(near)
            box.put(_number_files("packet", near), libfuzzer.NEAR)
            box.put(_number_files("packet", others), libfuzzer.CORPUS)
            box.put(_number_files("told", hints.texts), libfuzzer.CORPUS)
            folder, _, name = libfuzzer.WORDS.rpartition("/")
            box.put({name: hints.dictionary}, folder)
            at_hand = {
                REPRODUCER: candidates,
                BESIDE: self._files_beside_fixes(),
                EARLIER: corpus.crashes(),
            }
            if any(self._take_if_poc(box, inputs, origin) for origin, inputs in at_hand.items()):
                return
            flags = libfuzzer.read_target_options(output.decode(errors="replace"), out, target)
            self._fuzz(box, program, flags, seconds, corpus)
            if self.fallback and not self.outcome.is_found:
                self._accept(box, *self.fallback)

    def _files_beside_fixes(self) -> dict[str, bytes]:
        """The data files that the fixes, and the commits around them, add."""
        clone = self.case.repository
        data_files = list(data_files_beside(clone, self.case.spec.fix)) if clone else []
        self.files_beside_fixes = {data_file.content: data_file for data_file in data_files}
        return {data_file.name: data_file.content for data_file in data_files}

    def _hints(self) -> Hints:
        if self.case.repository is None:
            return Hints()
        with Repository(self.case.repository) as repository:
            return hints_of(repository, self.case.spec.fix)

    def _captures_or_packets(self, whole: bool) -> tuple[list[bytes], list[bytes]]:
        """The captures or their packets: of those named like what the fix changes, and of others."""
        if self.case.repository is None:
            return [], []
        with Repository(self.case.repository) as repository:
            listed = repository.git("diff-tree", "-r", "--name-only", self.parent, self.fix, "--")
        changed = listed.decode("utf-8", "surrogateescape").splitlines()
        return packets_at(Objects(self.case.repository), self.parent, changed, whole)

    def _fuzz(
        self, box: Sandbox, program: str, flags: list[str], seconds: float, corpus: StoredCorpus
    ) -> None:
        silent = 0
        fork = False
        while not self.outcome.is_found:
            left = min(seconds, self.cpu_limit) - self.outcome.cpu_seconds
            if left <= 0:
                break
            longest = TURNS_S[min(self.turn, len(TURNS_S) - 1)]
            self.turn += 1
            length = max(1, int(min(longest, left)))
            near = self.near and self.turn <= NEAR_TURNS
            line = libfuzzer.fuzzing(program, flags, length, self.turn, near, fork)
            done = box.exec(Command(line, "/", length + GRACE_S))
            self._charge(done)
            ran = libfuzzer.executions(done.output)
            self.outcome.executions += ran
            crashes = crashes_in(box)
            fork = bool(fork or crashes or not ran)
            corpus.keep_crashes(crashes)
            self.say(
                f"{self.outcome.executions} executions, {len(self.outcome.others)} other crashes"
            )
            silent = 0 if ran or crashes else silent + 1
            # A turn that was killed may have met an input that hangs: the next turn has shorter inputs.
            if silent == len(libfuzzer.LENGTHS) or (silent and done.stopped != "timeout"):
                last = done.output.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
                self.outcome.reason = f"the target does not fuzz: {last[0][:200]}"
                return
            self._take_if_poc(box, crashes, FUZZING)
        corpus.keep(box)
        if not self.outcome.is_found:
            self.outcome.reason = "no crash of the record's type and frames"

    def _charge(self, done: ExecResult) -> None:
        """Count processor time; of a target that sleeps a tenth of its wall time, and at least a tenth of a
        second: so a campaign ends.
        """
        spent = max(done.cpu, done.seconds / 10, 0.1)
        self.outcome.cpu_seconds = round(self.outcome.cpu_seconds + spent, 1)

    def _take_if_poc(self, box: Sandbox, inputs: Mapping[str, bytes], origin: str) -> bool:
        """Whether any of these inputs is the PoC, which is stored then."""
        fresh = [content for content in inputs.values() if content not in self.replayed]
        for content in fresh[:MAX_REPLAYED_PER_TURN]:
            self.replayed.add(content)
            crash = self._replay_input(box, content)
            if crash is None:
                continue
            if not self._matches(crash):
                name = f"{crash['kind']} in {next(iter(crash['frames']), '?')}"
                if name not in self.outcome.others:
                    self.outcome.others.append(name)
            elif self._is_fixed_by_fix(content):
                if self._is_project_file(content):
                    self._keep_fallback(content, crash, origin)
                    continue
                self._accept(box, content, crash, origin)
                return True
        return False

    def _keep_fallback(self, content: bytes, crash: dict[str, Any], origin: str) -> None:
        """Keep a PoC as a fallback: from now on a better PoC is searched for a short time only."""
        if self.fallback is None:
            if self.case.poc is None:  # what is there is no worse
                self._store_poc(content, origin)
            self.fallback = content, crash, origin
            self.cpu_limit = self.outcome.cpu_seconds + FALLBACK_CPU_S

    @cached_property
    def _blobs_of_parent(self) -> frozenset[str]:
        """The blobs of the fix's parent; none where its trees are not all there."""
        clone = self.case.repository
        with suppress(TaskError):
            entries = Objects(clone).entries(self.parent) if clone else ()
            return frozenset(entry.oid for entry in entries)
        return frozenset()

    def _is_project_file(self, content: bytes) -> bool:
        """Whether it is a file of the project as it was before the fix."""
        blob = b"blob %d\0%b" % (len(content), content)
        return hashlib.sha1(blob, usedforsecurity=False).hexdigest() in self._blobs_of_parent

    def _replay_input(self, box: Sandbox, content: bytes) -> dict[str, Any] | None:
        poc, environment = self.case.spec.poc, self.case.spec.environment
        assert poc and environment  # noqa: S101 - the witness asked for them
        attack = Attack(
            poc.command, self.case.spec.crash.sanitizer, content, environment.workdir, poc.timeout
        )
        try:
            crash, _ = replay(box, attack, self.cache, trust_output=True)
        except NotRun as error:
            raise TaskError(f"case {self.case.id}: {error}") from error
        return crash.to_json() if crash else None

    def _matches(self, crash: Mapping[str, Any]) -> bool:
        stated = self.witness.stated_crash
        return stated is None or self.witness.same(stated, crash)

    def _is_fixed_by_fix(self, content: bytes) -> bool:
        """Whether the parent crashes in every replay and the fix in none."""
        subject = _CandidatePoc(self.case.spec, content, self.case.repository)
        with SandboxWitness(self.backend, subject, self.cache, self.say) as witness:
            before, after = witness.observe(self.parent), witness.observe(self.fix)
        if after.state != "clean":
            self.outcome.others.append(f"one that the fix leaves {after.state}")
        return before.state == "crash" and after.state == "clean"

    def _accept(self, box: Sandbox, content: bytes, crash: Mapping[str, Any], origin: str) -> None:
        self._store_poc(content, origin)
        smaller = self._minimise(box, content)
        smaller = content if self._is_project_file(smaller) else smaller
        self._store_poc(smaller, origin)
        self.outcome.is_found, self.outcome.reason = True, ""
        self.outcome.origin = origin
        self.outcome.frames = list(crash["frames"][:5])

    def _store_poc(self, content: bytes, origin: str) -> None:
        case_spec = load_case(self.case.folder).spec  # with its recipe: this one has an image
        poc = case_spec.poc and case_spec.poc.model_copy(
            update={"origin": self._describe_origin(content, origin)}
        )
        spec = case_spec.model_copy(update={"poc": poc})
        save(self.case.folder.parent, spec, {POC_FILE: content})

    def _describe_origin(self, content: bytes, note: str) -> PocOrigin:
        """The origin of a PoC in enough detail to reproduce it."""
        data_file = self.files_beside_fixes.get(content)
        origin = origin_of(content, f"{note}: {data_file.name}" if data_file else note, data_file)
        if note != FUZZING:
            return origin
        ran = self.outcome.executions
        fuzzing = FuzzingOrigin(corpus=SEEDS, seed=self.turn, budget=self.budget, executions=ran)
        return origin.model_copy(update={"fuzzing": fuzzing})

    def _minimise(self, box: Sandbox, content: bytes) -> bytes:
        """A smaller input of the same crash, if libFuzzer reaches any in time, else the input itself."""
        program = target_of(self.case.spec.poc.command if self.case.spec.poc else "")
        box.put({"large": content}, "/tmp")  # noqa: S108 - a path inside the sandbox
        line = libfuzzer.minimising(program, "/tmp/large", MINIMISE_S)  # noqa: S108
        done = box.exec(Command(line, "/", MINIMISE_S + GRACE_S))
        self._charge(done)
        if not done.ok:
            return content
        folder, _, name = libfuzzer.SMALLER.rpartition("/")
        minimised = archive.unpack(box.get([name], folder)).get(name, b"")
        shown = (
            self._replay_input(box, minimised)
            if minimised and len(minimised) < len(content)
            else None
        )
        return (
            minimised
            if shown and self._matches(shown) and self._is_fixed_by_fix(minimised)
            else content
        )


def _number_files(name: str, contents: Sequence[bytes]) -> dict[str, bytes]:
    return {f"{name}-{number}": content for number, content in enumerate(contents)}
