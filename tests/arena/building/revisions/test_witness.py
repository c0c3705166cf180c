"""Any revision of a case is built once, the PoC replayed, and what is seen said truly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.building.candidates import target_only_paths
from arena.building.cases.schema import CrashSpec
from arena.building.confirm import search_before_revert, search_without_target_changes
from arena.building.revisions.builder import missing_names
from arena.building.revisions.replayer import target_of
from arena.building.revisions.witness import SandboxWitness, stated_signature
from harness.command import Command
from harness.grade.ports import MemoryCache
from harness.sandbox import archive
from harness.sandbox.base import Backend, ImageMissing
from szz.proof.git_history import GitHistory
from szz.proof.prove import prove
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from szz.repository import Repository
from tasks.loader import TaskError
from tests.arena.building.revisions.conftest import (
    TARGET,
    Project,
    Room,
    Subject,
    subject,
)
from tests.conftest import SMALL

PLAIN = "cc -o target target.c"


STATES = {
    "safe": "clean",
    "overflow": "crash",
    "broken": "unbuilt",
    "hang": "unclear",
    "memory": "unclear",
    "flaky": "unclear",
    "fixed": "clean",
}
# Not tried once more in an engine, where starting takes long.
OFTEN_SLOW = ("safe", "hang", "fixed")


@pytest.mark.nightly("waits for a limit to end it")
def test_each_state_of_a_revision(room: Room, project: Project) -> None:
    project.commit({"target.c": TARGET})
    names = [n for n in STATES if room.backend.name == "local" or n not in OFTEN_SLOW]
    commits = {name: project.behave(name) for name in names}
    case = subject(project, commits["flaky"])
    with room.witness(case) as witness:
        seen = {name: witness.observe(commit) for name, commit in commits.items()}
        assert {name: found.state for name, found in seen.items()} == {n: STATES[n] for n in names}
        assert [found.commit for found in seen.values()] == list(commits.values())
        signature = seen["overflow"].signature
        assert signature is not None
        assert (signature["kind"], signature["frames"][0]) == ("heap-buffer-overflow", "behave")
        assert seen["broken"].reason.startswith("exit status 1: ")
        assert seen["flaky"].reason == "flaky: 1 of 2 replays crashed"
        assert "memory" in seen["memory"].reason
        if "hang" in seen:
            assert seen["hang"].reason == "the PoC ran past its time limit (replay 1 of 2)"
        assert all(0 < found.cpu <= 2 * found.seconds for found in seen.values())
        assert room.builds == len(commits)
        assert {name: witness.observe(commit) for name, commit in commits.items()} == seen
    room.cache = MemoryCache()  # a store that was lost: the snapshots are still there
    with room.witness(case) as witness:
        assert witness.observe(commits["overflow"]).state == "crash"
    assert room.builds == len(commits)


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.parametrize(("kind", "name"), [("Timeout", "hang"), ("Out-of-memory", "memory")])
def test_a_limit_is_a_crash_where_the_case_states_it(
    local: Backend, project: Project, kind: str, name: str
) -> None:
    room = Room(local)
    project.commit({"target.c": TARGET})
    commit = project.behave(name)
    with room.witness(subject(project, commit, PLAIN, crash={"type": kind})) as witness:
        found = witness.observe(commit)
        assert found.state == "crash"
        assert found.signature is not None and witness.stated_crash is not None
        assert witness.same(found.signature, witness.stated_crash)


@pytest.mark.parametrize("command", ["./target {poc}", "./target {poc} || true"])
def test_a_target_that_was_not_built_is_no_clean_replay(
    local: Backend, project: Project, command: str
) -> None:
    """Nor is it a flaky one: another recipe may build it, and old revisions have no target."""
    room = Room(local)
    commit = project.commit({"target.c": TARGET})
    with room.witness(subject(project, commit, "true", poc={"command": command})) as witness:
        found = witness.observe(commit)
        assert witness.observe(commit) == found
        for poc in (False, True):
            with pytest.raises(TaskError, match=r"made no \./target$"):
                witness.logs(commit, poc)
    assert (found.state, found.seconds > 0) == ("unbuilt", True)
    assert found.reason == "the build ended well and made no ./target"


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_files_carried_from_the_fix(local: Backend, project: Project) -> None:
    room = Room(local)
    old = project.behave("overflow")
    kept = project.commit({"fuzz/own.txt": "own"})
    fix = project.commit({"fuzz/target.c": TARGET.replace("be", "../be", 1), "fuzz/own.txt": "new"})
    build = "cat fuzz/own.txt; cc -g -fsanitize=address -o target fuzz/target.c"
    case = subject(project, fix, build, poc={"carry": ["fuzz/**"]})
    with room.witness(case) as witness:
        found = witness.observe(kept)
        assert (found.state, found.carried) == ("crash", ("fuzz/target.c",))
        assert witness.observe(old).carried == ("fuzz/own.txt", "fuzz/target.c")
        assert witness.observe(fix).carried == ()


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_a_vic_that_changes_the_fuzz_target_alone_is_not_taken(
    local: Backend, project: Project
) -> None:
    """As jq's: a target that began to print what it had parsed showed an overflow of four years before."""
    first = "int main(void) { return 0; }\n"
    project.commit({"fuzz/target.c": first})
    project.behave("safe")
    vic = project.behave("overflow")
    project.commit({"other": "x"})
    shown = project.commit({"fuzz/target.c": TARGET, "CMakeLists.txt": "", "tests/a.c": ""})
    fix = project.behave("fixed")
    build = "cc -g -fsanitize=address -I. -o target fuzz/target.c"
    case = subject(project, fix, build, poc={"carry": ["fuzz/**"]})
    room, said = Room(local), list[str]()

    def proving(over: frozenset[str]) -> Proof:
        with SandboxWitness(room.backend, case, room.cache, said.append, over) as witness:
            asked = (witness.observe, witness.same, witness.stated_crash, BuildBudget())
            return prove(GitHistory(project.folder), (fix,), (), *asked)

    assert proving(frozenset()).vic == shown
    with Repository(project.folder) as repository:
        proof = search_without_target_changes(repository, ["fuzz/**"], proving, said.append)
        assert target_only_paths(repository, vic, ["fuzz/**"]) == frozenset()
    assert (proof.vic, proof.confirmed) == (vic, True)
    assert proof.notes[0].startswith(
        f"{shown[:12]} changes no source but the fuzz target's (fuzz/target.c)"
    )
    carried = {run.commit: run.carried for run in proof.runs}
    assert carried[vic] == ("fuzz/target.c",)


def test_a_vic_of_a_target_that_the_fix_lacks_is_lost(project: Project) -> None:
    """Nothing takes the place of its files, so the search finds it again."""
    project.commit({"fuzz/target.c": "1"})
    vic = project.commit({"fuzz/target.c": "2"})
    asked: list[frozenset[str]] = []

    def proving(over: frozenset[str]) -> Proof:
        asked.append(over)
        return Proof(vic=vic, pvic="0" * 40, how="bisect", confirmed=True)

    with Repository(project.folder) as repository:
        proof = search_without_target_changes(repository, ["fuzz/**"], proving, lambda _: None)
    assert asked == [frozenset(), frozenset({"fuzz/target.c"})]
    assert (proof.vic, proof.confirmed, proof.lost) == (None, False, "before-the-harness")
    assert proof.reason == proof.notes[0]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_a_vic_that_takes_a_fix_back_is_searched_behind(local: Backend, project: Project) -> None:
    """As libcoap's 31479: a fix, its revert, and the fix again."""
    project.commit({"target.c": TARGET})
    project.behave("safe")
    vic = project.behave("overflow")
    project.commit({"other": "x"})
    first = project.behave("fixed")
    again = project.behave("overflow", f'Revert "x"\n\nThis reverts commit {first}.\n')
    fix = project.behave("fixed")
    case = subject(project, fix)
    room = Room(local)

    def proving(fixes: tuple[str, ...]) -> Proof:
        with SandboxWitness(room.backend, case, room.cache, lambda _: None) as witness:
            asked = (witness.observe, witness.same, witness.stated_crash, BuildBudget())
            blamed = again if fixes == (fix,) else vic
            return prove(GitHistory(project.folder), fixes, (blamed,), *asked)

    assert proving((fix,)).vic == again
    with Repository(project.folder) as repository:
        proof = search_before_revert(repository, (fix,), proving, lambda _: None)
    assert (proof.vic, proof.vfc, proof.confirmed) == (vic, fix, True)
    assert not proof.monotone  # the first fix is clean, though it has the VIC and not the VFC
    assert proof.notes[0].startswith(f"{again[:12]} reverts {first[:12]}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        "This reverts commit {other}.\n",
        "This reverts commit {root}.\n",
        "This reverts commit {zero}.\n",
        "No revert of commit {first}.\n",
        "This reverts commit {first}.\nThis reverts commit {other}.\n",
    ],
)
@pytest.mark.parametrize("lost", ["not-reproduced", "parent-unbuilt"])
def test_what_reverts_no_fix_stays_the_vic(project: Project, message: str, lost: str) -> None:
    root = project.behave("safe")
    first = project.behave("fixed")
    other = project.commit({"other": "x"})
    told = message.format(other=other, root=root, first=first, zero="0" * 40)
    vic = project.behave("overflow", told)

    def proving(fixes: tuple[str, ...]) -> Proof:
        found = Proof(vic=vic, vfc="f" * 40, how="bisect", confirmed=True)
        return found if fixes == ("f" * 40,) else Proof(lost=lost)

    with Repository(project.folder) as repository:
        proof = search_before_revert(repository, ("f" * 40,), proving, lambda _: None)
    assert (proof.vic, proof.notes) == (vic, ())


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_snapshot_holds_the_revision_and_nothing_of_another(room: Room, project: Project) -> None:
    odd = {
        "a b\n'\"": b"\x00\xff",
        "\udcff\udcfe": b"raw",
        "lf": b"a\n",
        "kept/$x": b"$Format:%H$",
    }
    project.commit(
        {"target.c": TARGET, ".gitattributes": "kept export-ignore\n* export-subst eol=crlf\n"}
    )
    names = list(odd)
    (project.folder / "link").symlink_to("../../../../etc/passwd")
    first = project.commit({**odd, "behave.h": "int first;\n", "same.c": "int same;\n"})
    second = project.commit({"behave.h": "int second;\n"})
    stats = "if command -v ccache; then ccache --print-stats; else echo local_storage_hit 1; fi"
    build = (
        "ls -A /out /tmp; cp behave.h /out/left; cp behave.h /tmp/left; cc -c -o same.o same.c; "
        f'({stats}) > stats; cp same.c "$(cat behave.h)"'
    )
    with room.witness(
        subject(project, second, build, poc={"command": "cat behave.h; true"})
    ) as seen:
        assert [seen.observe(commit).state for commit in (first, second)] == ["clean", "clean"]
        facts = list(room.cache._facts.values())  # type: ignore[attr-defined]
    if room.backend.name == "docker":  # what `arena clean` goes by
        labels = room.backend.client.images.get(facts[-1]["image"]).labels  # type: ignore[attr-defined]
        assert labels["io.arena"] == "1"
    box = room.backend.create(facts[-1]["image"], SMALL)
    box.start()
    try:
        files = archive.unpack(
            box.get([*names, "stats", "behave.h", "int second;"], "/src/repository")
        )
        look = "cat /tmp/left /out/left; ls -A /tmp /src/repository; readlink link; git status"
        shown = box.exec(Command(look, "/src/repository")).output.decode("utf-8", "replace")
    finally:
        box.stop()
    assert {name: files[name] for name in odd} == odd
    assert b"first" not in b"".join(files.values()) and "first" not in shown
    assert "ccache" not in shown and "not a git repository" in shown
    assert "../../../../etc/passwd" in shown
    hits = [
        line
        for line in files["stats"].decode().splitlines()
        if "cache_hit" in line or "storage_hit" in line
    ]
    assert sum(int(line.split()[-1]) for line in hits) > 0


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_cases_of_one_project_share_what_was_compiled(room: Room, project: Project) -> None:
    """Their recipes have other images and working folders: each date's has its own."""
    commit = project.commit({"target.c": TARGET, "behave.h": "int x;\n", "same.c": "int same;\n"})
    hit = "ccache --print-stats | grep -E '_hit[[:space:]]+[1-9]' || ! command -v ccache"
    line = f"cc -c -o same.o same.c; {hit}"
    first = subject(project, commit, "cc -c -o same.o same.c", poc={"command": "true"})
    again = {"environment": {"workdir": "/src/another"}, "poc": {"command": "true"}}
    with room.witness(first) as witness:
        assert witness.observe(commit).state == "clean"
    with room.witness(subject(project, commit, line, **again)) as witness:
        assert witness.observe(commit).state == "clean", witness.observe(commit).reason


def test_a_build_that_asks_git_is_made_in_a_repository(local: Backend, project: Project) -> None:
    commit = project.commit({"target.c": TARGET, "behave.h": "int x;\n", "sub/same.c": ""})
    build = 'test "$(git describe)" = 0.0.0 && test -z "$(git status --porcelain)"'
    room = Room(local)
    with room.witness(subject(project, commit, build, poc={"command": "ls -d .git"})) as witness:
        assert witness.observe(commit).state == "clean"
    with room.witness(subject(project, commit, f"{build} && false")) as witness:
        assert witness.observe(commit).state == "unbuilt"
    with room.witness(subject(project, commit, "test -d .git || echo no && false")) as witness:
        assert witness.observe(commit).reason == "exit status 1: no"


def test_two_cases_of_one_project_build_a_revision_once(local: Backend, project: Project) -> None:
    project.commit({"target.c": TARGET})
    commit = project.behave("safe")
    room = Room(local)
    cases = [subject(project, commit, PLAIN, poc={"replays": n}) for n in (1, 2, 3)]
    witnesses = [room.witness(case) for case in cases]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda witness: witness.observe(commit), witnesses))
    for witness in witnesses:
        witness.close()
    assert [seen.state for seen in found] == ["clean"] * 3
    assert room.builds == 1


def test_an_image_that_is_gone_is_a_fault_and_no_observation(
    local: Backend, project: Project
) -> None:
    commit = project.commit({"a": "a"})
    case = subject(project, commit)
    assert case.spec.environment is not None
    gone = case.spec.environment.model_copy(update={"image": "gone:1"})
    case = Subject(case.spec.model_copy(update={"environment": gone}), project.folder)
    with Room(local).witness(case) as witness, pytest.raises(ImageMissing):
        witness.observe(commit)


def test_what_a_case_lacks_is_said(local: Backend, project: Project) -> None:
    case = subject(project, project.commit({"a": "a"}))
    spec = case.spec
    for lacking, word in (
        (Subject(spec, None), "local repository"),
        (Subject(spec, project.folder, None), "PoC file"),
        (Subject(spec.model_copy(update={"environment": None}), project.folder), "environment"),
    ):
        with pytest.raises(TaskError, match=f"case mini-1: has no {word}"):
            Room(local).witness(lacking).observe(spec.fix[0])


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("./fuzz {poc}", "./fuzz"),
        ("A=1 B='x y' /out/fuzz -runs=1 {poc}", "/out/fuzz"),
        ("cd build && ./fuzz {poc}", ""),
        ("fuzz {poc}", ""),
        ("$OUT/fuzz {poc}", ""),
        ("'", ""),
        ("", ""),
    ],
)
def test_target_of_a_command(command: str, target: str) -> None:
    assert target_of(command) == target


def test_stated_signature() -> None:
    crash = CrashSpec(type="UNKNOWN READ", state=("_ZN2ns5parseEv", "NULL"))
    stated = stated_signature(crash)
    assert stated is not None
    assert (stated["kind"], stated["access"], stated["frames"]) == (
        "unknown",
        "read",
        ["_ZN2ns5parseEv"],
    )
    assert stated_signature(CrashSpec(state=("f",))) is None


@pytest.mark.parametrize(
    ("log", "names"),
    [
        (
            "fuzz/a.cc:28:2: error: use of undeclared identifier 'plist_from_json'; did you",
            ["plist_from_json"],
        ),
        ("a.c:1:1: error: call to undeclared function 'f'; ISO C99", ["f"]),
        ("ld: a.o: undefined reference to `ns::Reader::next'", ["next"]),
        ("x.cc:3: error: no member named 'depth' in 'ns::Node'", ["depth"]),
        (
            "ld.lld: error: undefined symbol: later\nld.lld: error: undefined symbol: later",
            ["later"],
        ),
        ("make: *** No rule to make target 'clean'.", []),
    ],
)
def test_names_that_a_build_found_nowhere(log: str, names: list[str]) -> None:
    assert missing_names(log.encode()) == names
