"""An import's cases -> the environment that OSS-Fuzz's recipe gives each, or why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from arena.building.cases.loader import POC_FILE, LoadedCase, find_clone
from arena.building.cases.schema import Case, ReplaySpec, Surroundings
from arena.building.cases.store import load_from, save
from arena.building.oss_fuzz.checkout import Checkout, ProjectFolder, RecipeLost
from arena.building.oss_fuzz.clones import date_of, same_repository
from arena.building.oss_fuzz.harness import harness_globs
from arena.building.oss_fuzz.image import RECIPES
from arena.building.oss_fuzz.pocs import ProjectPocs
from arena.building.oss_fuzz.recipe import FOLDERS, Recipe, read_recipe
from szz.repository import SzzError
from tasks.loader import TaskError
from tasks.schema import LimitsSpec
from tasks.writing import write_whole

SHORT = 12
SANITIZERS = frozenset(("address", "memory", "undefined", "thread"))
LIMITS = LimitsSpec(cpus=2.0, memory="4g", pids=512, disk="4g")
BUILD_SECONDS = 1800.0
REPLAY_SECONDS = 120.0


@dataclass
class Attached:
    """How many cases can be confirmed as they are now, and what the others lack, by code.

    found: PoCs that were in the projects' own histories.
    """

    ready: int = 0
    found: int = 0
    lacks: Counter[str] = field(default_factory=Counter)


def attach(
    store: Path,
    ids: Iterable[str],
    checkout: Checkout | None,
    mirrors: Path | None,
    say: Callable[[str], None] = lambda text: None,
) -> Attached:
    """Give each case of the store its environment, where `checkout` has a recipe and it has none of its own.

    mirrors: a folder of clones, to which the store's `repositories/` is linked. Raises TaskError.
    """
    done = Attached()
    recipes: dict[str, Recipe | RecipeLost] = {}
    projects: dict[Path, ProjectPocs] = {}
    for id_ in ids:
        case = load_from(store / id_, mirrors)
        if mirrors is not None and case.repository is not None:
            _link(store, mirrors, case.repository)
        if checkout is not None and (case.spec.environment is None or case.spec.environment.recipe):
            save(store, _served(case, store, checkout, mirrors, recipes))
            case = load_from(store / id_, mirrors)
        if "poc" in case.lacking and _take_poc(case, projects):
            case = load_from(store / id_, mirrors)
            done.found += 1
        done.ready += not case.lacking
        done.lacks.update(case.lacking.keys())
        say(f"{done.ready} ready")
    return done


def _take_poc(case: LoadedCase, projects: dict[Path, ProjectPocs]) -> bool:
    """Put the PoC beside the case where the project's history has it by its number."""
    clone, how = case.repository, case.spec.poc
    if clone is None or how is None:
        return False
    known = projects.setdefault(clone, ProjectPocs(clone))
    try:
        kept = known.by_number(case.spec.oss_fuzz.testcase, case.id)
    except SzzError as error:
        raise TaskError(str(error)) from error
    if kept is None:
        return False
    poc = how.model_copy(update={"origin": kept.origin[:500]})
    spec = case.spec.model_copy(update={"poc": poc})
    return save(case.folder.parent, spec, {POC_FILE: kept.content})


def _served(
    case: LoadedCase,
    store: Path,
    checkout: Checkout,
    mirrors: Path | None,
    recipes: dict[str, Recipe | RecipeLost],
) -> Case:
    """The case with its environment, or with the reason why it has none."""
    try:
        date = _expect_usable(case)
        folder = checkout.folder(case.spec.project, date)
        if folder.tree not in recipes:
            recipes[folder.tree] = _read(folder)
        recipe = recipes[folder.tree]
        if isinstance(recipe, RecipeLost):
            raise recipe
        workdir = _workdir(case.spec, recipe)
    except RecipeLost as lost:
        told = f"{lost.code}: {lost.reason}"[:1000]
        return case.spec.model_copy(update={"unserved": told, "environment": None})
    if mirrors is not None:
        for url in recipe.clones:
            _link_url(store, mirrors, url)
    _keep(store, folder)
    return _with_environment(case, folder, recipe, workdir, date)


def _read(folder: ProjectFolder) -> Recipe | RecipeLost:
    try:
        return read_recipe(folder)
    except RecipeLost as lost:
        return lost


def _expect_usable(case: LoadedCase) -> int:
    """The fix's date. Raises RecipeLost for what no recipe can help with."""
    spec = case.spec
    if spec.crash.sanitizer not in SANITIZERS:
        raise RecipeLost("recipe-sanitizer", f"no build is known for {spec.crash.sanitizer}")
    if "i386" in spec.oss_fuzz.job:
        raise RecipeLost("recipe-architecture", f"the job is {spec.oss_fuzz.job}")
    if not spec.oss_fuzz.target:
        raise RecipeLost("no-target", "the record names no fuzz target")
    date = date_of(case.repository, spec.fix) if case.repository else None
    if date is None:
        raise RecipeLost("no-clone", f"the fix's date is in a clone of {spec.repository} only")
    return date


def _workdir(spec: Case, recipe: Recipe) -> str:
    """The folder that the recipe clones the fix's repository to. Raises RecipeLost."""
    for step in recipe.steps:
        for url, folder in step.clones:
            if same_repository(url, spec.repository):
                return folder
    cloned = ", ".join(recipe.clones[:5]) or "nothing"
    raise RecipeLost("recipe-repository", f"the recipe clones {cloned}, not {spec.repository}")


def _with_environment(
    case: LoadedCase, folder: ProjectFolder, recipe: Recipe, workdir: str, date: int
) -> Case:
    spec, clone = case.spec, case.repository
    assert clone is not None  # noqa: S101 - the date comes from it
    sanitizer, target = spec.crash.sanitizer, spec.oss_fuzz.target
    where = Surroundings(
        recipe=f"{folder.project}/{folder.tree[:SHORT]}",
        date=date,
        workdir=workdir,
        build=f"cd {recipe.workdir} && SANITIZER={sanitizer} compile",
        timeout=BUILD_SECONDS,
    )
    command = f"{FOLDERS['OUT']}/{target} -rss_limit_mb=2560 -timeout=25 {{poc}}"
    carry = harness_globs(clone, spec.fix, target)
    poc = spec.poc or ReplaySpec(command=command, carry=carry, timeout=REPLAY_SECONDS)
    limits = LIMITS if spec.limits == LimitsSpec() else spec.limits
    return spec.model_copy(
        update={"environment": where, "poc": poc, "limits": limits, "unserved": ""}
    )


def _keep(store: Path, folder: ProjectFolder) -> None:
    place = store / RECIPES / folder.project / folder.tree[:SHORT]
    if (place / "Dockerfile").is_file():
        return
    try:
        for name, content in sorted(folder.files.items(), key=lambda item: item[0] == "Dockerfile"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(place / name, content)  # the Dockerfile comes last: with it, it is whole
    except OSError as error:
        raise TaskError(f"{place}: {error.strerror}") from error


def _link_url(store: Path, mirrors: Path, url: str) -> None:
    found = find_clone(url, mirrors)
    if found is not None:
        _link(store, mirrors, found)


def _link(store: Path, mirrors: Path, clone: Path) -> None:
    """Make the store's `repositories/` lead to a clone below `mirrors`."""
    if not clone.is_relative_to(mirrors):
        return
    name = clone.relative_to(mirrors).parts[0]
    link = store / "repositories" / name
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to((mirrors / name).resolve())
    except OSError as error:
        raise TaskError(f"{link}: {error.strerror}") from error
