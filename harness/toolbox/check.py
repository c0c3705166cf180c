"""Does a toolbox run where there is nothing? Its programs are started in a container of an empty image.

No shell, no C library, no network; as root and as another user; the toolbox read-only.
"""

from __future__ import annotations

import io
import json
import tarfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from harness.sandbox import owner
from harness.sandbox.engine import connect, engine_faults
from harness.toolbox import files

if TYPE_CHECKING:
    import docker

    from harness.toolbox.recipe import Installable
    from harness.toolbox.store import Toolbox, Toolboxes

Surroundings = Callable[[Path], Mapping[str, str]]
USERS = ("0:0", "1000:1000")
COMMAND_TIMEOUT_S, CHECK_TIMEOUT_S = 120, 3600
MEMORY_BYTES = 2 << 30
NOT_STARTED_STATUS = 126
MAX_OUTPUT_CHARACTERS = 300
# One of them has to succeed; some agents know no `--version`.
WORKS = ("--version", "--help")
# Modules with a library of the system behind them, which a copy may lack.
EVERYTHING = "import ssl, sqlite3, ctypes, json, lzma, bz2, zlib, hashlib, uuid, asyncio"
# Runs in the container: groups of command lines, in each of which one has to succeed.
INSIDE = f"""
import json, subprocess, sys
def output(argv):
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout={COMMAND_TIMEOUT_S})
    except subprocess.TimeoutExpired:
        return "did not end within {COMMAND_TIMEOUT_S} s"
    except OSError as error:
        return str(error)
    text = done.stdout.decode(errors="replace").strip()[-{MAX_OUTPUT_CHARACTERS}:]
    return "" if done.returncode == 0 else text or "ended with %d" % done.returncode
found = []
for group in json.loads(sys.argv[1]):
    first = output(group[0])
    if first and all(output(argv) for argv in group[1:]):
        found.append(" ".join(group[0]) + ": " + first)
print(json.dumps(found))
"""


def problems(
    boxes: Toolboxes, program: Installable, surroundings: Surroundings = lambda _: {}
) -> list[str]:
    """What is wrong with a program's toolbox, a line each; none when it is there and runs.

    surroundings: the variables that the program is started with, by its toolbox.
    Raises EngineUnavailable when there is no container engine to try it with.
    """
    installed = boxes.find(program)
    if installed is not None:
        return _try_toolbox(installed, surroundings(installed.path))
    state = "half" if boxes.half_installed(program) else "not"
    return [f"{program.name} {program.version} is {state} installed"]


def _try_toolbox(toolbox: Toolbox, env: Mapping[str, str]) -> list[str]:
    faults = [line for folder in toolbox.mounts for line in files.find_hidden_files(folder)]
    client = connect()
    argv = [str(toolbox.python), "-I", "-S", "-c", INSIDE, json.dumps(_groups(toolbox))]
    with _empty_image(client) as image:
        for user in USERS:
            status, output = _run(client, image, toolbox.mounts, user, argv, env)
            lines = (
                json.loads(output.splitlines()[-1])
                if status == 0
                else [output[-MAX_OUTPUT_CHARACTERS:]]
            )
            faults += [f"as {user}: {' '.join(str(line).split())}" for line in lines]
    return faults


def _groups(toolbox: Toolbox) -> list[list[list[str]]]:
    """The interpreter, each program, and the modules of agents that are driven without a program."""
    programs: list[str] = toolbox.facts["programs"]
    modules: list[str] = [] if programs else toolbox.facts["modules"]
    bin_folder = toolbox.path / "bin"
    return [
        [[str(toolbox.python), "-I", "-c", EVERYTHING]],
        *([[str(bin_folder / "python"), "-c", f"import {module}"]] for module in modules),
        *([[str(bin_folder / name), option] for option in WORKS] for name in programs),
    ]


@contextmanager
def _empty_image(client: docker.DockerClient) -> Iterator[str]:
    """An image of a folder for temporary files and nothing else, as long as it is used."""
    name = f"arena/empty:{uuid.uuid4().hex[:12]}"
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        archive.addfile(folder)
    with engine_faults():
        client.api.import_image_from_data(tar.getvalue(), *name.split(":"))
    try:
        yield name
    finally:
        with engine_faults():
            client.images.remove(name, force=True)


def _run(
    client: docker.DockerClient,
    image: str,
    mounts: Sequence[Path],
    user: str,
    argv: list[str],
    env: Mapping[str, str],
) -> tuple[int, str]:
    """Run a command line; returns its status and its output."""
    import docker.errors

    with engine_faults():
        container = client.containers.create(
            image,
            argv,
            user=user,
            labels=owner.labels("sandbox"),
            network_mode="none",
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            mem_limit=MEMORY_BYTES,
            # As in an attempt: a program that writes beside itself fails here.
            read_only=True,
            tmpfs={"/tmp": "mode=1777"},  # noqa: S108 - inside the container
            environment={**env, "HOME": "/tmp"},  # noqa: S108
            volumes={str(path): {"bind": str(path), "mode": "ro"} for path in mounts},
        )
        try:
            container.start()
            status = int(container.wait(timeout=CHECK_TIMEOUT_S)["StatusCode"])
            return status, container.logs().decode(errors="replace").strip()
        except docker.errors.APIError as error:  # what is to be run cannot be: the toolbox's fault
            return NOT_STARTED_STATUS, str(error.explanation)
        finally:
            container.remove(force=True)
