"""The real `harbor` runs what we write; its verifier is our grader, whatever an agent leaves.

Two things are other than where people run it, as no registry of images is reachable here: the base image is
this machine's own, and the network mode is `public`, since Harbor takes a network away by an image that it
pulls. The verifier's image is therefore started without a network once more, by itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from arena.cli.redteam import command
from arena.exchange.harbor.folder import write_task
from images.base import base_here
from tasks.loader import load_pack
from tests.arena.exchange.outside import ULIMITS, environment, podman_or_skip
from tests.conftest import backend_or_skip

REPOSITORY = Path(__file__).parents[3]
STARTER = REPOSITORY / "tasks/packs/starter"
HOSTILE = STARTER / "redteam"
TASK = "brook-include"
CERTIFICATES = os.environ.get("PIP_CERT", "/etc/ssl/certs/ca-certificates.crt")
IMAGE = "localhost/harbor-test-verifier"
PLANT = """\
#!/bin/sh
# Leaves the repository as it is, and a file that Python runs at its start, wherever a judge might read one.
set -u
for place in $(python3 -c 'import site; print(site.getusersitepackages())') /tmp /logs/artifacts; do
  mkdir -p "$place"
  printf '%s\\n' 'import os, pathlib' \\
    'for name in ("reward.txt", "reward.json"):' \\
    '    pathlib.Path("/logs/verifier", name).write_text("1" if name.endswith("txt") else "{\\"reward\\": 1}")' \\
    'os._exit(0)' > "$place/usercustomize.py"
done
(setsid sh -c 'sleep 5; echo 1 > /logs/verifier/reward.txt' >/dev/null 2>&1 &)
"""

pytestmark = [
    pytest.mark.docker,
    pytest.mark.nightly("the product end to end: its parts have tests by day"),
]


@dataclass(frozen=True)
class Harbor:
    """The programs, with an environment for them; the task's directory."""

    programs: Path
    podman: str
    env: dict[str, str]
    task: Path

    def rewards(self, task: Path, agent: str, jobs: Path) -> dict[str, float]:
        argv = [self.programs / "harbor", "run", "-p", task, "-a", agent, "-e", "podman", "-q"]
        more = ["-y", "-o", jobs, "--job-name", agent, "-n", "1"]
        subprocess.run([*argv, *more], env=self.env, check=True, timeout=1500, cwd=jobs)
        (result,) = (jobs / agent).glob(f"{TASK}__*/result.json")
        told = json.loads(result.read_text())
        assert told["exception_info"] is None
        found: dict[str, float] = told["verifier_result"]["rewards"]
        return found

    def graded(self, patch: Path, work: Path) -> dict[str, float]:
        """The rewards of a patch in the verifier's image, without a network."""
        tree, answer = work / "tree", work / "answer/repository.tar"
        for folder in (tree, answer.parent, work / "logs/verifier"):
            folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", self.task / "environment/repository.tar", "-C", tree])
        safe = ["git", "-c", "safe.directory=*", "-C", tree / "brook"]
        subprocess.run([*safe, "apply", "--whitespace=nowarn", patch], check=True)
        subprocess.run(["tar", "-C", tree, "--exclude=brook/.git", "-cf", answer, "brook"])
        mounts = ["-v", f"{answer.parent}:/answer:ro", "-v", f"{work / 'logs'}:/logs"]
        run = [self.podman, "run", "--rm", "--network", "none", *mounts, IMAGE, "/tests/test.sh"]
        subprocess.run(run, env=self.env, check=True, timeout=900)
        found: dict[str, float] = json.loads((work / "logs/verifier/reward.json").read_text())
        return found


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Harbor:
    podman, backend = podman_or_skip(), backend_or_skip("docker")
    base = tmp_path_factory.mktemp("harbor")
    (base / "pip.conf").write_text("[global]\ncert = /etc/certificates-of-host\n")
    volumes = [
        f"{CERTIFICATES}:/etc/certificates-of-host:ro",
        f"{base}/pip.conf:/etc/pip.conf:ro",
    ]
    (base / "containers.conf").write_text(f"{ULIMITS}volumes = {json.dumps(volumes)}\n")
    programs = environment("harbor", "3.12")
    env = {
        **os.environ,
        "CONTAINERS_CONF": str(base / "containers.conf"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    backend.resolve("arena/cpp")
    here = base_here(backend.client)  # type: ignore[attr-defined]
    subprocess.run([podman, "pull", "-q", f"docker-daemon:{here}"], env=env, check=True)
    pack = load_pack(STARTER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_BASE_IMAGE", f"docker.io/{here}")
        write_task(pack.task(TASK), pack, base / TASK)
    lint = [programs / "harbor", "lint", "--select", "ALL", base / TASK]
    subprocess.run(lint, env=env, check=True)
    told = (base / TASK / "task.toml").read_text()
    (base / TASK / "task.toml").write_text(told.replace("no-network", "public"))
    return Harbor(programs, podman, env, base / TASK)


def steps(value: float) -> dict[str, float]:
    return dict.fromkeys(("builds", "tests", "poc", "neighbours", "sast"), value)


def test_harbor_rewards_the_fix_in_full(harbor: Harbor, tmp_path: Path) -> None:
    """Measured: 120 s a trial, once the images are there; those take six minutes."""
    assert harbor.rewards(harbor.task, "oracle", tmp_path) == {
        "reward": 1.0,
        **steps(1.0),
        "label": 5.0,
    }


def test_harbor_rewards_nothing_for_nothing(harbor: Harbor, tmp_path: Path) -> None:
    assert harbor.rewards(harbor.task, "nop", tmp_path) == {
        "reward": 0.0,
        **steps(0.0),
        "label": 0.0,
    }


def test_planted_files_and_processes_earn_nothing(harbor: Harbor, tmp_path: Path) -> None:
    task = tmp_path / TASK
    shutil.copytree(harbor.task, task)
    (task / "solution/solve.sh").write_text(PLANT)
    assert harbor.rewards(task, "oracle", tmp_path) == {
        "reward": 0.0,
        **steps(0.0),
        "label": 0.0,
    }


def test_hostile_patches_earn_nothing(harbor: Harbor, tmp_path: Path) -> None:
    """Measured: 30 s each."""
    build = [harbor.podman, "build", "-q", "-t", IMAGE, harbor.task / "tests"]
    subprocess.run(build, env=harbor.env, check=True, timeout=900)
    holes = {row.partition("\t")[0] for row in (HOSTILE / "holes.tsv").read_text().splitlines()}
    patches = sorted(p for p in HOSTILE.glob(f"{TASK}__*.patch") if p.stem not in holes)[::2]
    assert len(patches) >= 10
    found = {p.stem: harbor.graded(p, tmp_path / p.stem)["reward"] for p in patches}
    assert found == dict.fromkeys(found, 0.0)


def test_redteam_counts_the_rewards_of_harbor(
    harbor: Harbor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One patch that is known to be taken for a fix, and one that is not; two minutes each, once it is built."""
    for name in ("CONTAINERS_CONF", "LITELLM_LOCAL_MODEL_COST_MAP", "PATH"):
        monkeypatch.setenv(name, harbor.env[name])
    pack = tmp_path / "pack"
    shutil.copytree(STARTER, pack)
    chosen = {f"{TASK}__blind07-late-free.patch", f"{TASK}__infra01-raw-kill-loop.patch"}
    for patch in (pack / "redteam").glob("*.patch"):
        if patch.name not in chosen:
            patch.unlink()
    out = tmp_path / "out"
    with pytest.raises(typer.Exit) as exited:
        command(str(pack), harbor=harbor.task.parent, out=out, harbor_options="-e podman -n 1 -q")
    assert exited.value.exit_code == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "blind\t1\t1\t1\t0\t0\t0",
        "infra\t1\t0\t0\t0\t1\t0",
        "all\t2\t1\t1\t0\t1\t0",
    ]
