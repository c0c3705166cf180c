"""A recipe and a date -> an image in which `compile` builds the project's fuzz targets, built once.

Packages are installed by the engine, with a network. Everything else that the recipe does runs as a plain
user in a sandbox without a network; a step that fails is noted, since a build may well do without it.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.building.cases.loader import LoadedCase
from arena.building.cases.recipes import recipe_files
from arena.building.oss_fuzz.arvo import from_image
from arena.building.oss_fuzz.checkout import ProjectFolder, RecipeLost
from arena.building.oss_fuzz.clones import StagedClone, key_of, same_repository, stage_clones
from arena.building.oss_fuzz.packages import packages
from arena.building.oss_fuzz.recipe import Recipe, RecipeStep, read_recipe, with_script
from arena.building.oss_fuzz.recipe_requirements import FOLDERS
from arena.building.oss_fuzz.sources import (
    archive,
    needs_of,
    put_in_place,
    source_of,
    sources_of,
)
from arena.building.revisions.objects import Objects
from arena.building.revisions.source import UnfitSource, revision
from arena.building.suites import git_tree, scripts_of
from harness.command import Command, Limits
from harness.grade.building import ending, tail
from harness.grade.environment import sandbox
from harness.grade.ports import ResultCache, digest_of
from harness.protocols import Sandbox
from harness.sandbox.archive import INSIDE_UID
from harness.sandbox.base import Backend
from images.builder import NEEDS, SOURCE
from tasks.loader import TaskError

BASE = "arena/oss-fuzz"
CLONES = "/clones"
ABSENT = "/opt/arena/absent"
# What `compile` reads first: the recipe's ENV.
ENVIRONMENT = ".arena-environment"
# When OSS-Fuzz's builders went from Ubuntu 16.04 (glibc 2.23) to 20.04 (2.31), 2021-08-26, and when they
# began to follow the newest clang, 2020-05-13, in seconds since 1970 (infra/base-images in its history).
UBUNTU_20, CLANG_11 = 1_629_936_000, 1_589_328_000
# Goes up when the same recipe would be followed otherwise.
VERSION = "1"
STEP_SECONDS = 600.0
ROOM = Limits(cpus=2.0, memory=4 << 30, pids=512, disk=8 << 30)
_MAKING: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

Say = Callable[[str], None]


@dataclass(frozen=True)
class RecipeImage:
    """An image's name, and what of the recipe could not be followed, a line each."""

    name: str
    notes: tuple[str, ...]


def with_image(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    say: Say = lambda text: None,
    suite: str = "",
    needs: Sequence[str] = (),
) -> LoadedCase:
    """The case with an image in the place of a recipe, or with what ARVO's image holds.

    suite: the base of the image, as in `arena/oss-fuzz@SUITE`; "" is today's Debian. needs: source
    packages, what Debian builds and tests these with is there too.
    Raises as `image_of` and `arvo_image.from_image`.
    """
    environment = case.spec.environment
    if environment is not None and environment.form == "arvo":
        return from_image(case, backend, cache, say)
    if environment is None or not environment.recipe:
        return case
    store = case.folder.parent
    folder = kept_folder(store, environment.recipe)
    architecture = "i386" if "ARCHITECTURE=i386" in environment.build else ""
    clones = store / "repositories"
    repository = case.spec.repository
    image = image_of(
        folder,
        environment.date,
        clones,
        backend,
        cache,
        say,
        suite,
        needs,
        architecture,
        repository,
    )
    for note in image.notes:
        say(note)
    built_environment = environment.model_copy(
        update={"image": image.name, "recipe": "", "date": 0}
    )
    return replace(case, spec=case.spec.model_copy(update={"environment": built_environment}))


def build_script(case: LoadedCase) -> str:
    """The recipe's `build.sh`, which `compile` runs; where that is the project's, what takes it."""
    environment = case.spec.environment
    if environment is None or not environment.recipe:
        return ""
    try:
        recipe_files = kept_folder(case.folder.parent, environment.recipe)
    except RecipeLost:  # a loss where the image is made of it
        return ""
    return _script(recipe_files)


def _script(folder: ProjectFolder) -> str:
    lines = folder.files.get("Dockerfile", b"").splitlines()
    taken = b"\n".join(line for line in lines if b"build.sh" in line)
    return folder.files.get("build.sh", taken).decode("utf-8", "replace")


def kept_folder(store: Path, recipe: str) -> ProjectFolder:
    """A project's folder as a store keeps its recipe. Raises RecipeLost."""
    project, _, tree = recipe.partition("/")
    try:
        return ProjectFolder(project, tree, recipe_files(store, recipe))
    except TaskError as error:
        raise RecipeLost("recipe-unreadable", str(error)) from error


def image_of(
    folder: ProjectFolder,
    date: int,
    repositories: Path,
    backend: Backend,
    cache: ResultCache,
    say: Say = lambda text: None,
    suite: str = "",
    needs: Sequence[str] = (),
    architecture: str = "",
    repository: str = "",
) -> RecipeImage:
    """The image of a project as of a date on a suite, built when it is not here; see `with_image`.

    Its name is a digest of its inputs without machine ids, so that it is the same on every machine.
    architecture: a second target of builds, whose packages it has then. repository: the case's, a URL.

    Raises RecipeLost, SandboxFault, and TaskError when a clone cannot be read.
    """

    def others(urls: Iterable[str]) -> list[str]:
        return [url for url in urls if not _is_own(url, repository, folder.project)]

    recipe = _read_whole_recipe(folder, repositories, date, repository)
    # The project itself is left out: a clone or Debian's sources of it would put the fix into the agent's
    # image.
    recipe = replace(recipe, building=tuple(others(recipe.building)))
    clones, missing = stage_clones(recipe.clones, repositories, date)
    sources = sources_of(others((*missing, *recipe.archives)))
    wanted_packages, unknown = packages(recipe.apt, recipe.pip, suite, architecture)
    of_debian = ((SOURCE, sources.values()), (NEEDS, needs))
    all_packages = (
        *wanted_packages,
        *(prefix + name for prefix, names in of_debian for name in names),
    )
    base = backend.resolve(f"{BASE}@{suite}" if suite else BASE, all_packages)
    parts = sorted(f"{clone.url} {clone.commit}" for clone in clones)
    copied = [pair for step in recipe.steps for pair in step.files if pair[0] != pair[1]]
    parts += sorted(" to ".join(pair) for pair in copied)
    tool_versions = _tool_versions(date)
    below = backend.content_of(base).recipe
    # What is absent is part of the name: with one mirror more the same recipe gives another image.
    key = digest_of(VERSION, below, *tool_versions.values(), recipe.tree, *parts, *sorted(missing))
    name = f"{BASE}/{re.sub(r'[^a-z0-9]+', '-', recipe.project.lower()).strip('-')}:{key[:32]}"
    # Cases of one project start together and need one image: it is made once, the rest wait for it.
    with _MAKING[name]:
        fact = cache.fact(f"recipe:{key}")
        if fact is None or backend.find(name) is None:
            say(f"making {name} (recipe {recipe.tree[:12]})")
            notes = [f"no clone of {url} is at hand" for url in missing if url not in sources]
            notes += [f"pip's {package} is not installed" for package in unknown]
            notes += _make(backend, base, name, recipe, clones, sources, folder, tool_versions)
            fact = {"notes": notes}
            cache.put_fact(f"recipe:{key}", fact)
    return RecipeImage(name, tuple(fact["notes"]))


def _is_own(url: str, repository: str, project: str) -> bool:
    """Whether it is the project itself: what Debian has of it, or a clone of the fix's day, hold the fix."""
    named = any(same_repository(url, name) for name in (repository, project))
    return named or source_of(url) in needs_of(repository, project)


def _read_whole_recipe(
    folder: ProjectFolder, repositories: Path, date: int, repository: str
) -> Recipe:
    """The recipe with the requirements of scripts that its Dockerfile runs and its `build.sh` names.

    They are beside it, in the project's repository, or in a second that is named with them.
    """
    recipe = read_recipe(folder)
    runs = [step.text for step in recipe.steps if step.kind == "run"]
    named = "\n".join((_script(folder), *runs))
    beside = [n for n in folder.files if n.endswith(".sh") and n != "build.sh" and n in named]
    texts = [folder.files[name].decode("utf-8", "replace") for name in beside]
    for clone in stage_clones(recipe.clones, repositories, date)[0]:
        words = named
        if not _is_own(clone.url, repository, recipe.project):
            place = key_of(clone.url).rpartition("+")[2]
            words = " ".join(word for word in named.split() if f"{place}/" in word.lower())
        if ".sh" in words:
            with contextlib.suppress(TaskError):  # a partial clone lacks it: the build reports that
                texts += scripts_of(git_tree(clone.repository, clone.commit), words)
    for text in texts:
        recipe = with_script(recipe, text)
    return recipe


def _make(
    backend: Backend,
    base: str,
    name: str,
    recipe: Recipe,
    clones: Sequence[StagedClone],
    sources: Mapping[str, str],
    folder: ProjectFolder,
    tool_versions: Mapping[str, str],
) -> list[str]:
    notes: list[str] = []
    with sandbox(backend, base, ROOM) as box:
        for clone in clones:
            _stage(box, clone)
        for url, package in sources.items():
            version = put_in_place(box, url, package, CLONES, STEP_SECONDS)
            stands = f": Debian's sources of {version} stand for it" if version else " is at hand"
            notes.append(f"no {'archive' if archive(url) else 'clone'} of {url}{stands}")
        for step in recipe.steps:
            problem = _follow(box, step, recipe, folder)
            if problem:
                notes.append(
                    f"Dockerfile:{step.line}: {' '.join(step.text.split())[:100]}: {problem}"
                )
        variables = {**recipe.environment, **tool_versions}
        exports = "".join(f"export {n}={shlex.quote(v)}\n" for n, v in variables.items())
        box.put({ENVIRONMENT: exports.encode()}, FOLDERS["SRC"])
        workdir = shlex.quote(recipe.workdir)
        put = {key_of(url) for url in (*(clone.url for clone in clones), *sources)}
        # Clones that no later build asks for leave the image, which is snapshotted for each project and date.
        gone = sorted(put - {key_of(url) for url in recipe.building})
        rest = f"cd {CLONES} && rm -rf -- {shlex.join(gone)}"
        tidied = f"mkdir -p {workdir}; {{ {rest}; rm -rf /tmp/*; cat {ABSENT}; }} 2>/dev/null; true"
        output = box.exec(Command(tidied, "/", STEP_SECONDS)).output.decode(errors="replace")
        notes += [f"Debian's package {package} is not installed" for package in output.split()[:50]]
        box.snapshot(name, {"io.arena.recipe": recipe.tree})
    return notes


def _tool_versions(date: int) -> dict[str, str]:
    """The versions of glibc and clang of OSS-Fuzz's builders at a date, for `compile`."""
    return {
        "LIBC_OF_THEN": "2.23" if date < UBUNTU_20 else "2.31",
        "CLANG_OF_THEN": "10" if date < CLANG_11 else "12",
    }


def _stage(box: Sandbox, clone: StagedClone) -> None:
    """Put a clone where the image's `git clone` looks for it."""
    folder = f"{CLONES}/{key_of(clone.url)}"
    box.exec(Command(f"mkdir -p {shlex.quote(folder)}", "/", STEP_SECONDS))
    with tempfile.TemporaryFile() as tar:
        try:
            source_revision = revision(Objects(clone.repository), clone.commit)
            source_revision.write(tar, folder, INSIDE_UID, ROOM.disk)
        except UnfitSource:
            return  # `git clone` says that it is not at hand
        tar.seek(0)
        box.put_tree(tar, "/")


def _follow(box: Sandbox, step: RecipeStep, recipe: Recipe, folder: ProjectFolder) -> str:
    """Run or copy; why that failed, or ""."""
    if step.kind == "copy":
        return _run_copy(box, step, folder)
    workdir = shlex.quote(step.workdir)
    line = f"mkdir -p {workdir} && cd {workdir} && {{ {step.text}\n}}"
    done = box.exec(Command(line, "/", STEP_SECONDS, dict(recipe.environment)))
    if done.ok:
        return ""
    return f"{ending(done)}: {tail(done.output.rstrip(), 1)[:200]}"


def _run_copy(box: Sandbox, step: RecipeStep, folder: ProjectFolder) -> str:
    """COPY: into a folder where the target ends in a slash, is in `FOLDERS`, or several files are copied."""
    target = step.text
    path = target.rstrip("/") or "/"
    # Docker decides by the trailing slash, too; OSS-Fuzz's own folders exist already, so a copy goes into
    # them.
    is_folder = target.endswith("/") or len(step.files) > 1 or path in FOLDERS.values()
    if not step.files:
        return "no such file in the project's folder"
    if is_folder:
        put = {destination: folder.files[name] for name, destination in step.files}
        parent = path
    else:
        parent, _, last = path.rpartition("/")
        put = {last: folder.files[step.files[0][0]]}
    made_folder = box.exec(Command(f"mkdir -p {shlex.quote(parent or '/')}", "/", STEP_SECONDS))
    if not made_folder.ok:
        return f"{parent} cannot be made"
    box.put(put, parent or "/", executable=True)
    return ""
