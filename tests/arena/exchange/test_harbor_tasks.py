"""A task of a run is exported to Harbor's form; the real `harbor` gives its oracle agent the full reward."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.exchange.source import Source
from arena.store.model import AttemptKey
from arena.store.store import Store
from parsers.registry import lookup
from tests.arena.exchange.outside import ULIMITS, environment, podman_or_skip
from tests.conftest import backend_or_skip
from tests.mini import Mini

pytestmark = pytest.mark.docker
SECRETS = ("gold.patch", "fixed.patch", "poc", "judge.py", "spec.json")


@pytest.fixture(scope="module")
def folder(mini: Mini, tmp_path_factory: pytest.TempPathFactory) -> Path:
    backend_or_skip("docker")
    base = tmp_path_factory.mktemp("harbor")
    store = Store(base / "store")
    key = AttemptKey("mini-twice", "gold")
    store.open_run("mini", [key], {"folder": str(mini.folder)}, run="r")
    plugin = lookup("arena.exchange.formats", "harbor")
    plugin.write(Source.open(store, "r"), base / "tasks", lambda text: None)
    return base / "tasks" / "mini-twice"


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_the_oracle_is_not_in_the_environment(folder: Path) -> None:
    names = {path.name for path in (folder / "environment").rglob("*")}
    assert names == {"Dockerfile", "repository.tar"}
    tar = (folder / "environment/repository.tar").read_bytes()
    assert b"2 * length" not in tar
    assert b"twice word" not in tar
    assert not names & set(SECRETS)
    spec = json.loads((folder / "tests/oracle/spec.json").read_text())
    assert "twice word" in " ".join(spec["gold"]["passed"])


def judged(folder: Path, work: Path, reward: Path, **facts: object) -> tuple[str, str]:
    """Run the exported judge on a repository at `work`, as Harbor's verifier does."""
    own = reward.with_name("judging")
    shutil.copytree(folder / "tests", own, dirs_exist_ok=True)
    path = own / "oracle/spec.json"
    spec = json.loads(path.read_text())
    path.write_text(json.dumps({**spec, **facts, "workdir": str(work)}))
    env = {**os.environ, "HARBOR_REWARD": str(reward)}
    argv = [sys.executable, "-I", str(own / "judge.py")]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True, timeout=120)
    return reward.read_text().strip(), done.stdout.strip()


@pytest.fixture
def work(folder: Path, tmp_path: Path) -> Path:
    subprocess.run(
        ["tar", "-xf", folder / "environment/repository.tar", "-C", tmp_path], check=True
    )
    subprocess.run(["chown", "-R", f"{os.getuid()}", tmp_path / "mini"], check=True)
    return tmp_path / "mini"


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_the_judge_says_why(folder: Path, work: Path, tmp_path: Path) -> None:
    """Whatever an attempt makes of the oracle's files takes no part."""
    reward = tmp_path / "reward"
    assert judged(folder, work, reward) == ("0", "no output")
    (work / "src/more.c").write_text("int more;\n")
    told, why = judged(folder, work, reward)
    assert told == "0"
    assert why.startswith("1 of 4 tests that gold passes are lost")
    (work / "tests/run.sh").write_text("echo '1..4'; for n in 1 2 3 4; do echo ok $n; done\n")
    (work / "GNUmakefile").write_text("check:\n\ttrue\n")
    assert judged(folder, work, reward)[1] == why
    assert not (work / "GNUmakefile").exists()
    (work / "src/more.c").write_text("this is no C\n")
    assert judged(folder, work, reward)[1].startswith("does not compile")


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_the_judge_filters_what_the_tests_print(folder: Path, work: Path, tmp_path: Path) -> None:
    reward = tmp_path / "reward"
    (work / "src/more.c").write_text("int more;\n")
    tests = "make check; status=$?; cat build/results.tap; exit $status"
    naming = r"sed -n 's/ok \([0-9]*\) - /ok \1 - results: /p; /^1\.\./p'; echo ok 9 >&2"
    plain = judged(folder, work, reward)[1]
    assert plain.startswith("1 of 4 tests that gold passes are lost (results: ")
    own = {"report": [], "tests": tests}
    assert judged(folder, work, reward, **own, filter=naming)[1] == plain
    failing = judged(folder, work, reward, **own, filter=f"{naming}; false")
    assert failing == ("0", "the filter of the tests' output failed")


@pytest.mark.nightly
def test_harbor_rewards_the_fix_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    """Measured: 35 s a trial, once image and environment are there."""
    podman = podman_or_skip()
    programs = environment("harbor", "3.12")
    settings = tmp_path / "containers.conf"
    settings.write_text(ULIMITS)
    env = {
        **os.environ,
        "CONTAINERS_CONF": str(settings),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    subprocess.run([podman, "pull", "-q", "docker-daemon:arena/cpp:latest"], env=env, check=True)
    for agent, due in (("oracle", 1.0), ("nop", 0.0)):
        argv = [programs / "harbor", "run", "-p", folder, "-a", agent, "-e", "podman", "-q", "-y"]
        more = ["-o", tmp_path / "jobs", "--job-name", agent, "-n", "1"]
        subprocess.run([*argv, *more], env=env, check=True, timeout=900, cwd=tmp_path)
        (result,) = (tmp_path / "jobs" / agent).glob("mini-twice__*/result.json")
        told = json.loads(result.read_text())
        assert told["exception_info"] is None
        assert told["verifier_result"]["rewards"] == {"reward": due}
