"""A case from disk: `case.toml`, what its project's cases share, and what confirming it lacks.

<store>/<id>/case.toml          the case, see `schema.py`
<store>/<id>/poc                its PoC, used when `poc.file` names none and the command needs a file
<store>/projects/<name>.toml    tables that fill what the case files of that project leave out
<store>/defaults.toml           the same for all cases of the store, see `sharing.py`
<store>/repositories/           clones of repositories that cases state as URLs
"""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from arena.building.cases.recipes import RECIPES, has_recipe
from arena.building.cases.schema import Case
from arena.building.cases.sharing import PLAIN, layers_of, merge_layers
from tasks.loader import MAX_FILE, TaskError

CASE_FILE = "case.toml"
POC_FILE = "poc"
# Files beside a case that its task takes, and that go where the case goes.
TRAVELLING = ("instruction.md", "fixed.patch", "neighbours.json", "other-values.json")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:")
# What a case may lack, besides what no recipe gives (`arena.building.oss_fuzz.checkout.LOSSES`).
LACKS: Mapping[str, str] = {
    "clone": "a local clone of the repository",
    "build": "an image and a build command",
    "recipe": "the recipe's folder, which the store that it was exported from or `--oss-fuzz` has",
    "replay": "a command that replays the PoC",
    "poc": "the PoC",
    "unreadable": "files or a repository that can be read",
    "value": "a value for a placeholder of the project file",
}
# What only names or describes the case: a better title must not cost hours of builds.
NOT_CONFIRMING = frozenset(
    ("id", "project", "source", "title", "repository", "language", "cwe", "oss_fuzz", "unserved")
) | {"tests", "task", "expected"}


@dataclass(frozen=True)
class LoadedCase:
    """A checked case, with its project's tables filled in.

    `repository` is local; None without a local clone. `unfilled` names the placeholders of the
    project file for which this case has no value.
    """

    folder: Path
    spec: Case
    repository: Path | None = None
    unfilled: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def poc_path(self) -> Path | None:
        """Where the PoC is, or None when the image holds it or there is none."""
        file = self.spec.poc.file if self.spec.poc else None
        return None if file is None else self.folder / file

    @cached_property
    def poc(self) -> bytes | None:
        """The PoC's content, or None when the case names no file. Raises TaskError."""
        path = self.poc_path
        if path is None:
            return None
        problem = self._poc_problem(path)
        if problem:
            raise TaskError(f"{self.folder / CASE_FILE}: poc.file: {problem}")
        try:
            return path.read_bytes()
        except OSError as error:
            raise TaskError(f"{path}: {error.strerror}") from error

    @property
    def lacking(self) -> dict[str, str]:
        """The facts that confirming this case lacks: a code of `LACKS` -> the same in plain words."""
        path = self.poc_path
        unserved, _, reason = self.spec.unserved.partition(": ")
        how = "" if self.spec.environment else "how to build: [environment] image and build"
        unfilled = "; ".join(
            f"a value for {{{name}}}, which its files use" for name in self.unfilled
        )
        lacks = {
            "clone": self._repository_problem(),
            **({unserved: f"how to build: {reason}"} if how and unserved else {"build": how}),
            "recipe": self._recipe_missing(),
            "replay": "" if self.spec.poc or unserved else "how to replay: [poc] command",
            "poc": self._poc_problem(path) if path else self._poc_missing(),
            "value": unfilled,
        }
        return {code: text for code, text in lacks.items() if text}

    @property
    def lacks(self) -> tuple[str, ...]:
        """The facts that confirming this case lacks, in plain words; empty when it can be tried."""
        return tuple(self.lacking.values())

    @cached_property
    def digest(self) -> str:
        """Digest of all that can change a confirmation: fix, crash, environment, PoC, limits, SZZ.

        Not where the repository is: commit ids say what it holds. Raises TaskError without the PoC.
        """
        facts = self.spec.model_dump_json(
            by_alias=True,
            exclude={
                **dict.fromkeys(NOT_CONFIRMING, True),
                "environment": {"origin"},
                "poc": {"file", "origin"},
            },
        )
        digest = hashlib.sha256(facts.encode())
        # A byte apart for "no PoC", so that it differs from every PoC's digest.
        digest.update(b"\0" if self.poc is None else b"\1" + hashlib.sha256(self.poc).digest())
        return digest.hexdigest()

    def _repository_problem(self) -> str:
        if self.repository is None:
            return f"a local clone of {self.spec.repository}"
        return "" if _is_folder(self.repository) else f"the repository: no folder {self.repository}"

    def _recipe_missing(self) -> str:
        """Why the recipe cannot be followed: its folder did not come along."""
        environment, store = self.spec.environment, self.folder.parent
        if environment is None or not environment.recipe or has_recipe(store, environment.recipe):
            return ""
        origin = (
            f" ({environment.origin.path} at {environment.origin.commit[:12]})"
            if environment.origin
            else ""
        )
        return f"the recipe {store / RECIPES / environment.recipe}{origin}; `--oss-fuzz` brings it"

    def _poc_missing(self) -> str:
        environment = self.spec.environment
        if environment is not None and environment.form == "arvo":
            return ""  # it is taken out of the image
        needs_file = self.spec.poc is not None and "{poc}" in self.spec.poc.command
        return (
            f"the PoC: [poc] file, or a file {POC_FILE!r} beside {CASE_FILE}" if needs_file else ""
        )

    def _poc_problem(self, path: Path) -> str:
        """Why the PoC cannot be used. An absolute path may be a link, as the user wrote it."""
        poc_file = Path(self.spec.poc.file or "" if self.spec.poc else "")
        try:
            if not poc_file.is_absolute() and path.resolve() != self.folder.resolve() / poc_file:
                return f"the PoC {path} must be a plain file inside the case's folder"
            if not path.is_file():
                return f"the PoC: no plain file {path}"
            if path.stat().st_size > MAX_FILE:
                return f"the PoC {path} is larger than {MAX_FILE >> 20} MiB"
        except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a NUL in the name
            return f"the PoC {path}: {error}"
        return ""


def load_case(path: Path, repositories: Path | None = None) -> LoadedCase:
    """Load a case from its folder or its `case.toml`.

    `repositories` is a folder of clones for repositories that are URLs; the store's
    `repositories/` is looked into as well. Raises TaskError naming the file and the field.
    """
    file = path / CASE_FILE if path.is_dir() else path
    folder = file.parent
    layers = layers_of(file, folder.parent)
    spec, unfilled = merge_layers(layers)
    spec = _with_poc(file, folder, spec)
    clone = _local(spec.repository, folder)
    for layer in layers[1:]:
        if clone is None and isinstance(layer.content.get("repository"), str):
            clone = _local(layer.content["repository"], layer.path.parent)
    for place in (repositories, folder.parent / "repositories"):
        clone = clone or (find_repository(spec, place) if place else None)
    return LoadedCase(folder, spec, clone, unfilled)


def find_repository(case: Case, folder: Path) -> Path | None:
    """The clone below `folder` of a repository that the case states as a URL, or None.

    The first that exists of `<owner>+<name>/repo`, `<owner>/<name>`, `<name>`, `<name>.git`; else the only
    `*+<name>/repo` there is, for projects move to different owners.
    """
    return find_clone(case.repository, folder)


def find_clone(url: str, folder: Path) -> Path | None:
    """As `find_repository`, of a URL."""
    owner, name = _owner_and_name(url)
    if not name:
        return None
    named = name.lower() not in NAMELESS
    candidates = [f"{owner}+{name}/repo", f"{owner}/{name}"] if owner else []
    candidates += [name, f"{name}.git"] if named else []
    # Exact places first: of two clones with one name, the owner's decides.
    exact = (folder / candidate for candidate in candidates if _is_folder(folder / candidate))
    return next(exact, None) or (_namesake(name, folder) if named else None)


def clone_path(url: str) -> str:
    """Where `find_clone` looks last for a clone of a URL, so that a mirror goes before it.

    Raises TaskError for a URL whose project has no plain name.
    """
    owner, name = _owner_and_name(url)
    if name and name.lower() not in NAMELESS:
        return name
    if not (owner and name):
        raise TaskError(f"repository: no plain name is in {url[:200]!a}")
    return f"{owner}+{name}/repo"


def mirror_path(url: str) -> str:
    """Where `find_clone` looks first for a clone of a URL. Raises TaskError where no plain name is in it."""
    owner, name = _owner_and_name(url)
    if not (owner and name):
        raise TaskError(f"repository: no plain owner and name are in {url[:200]!a}")
    return f"{owner}+{name}/repo"


def _owner_and_name(url: str) -> tuple[str, str]:
    """The last two parts of a URL; "" for a part that is no plain name of a folder."""
    if not URL.match(url):
        return "", ""
    tail = project_address(URL.sub("/", url, count=1)).removesuffix(".git")
    parts = ["", "", *re.split(r"[/:]", tail)][-2:]
    owner, name = (p if PLAIN.fullmatch(p) and p not in (".", "..") else "" for p in parts)
    return owner, name


def project_address(url: str) -> str:
    """An address without what may follow its project's name: a query, a fragment, folders of Subversion's."""
    plain = re.split(r"[?#]", url)[0].rstrip("/")
    head = re.split(r"/(?:trunk|branches|tags)(?=[@/]|$)", plain, maxsplit=1)[0]
    if head == plain or "/" not in head.rpartition("://")[2].strip("/"):
        return plain
    return re.sub(r"(/(code|svn|src|source|repos?))+$", "", head)


_NAMELESS = """code src source git svn hg trunk core server common test tests data corpus corpora fuzzing
utils portable node"""
# Last parts of addresses that name no project: the one before does.
NAMELESS = frozenset(re.findall(r"\w+", _NAMELESS))


def _namesake(name: str, folder: Path) -> Path | None:
    try:
        namesakes = _clones_by_name(folder, folder.stat().st_mtime_ns).get(name.lower(), [])
    except OSError:
        return None
    namesakes = list({path.resolve(): path for path in namesakes if _is_folder(path)}.values())
    # Of several namesakes none is taken: another project's history would silently stand for this one's.
    return namesakes[0] if len(namesakes) == 1 else None


@lru_cache(maxsize=8)
# The folder's time of change is part of the key, so a new clone is seen and thousands of cases list it once.
def _clones_by_name(folder: Path, _changed: int) -> dict[str, list[Path]]:
    """The clones `*+<name>/repo` by their names in small letters."""
    clones: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*+*/repo")):
        clones.setdefault(path.parent.name.lower().partition("+")[2], []).append(path)
    return clones


def _with_poc(file: Path, folder: Path, spec: Case) -> Case:
    """The case with the file `poc` beside it, where the command asks for a PoC and none is named."""
    if spec.poc is None:
        return spec
    needs_poc = "{poc}" in spec.poc.command
    if spec.poc.file is not None and not needs_poc:
        raise TaskError(f"{file}: poc.command: has no {{poc}} although poc.file is given")
    if spec.poc.file is None and needs_poc and (folder / POC_FILE).is_file():
        return spec.model_copy(update={"poc": spec.poc.model_copy(update={"file": POC_FILE})})
    return spec


def _is_folder(path: Path) -> bool:
    """Whether the path is a folder; a name too long for the file system is none."""
    try:
        return path.is_dir()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise TaskError(f"{path}: {error.strerror}") from error
        return False


def _local(repository: str, base: Path) -> Path | None:
    """A repository that is no URL: as it is when absolute, else relative to the file naming it."""
    return None if URL.match(repository) else base / repository
