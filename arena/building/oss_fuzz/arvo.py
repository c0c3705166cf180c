"""An image of ARVO's as a case's environment: it is pulled, its source folder determined, its PoC extracted.

The form (https://github.com/n132/ARVO): sources below `/src` at a fixed revision, dependencies and that day's
`build.sh` beside them, `arvo compile` to build, `arvo` to replay `/tmp/poc`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import replace

from arena.building.cases.loader import POC_FILE, LoadedCase
from arena.building.oss_fuzz.checkout import RecipeLost
from arena.building.oss_fuzz.clones import key_of
from harness.command import Command, Limits
from harness.grade.environment import sandbox
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from tasks.writing import write_whole

FIND = "find /src -maxdepth 3 -name .git -prune 2>/dev/null; true"
SECONDS = 120.0
PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._+-]+)+")
POC = "/tmp/poc"  # noqa: S108 - a path inside the sandbox


def from_image(
    case: LoadedCase, backend: Backend, cache: ResultCache, say: Callable[[str], None]
) -> LoadedCase:
    """The case with what its image holds: `workdir`, and the PoC put beside it where there is none.

    Raises RecipeLost, and SandboxFault where the image is not to be had.
    """
    environment = case.spec.environment
    assert environment is not None  # noqa: S101 - form "arvo" was seen in it
    image = backend.resolve(environment.image)
    # By the image's content and not by its tag, which can be moved to another image.
    key = f"arvo:{backend.content_of(image).digest}"
    fact = cache.fact(key)
    if fact is None:
        say(f"looking into {environment.image}")
        with sandbox(backend, image, Limits()) as box:
            poc = archive.unpack(box.get([POC.rpartition("/")[2]], POC.rpartition("/")[0]))
            folders = _folders(box)
        fact = {"poc": cache.keep(b"".join(poc.values())), "folders": folders}
        cache.put_fact(key, fact)
    workdir = environment.workdir or _workdir(fact["folders"], case)
    content = cache.blob(fact["poc"])
    if case.poc_path is None and content:
        write_whole(case.folder / POC_FILE, content)
    if case.poc_path is None and not content:
        raise RecipeLost("arvo-image", f"{environment.image} has no {POC}")
    spec = case.spec
    poc_spec = spec.poc and spec.poc.model_copy(update={"file": spec.poc.file or POC_FILE})
    at_workdir = environment.model_copy(update={"workdir": workdir, "form": ""})
    return replace(case, spec=spec.model_copy(update={"environment": at_workdir, "poc": poc_spec}))


def _folders(box: Sandbox) -> list[str]:
    """The folders below /src that hold a repository, the outermost first."""
    listing = box.exec(Command(FIND, "/", SECONDS)).output.decode("utf-8", "replace")
    folders = (posixpath.dirname(line) for line in listing.split("\n") if line)
    # The outermost first: a dependency is inside the project's folder, seldom the other way round.
    return sorted((folder for folder in folders if PLAIN_PATH.fullmatch(folder)), key=len)


def _workdir(folders: list[str], case: LoadedCase) -> str:
    """The folder of the fix's repository: by the repository's name, the project's, or as the only folder."""
    names = (key_of(case.spec.repository).rpartition("+")[2], case.spec.project.lower())
    for name in names:
        for folder in folders:
            if posixpath.basename(folder).lower() == name:
                return folder
    if len(folders) == 1:
        return folders[0]
    listed = ", ".join(folders[:5]) or "none"
    raise RecipeLost("arvo-image", f"which folder is {case.spec.project}'s is not clear: {listed}")
