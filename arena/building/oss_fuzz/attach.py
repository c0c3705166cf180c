"""An import's cases -> the environment that OSS-Fuzz's recipe gives each, or why there is none."""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from arena.building.cases.loader import POC_FILE, LoadedCase
from arena.building.cases.proof import RecipeOrigin
from arena.building.cases.recipes import digest_of_files, has_recipe, keep_recipe
from arena.building.cases.schema import Case, ReplaySpec, Surroundings
from arena.building.cases.sharing import PLAIN
from arena.building.cases.store import load_from, save
from arena.building.oss_fuzz.checkout import Checkout, ProjectFolder, RecipeLost
from arena.building.oss_fuzz.clones import date_of, key_of, same_repository
from arena.building.oss_fuzz.harness import harness_globs
from arena.building.oss_fuzz.pocs import ProjectPocs, origin_of
from arena.building.oss_fuzz.recipe import Recipe, read_recipe
from arena.building.oss_fuzz.recipe_requirements import FOLDERS
from szz.repository import SzzError
from tasks.loader import TaskError
from tasks.schema import LimitsSpec

SHORT = 12
SANITIZERS = frozenset(("address", "memory", "undefined", "thread"))
LIMITS = LimitsSpec(cpus=2.0, memory="4g", pids=512, disk="4g")
# Link of a case store to the checkout that its recipes come from, for those of other days.
CHECKOUT = "oss-fuzz"
BUILD_SECONDS = 1800.0
REPLAY_SECONDS = 120.0

Say = Callable[[str], None]


@dataclass
class Attached:
    """How many cases can be confirmed as they are now, and what the rest lack, by code.

    pocs: how many PoCs were in the projects' histories.
    """

    ready: int = 0
    pocs: int = 0
    lacks: Counter[str] = field(default_factory=Counter)


def attach(
    store: Path,
    ids: Iterable[str],
    checkout: Checkout | None,
    mirrors: Path | None,
    say: Say = lambda text: None,
) -> Attached:
    """Set each case's environment by its recipe in `checkout`, unless the case states an image already.

    mirrors: a folder of clones, to which the store's `repositories/` is linked. A case that cannot be read
    is reported, and counted as `unreadable`: it does not end the rest.
    """
    link_sources(store, checkout, mirrors)
    work = _Attaching(store, checkout, mirrors)
    for id_ in ids:
        try:
            work.take(id_)
        except (TaskError, SzzError) as error:
            say(f"{id_}: {error}")
            work.attached.lacks["unreadable"] += 1
        say(f"{work.attached.ready} ready")
    return work.attached


@dataclass
class _Attaching:
    store: Path
    checkout: Checkout | None
    mirrors: Path | None
    attached: Attached = field(default_factory=Attached)
    recipes: dict[str, Recipe | RecipeLost] = field(default_factory=dict)
    projects: dict[Path, ProjectPocs] = field(default_factory=dict)

    def take(self, id_: str) -> None:
        """Attach a case. Raises TaskError and SzzError."""
        case = self._load(id_)
        environment = case.spec.environment
        # A proof was made with the stated recipe; one that is read anew from the checkout could give another
        # verdict.
        if self.checkout is not None and case.spec.proof and environment and environment.origin:
            self._take_stated(environment, self.checkout)
        elif self.checkout is not None and (environment is None or environment.recipe):
            save(self.store, self._serve_case(case, self.checkout))
            case = self._load(id_)
        if "poc" in case.lacking and self._take_poc(case):
            case = self._load(id_)
            self.attached.pocs += 1
        self.attached.ready += not case.lacking
        self.attached.lacks.update(case.lacking.keys())

    def _take_stated(self, where: Surroundings, checkout: Checkout) -> None:
        """Store the recipe that a case with a proof states. Raises TaskError where the checkout's differs."""
        if not has_recipe(self.store, where.recipe):
            keep_recipe(self.store, where.recipe, stated_recipe(where, checkout))

    def _load(self, id_: str) -> LoadedCase:
        return load_from(self.store / id_, self.mirrors)

    def _serve_case(self, case: LoadedCase, checkout: Checkout) -> Case:
        """The case with its environment, or with the reason why it has none."""
        try:
            date = _expect_usable(case)
            folder = checkout.folder(case.spec.oss_fuzz.project or case.spec.project, date)
            recipe = self._recipe(folder)
            served = with_environment(case, folder, recipe, date)
        except RecipeLost as lost:
            message = f"{lost.code}: {lost.reason}"[:1000]
            return case.spec.model_copy(update={"unserved": message, "environment": None})
        keep_folder(self.store, folder)
        return served

    def _recipe(self, folder: ProjectFolder) -> Recipe:
        """Raises RecipeLost, the same for each case of the folder."""
        if folder.tree not in self.recipes:
            try:
                self.recipes[folder.tree] = read_recipe(folder)
            except RecipeLost as lost:
                self.recipes[folder.tree] = lost
        recipe_ = self.recipes[folder.tree]
        if isinstance(recipe_, RecipeLost):
            raise recipe_
        return recipe_

    def _take_poc(self, case: LoadedCase) -> bool:
        """Put the PoC beside the case where the project's history has it by its number."""
        clone, how = case.repository, case.spec.poc
        if clone is None or how is None:
            return False
        project_pocs = self.projects.setdefault(clone, ProjectPocs(clone))
        poc_file = project_pocs.find_by_number(case.spec.oss_fuzz.testcase, case.id)
        if poc_file is None:
            return False
        poc = how.model_copy(
            update={"origin": origin_of(poc_file.content, poc_file.name, poc_file)}
        )
        spec = case.spec.model_copy(update={"poc": poc})
        return save(self.store, spec, {POC_FILE: poc_file.content})


def stated_recipe(environment: Surroundings, checkout: Checkout) -> Mapping[str, bytes]:
    """The files of a recipe where OSS-Fuzz is stated to have it. Raises TaskError where it has another.

    A store has a single content for each name, so the stated name has to be the content's too.
    """
    origin = environment.origin
    if origin is None:
        raise TaskError("environment.origin: not stated")
    try:
        folder = checkout.folder_at(origin.commit, origin.path)
    except RecipeLost as lost:
        raise TaskError(f"environment.origin: {lost.reason}") from lost
    digest = digest_of_files(folder.files)
    if digest != origin.sha256:
        problem = f"{origin.path} at {origin.commit[:12]} has the digest {digest}"
        raise TaskError(f"environment.origin: {problem}, stated is {origin.sha256}")
    if environment.recipe != _name_of(folder):
        problem = (
            f"{environment.recipe} is stated; "
            f"{origin.path} at {origin.commit[:12]} is {_name_of(folder)}"
        )
        raise TaskError(f"environment.recipe: {problem}")
    return folder.files


def link_sources(store: Path, checkout: Checkout | None, mirrors: Path | None) -> None:
    """Make a store lead to the clone of OSS-Fuzz and to the clones of projects. Raises TaskError."""
    if mirrors is not None:
        _link_all(store, mirrors)
    if checkout is not None:
        _link(store / CHECKOUT, checkout.path)


def keep_folder(store: Path, folder: ProjectFolder) -> None:
    """Keep the project's folder in the store. Raises TaskError."""
    keep_recipe(store, _name_of(folder), folder.files)


def _name_of(folder: ProjectFolder) -> str:
    """The folder as `environment.recipe` names it."""
    return f"{folder.project}/{folder.tree[:SHORT]}"


def _link_all(store: Path, mirrors: Path) -> None:
    """Make the store's `repositories/` lead to each folder of `mirrors`, which cases and recipes name."""
    try:
        visible = (path for path in mirrors.iterdir() if not path.name.startswith("."))
        clones = sorted(path for path in visible if path.is_dir())  # locks of clones are hidden
    except OSError as error:
        raise TaskError(f"{mirrors}: {error.strerror}") from error
    for mirror in clones:
        _link(store / "repositories" / mirror.name, mirror)


def _link(link: Path, target: Path) -> None:
    """Create a link, or redirect an existing link; what is no link stays. Raises TaskError."""
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink() or not link.exists():
            with tempfile.TemporaryDirectory(dir=link.parent, prefix=".") as partial:
                partial_link = Path(partial) / link.name
                partial_link.symlink_to(target.resolve())
                partial_link.replace(
                    link
                )  # at once: an import or a search beside this one finds it
    except OSError as error:
        raise TaskError(f"{error.filename or link}: {error.strerror}") from error


def _expect_usable(case: LoadedCase) -> int:
    """The fix's date. Raises RecipeLost for what no recipe can help with."""
    spec = case.spec
    if spec.crash.sanitizer not in SANITIZERS:
        raise RecipeLost("recipe-sanitizer", f"no build is known for {spec.crash.sanitizer}")
    if not PLAIN.fullmatch(spec.oss_fuzz.target):
        raise RecipeLost("no-target", f"the record's fuzz target is {spec.oss_fuzz.target!a}")
    date = date_of(case.repository, spec.fix) if case.repository else None
    if date is None:
        raise RecipeLost("no-clone", f"the fix's date is in a clone of {spec.repository} only")
    return date


def _workdir(spec: Case, recipe: Recipe) -> str:
    """The folder that the recipe clones the fix's repository to. Raises RecipeLost."""
    repository = spec.repository
    pairs = [
        pair
        for step in recipe.steps
        for pair in step.clones
        if same_repository(pair[0], repository)
    ]
    if pairs:
        # Of several clones the exact address wins over a namesake: a fork may be a dependency of the project.
        return min(pairs, key=lambda pair: key_of(pair[0]) != key_of(repository))[1]
    cloned = ", ".join(recipe.clones[:5]) or "nothing"
    raise RecipeLost("recipe-repository", f"the recipe clones {cloned}, not {spec.repository}")


def _origin(folder: ProjectFolder) -> RecipeOrigin | None:
    """Where OSS-Fuzz has the folder; None for a folder of a checkout without a commit."""
    if not folder.commit:
        return None
    digest = digest_of_files(folder.files)
    return RecipeOrigin(commit=folder.commit, path=folder.path, sha256=digest)


def with_environment(
    case: LoadedCase, folder: ProjectFolder, recipe: Recipe, date: int, meant_for: str = ""
) -> Case:
    """The case with environment and replay. Raises RecipeLost, also for names that no case can hold.

    meant_for: the commit that has to build in it, see `Surroundings`.
    """
    spec, clone = case.spec, case.repository
    assert clone is not None  # noqa: S101 - the date comes from it
    sanitizer, target = spec.crash.sanitizer, spec.oss_fuzz.target
    how = f"{'ARCHITECTURE=i386 ' if 'i386' in spec.oss_fuzz.job else ''}SANITIZER={sanitizer}"
    # Memory and time as OSS-Fuzz's own runner sets them, since a timeout or out-of-memory of a record was
    # judged by these limits.
    command = f"{FOLDERS['OUT']}/{target} -rss_limit_mb=2560 -timeout=25 {{poc}}"
    try:
        environment = Surroundings(
            recipe=_name_of(folder),
            date=date,
            meant_for=meant_for,
            origin=_origin(folder),
            workdir=_workdir(spec, recipe),
            build=f"cd {shlex.quote(recipe.workdir)} && {how} compile {target}",
            timeout=BUILD_SECONDS,
        )
        poc = spec.poc or ReplaySpec(
            command=command,
            carry=harness_globs(clone, spec.fix, target),
            timeout=REPLAY_SECONDS,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise RecipeLost("recipe-unreadable", f"{first['loc'][-1]}: {first['msg']}") from error
    limits = LIMITS if spec.limits == LimitsSpec() else spec.limits
    update = {"environment": environment, "poc": poc, "limits": limits, "unserved": ""}
    return spec.model_copy(update=update)
