"""How long an attempt takes to start: container, repository, toolbox, gateway, forwarder, agent's first line.

    .venv/bin/python scripts/bench/starting.py [--files N] [--rounds N]

The repository has that many files, in an image built for the purpose and removed afterwards; the agent is a
line of Python that prints the time. Needs Docker and an installed agent, whose toolbox is mounted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from harness.agents._program import AgentReport, Launch, LaunchSetup  # noqa: E402
from harness.agents._sealed import Sealed  # noqa: E402
from harness.agents._workspace import SandboxWorkspace  # noqa: E402
from harness.command import Command, Limits, Mount  # noqa: E402
from harness.gateway.access import ModelAccess  # noqa: E402
from harness.gateway.gateway import Gateway  # noqa: E402
from harness.gateway.models._make import make_model  # noqa: E402
from harness.gateway.price import FREE  # noqa: E402
from harness.protocols import Budget, Job, Sandbox  # noqa: E402
from harness.sandbox.backends.docker import DockerBackend  # noqa: E402
from harness.toolbox import Toolbox, Toolboxes, default_folder  # noqa: E402
from harness.toolbox.recipe import NodeRecipe, Recipe  # noqa: E402

WORKDIR = "/src/many"
IMAGE = "arena/bench:starting"
MAKE = (
    "git init -q; for d in $(seq {folders}); do mkdir d$d; for f in $(seq 100); do "
    "seq 200 > d$d/f$f.c; done; done; git add -A; "
    "git -c user.name=a -c user.email=a@localhost commit -q -m one"
)


class Clock:
    """Prints when it was started."""

    name, version = "clock", "1"
    recipe: Recipe = NodeRecipe(())
    dialect: Literal["chat", "responses", "messages"] = "chat"

    def __init__(self, python: Path) -> None:
        self.python = python

    def launch(self, setup: LaunchSetup) -> Launch:
        code = "import time; open('told', 'w').write(repr(time.time()))"
        line = f"import os; os.chdir({setup.home!r}); {code}"
        return Launch((str(self.python), "-I", "-c", line), collect=("told",))

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return AgentReport(trajectory=files.get("told", b""))


class Only(Toolboxes):
    """Returns the same toolbox for every request."""

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(default_folder())
        self.toolbox = toolbox

    def find(self, program: object) -> Toolbox:
        return self.toolbox


def image(backend: DockerBackend, files: int) -> str:
    box = backend.create(backend.resolve("arena/cpp"), Limits())
    box.start()
    try:
        box.put({"many/.keep": b""}, "/src")
        done = box.exec(Command(MAKE.format(folders=max(1, files // 100)), WORKDIR, 300))
        if not done.ok:
            sys.exit(done.output.decode(errors="replace"))
        return box.snapshot(IMAGE, {})
    finally:
        box.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    whole = [toolbox for toolbox in Toolboxes(default_folder()).list() if toolbox.whole]
    if not whole:
        sys.exit("no toolbox is installed: arena agents install codex")
    backend = DockerBackend()
    image_made = image(backend, options.files)

    def create(mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        return backend.create(image_made, least or Limits(), mounts)

    started, taken = [], []
    with Gateway() as gateway, tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.toml")
        script.write_text("[[turns]]\ntext = 'Done.'\n")
        for _ in range(options.rounds):
            agent = Sealed(Clock(whole[0].python), Only(whole[0]))
            model = ModelAccess(gateway, make_model(f"script:{script}"), FREE, {})
            workspace = SandboxWorkspace(create, WORKDIR)
            begun = time.time()
            try:
                solution = agent.solve(Job(workspace, "Tell the time.", Budget(60), model))
            finally:
                workspace.close()
            first = float(solution.trajectory.decode())
            started.append(first - begun)
            taken.append(time.time() - first)
    backend.client.images.remove(IMAGE, force=True)
    median = statistics.median
    print(json.dumps({
        "files": options.files, "rounds": options.rounds,
        "start_s": round(median(started), 3), "worst_start_s": round(max(started), 3),
        "end_and_patch_s": round(median(taken), 3),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
