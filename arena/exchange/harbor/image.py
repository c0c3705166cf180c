"""The two Dockerfiles of a Harbor task: where the agent works, and where its work is graded.

Both begin with the same lines, the task's image, so that an engine builds these once for all tasks.
"""

from __future__ import annotations

import json
import os
import re
from importlib import metadata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from arena.exchange.harbor.verify import ANSWER, HOME
from harness.sandbox.backends.local import HOST_IMAGES
from harness.sandbox.disposable import MARKER
from images.builder import folder_and_suite, recipe
from images.lock import ROOT
from tasks.kinds import AGENT_FOLDER
from tasks.loader import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

# The public image that this project's Dockerfiles begin with; `ARENA_BASE_IMAGE` names another one.
DEBIAN = (
    "debian:bookworm-slim@sha256:96e378d7e6531ac9a15ad505478fcc2e69f371b10f5cdf87857c4b8188404716"
)
BASE = "ARG BASE\n"
REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^]]*)\])?")
IN_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)")
PINNED = re.compile(r"@sha256:[0-9a-f]{64}$")
TAR = "/tmp/repository.tar"  # noqa: S108 - a path inside the container
# The user of this project's images.
AGENT = "arena"
# What the grader imports or runs beside this project's own packages.
GRADER = ("pydantic", "psutil", "defusedxml", "semgrep")


def lacks_image(task: Task) -> str:
    """Why no Dockerfile can be written for a task's image, or ""."""
    name = task.spec.environment.image
    if recipe(name):
        return "" if name in HOST_IMAGES else f"the Dockerfile of {name} needs files beside it"
    if not PINNED.search(name):
        return f"its image {name} is neither one of this project's nor pinned by digest"
    return ""


def agent_dockerfile(task: Task) -> str:
    """The environment: the repository at its start, built, and the files that the agent gets.

    The product is built as `harness.grade.environment` does it; what else is built may fail at the start.
    """
    spec = task.spec
    workdir = PurePosixPath(spec.environment.workdir)
    # The archive's owners are users of the machine that wrote it.
    unpack = f"mkdir -p {workdir} && tar --no-same-owner -xf {TAR} -C {workdir.parent}"
    extra = [f"( {line}\n) || true" for line in (spec.tests.build, spec.poc.build) if line]
    builds = [f"( {spec.environment.build}\n) || true"] if spec.environment.unbuilt else []
    lines = [
        _image(task),
        "USER root",
        f"RUN id {AGENT} >/dev/null 2>&1 || useradd --create-home --shell /bin/sh {AGENT}; "
        f"install -d -o {AGENT} /src /out && install -d -m 0700 {ANSWER.parent}",
        f"COPY repository.tar {TAR}",
        f"USER {AGENT}",
        _run(unpack),
        f"WORKDIR {workdir}",
        *map(_run, (*(builds or [spec.environment.build]), *extra)),
        "USER root",
        f"RUN rm {TAR}",
        *([f"COPY given/ {AGENT_FOLDER}/"] if task.agent_files else []),
        f"USER {AGENT}",
    ]
    return "\n".join(lines) + "\n"


def verifier_dockerfile(task: Task) -> str:
    """The verifier: the grader in an environment of Python's, the task, and gold's outcomes, taken now."""
    python = f"{HOME}/venv/bin/python"
    lines = [
        _image(task),
        "USER root",
        "RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y "
        "--no-install-recommends python3 python3-venv util-linux && rm -rf /var/lib/apt/lists/*",
        f"COPY requirements.txt {HOME}/",
        f"RUN python3 -m venv {HOME}/venv && {HOME}/venv/bin/pip install --no-cache-dir "
        f"-r {HOME}/requirements.txt",
        f"COPY lib/ {HOME}/lib/",
        f"COPY verify.py {HOME}/",
        f"COPY pack/ {HOME}/pack/",
        "COPY test.sh /tests/",
        f"ENV PYTHONPATH={HOME}/lib PYTHONDONTWRITEBYTECODE=1",
        f"RUN chmod 755 /tests/test.sh && mkdir {HOME}/scratch && touch {MARKER} "
        f"&& chmod 700 {HOME}",
        "WORKDIR /",
        _run(f"{python} {HOME}/verify.py build {task.id}"),
    ]
    return "\n".join(lines) + "\n"


def requirements() -> str:
    """The packages that the grader needs, in the versions of this installation, a line each."""
    return "".join(f"{name}=={version}\n" for name, version in sorted(_closure()))


def _closure() -> set[tuple[str, str]]:
    """(name, version) of `GRADER` and of all that it requires."""
    closure, wanted = set[tuple[str, str]](), {(name, "") for name in GRADER}
    checked = set[tuple[str, str]]()
    while wanted:
        name, extra = wanted.pop()
        # Packages require one another in circles.
        checked.add((name, extra))
        distribution = metadata.distribution(name)
        closure.add((distribution.metadata["Name"].lower(), distribution.version))
        wanted |= set(_requirements_of(distribution, extra)) - checked
    return closure


def _requirements_of(distribution: metadata.Distribution, extra: str) -> Iterator[tuple[str, str]]:
    """(name, extra) of the installed requirements of a distribution, without an extra and with `extra`."""
    for text in distribution.requires or ():
        what, _, condition = text.partition(";")
        parts = REQUIREMENT.match(what)
        of_extra = IN_EXTRA.search(condition)
        if not parts or (of_extra[1] if of_extra else "") not in ("", extra):
            continue
        if _is_installed(parts[1]):
            yield from ((parts[1], name.strip()) for name in ("", *(parts[2] or "").split(",")))


def _is_installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def _image(task: Task) -> str:
    """The first lines: the Dockerfile of a project image, or a pinned image."""
    name = task.spec.environment.image
    if not recipe(name):
        return f"FROM {name}"
    text = (ROOT / folder_and_suite(name)[0] / "Dockerfile").read_text("utf-8").rstrip()
    base = os.environ.get("ARENA_BASE_IMAGE") or DEBIAN
    return text.replace(BASE, f"ARG BASE={base}\n")


def _run(line: str) -> str:
    # As JSON, so that Docker takes no quote, line end or variable of a build line for its own.
    return f"RUN {json.dumps(['/bin/sh', '-c', line])}"
