"""A project's folder of OSS-Fuzz -> what makes its image: packages, clones, and steps in their order.

Only packages and clones are understood here. What a recipe runs besides is run, in a sandbox without a
network, where `images/oss-fuzz` answers for `git clone` and `apt-get` with what was put there before.
"""

from __future__ import annotations

import io
import itertools
import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal

import yaml
from dockerfile_parse import DockerfileParser  # type: ignore[import-untyped]

from arena.building.oss_fuzz.checkout import ProjectFolder, RecipeLost
from arena.building.oss_fuzz.recipe_requirements import FOLDERS, MAX_VALUE, URL, Requirements
from arena.building.oss_fuzz.sources import archive

BASE = re.compile(
    r"gcr\.io/oss-fuzz-base/base-builder(@sha256:[0-9a-f]+|:[\w.-]+)?|ossfuzz/base-(libfuzzer|builder)"
)
LANGUAGES = frozenset(("c", "c++", ""))
MAX_STEPS = 300
MAX_SCRIPT = 64 << 10
MAX_PATH = 4096


@dataclass(frozen=True)
class RecipeStep:
    """An instruction of the Dockerfile: a shell line to run in `workdir`, or files to copy into a folder.

    `line` is that of the Dockerfile, from 1; `clones` are the URLs that are cloned, each with its folder;
    `files` are those of the project's folder, each with its path in the folder that is copied to.
    """

    kind: Literal["run", "copy"]
    text: str
    workdir: str
    line: int
    files: tuple[tuple[str, str], ...] = ()
    clones: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Recipe:
    """The build steps of a project's image. `workdir` is where `compile` starts.

    `apt` and `pip` list their packages, as the recipe names them; `archives` are the downloads.
    `building` are the clones and archives among them that only the scripts that `compile` runs need.
    """

    project: str
    tree: str
    apt: tuple[str, ...]
    pip: tuple[str, ...]
    clones: tuple[str, ...]
    steps: tuple[RecipeStep, ...]
    workdir: str
    environment: Mapping[str, str] = field(default_factory=dict)
    archives: tuple[str, ...] = ()
    building: tuple[str, ...] = ()


def read_recipe(folder: ProjectFolder) -> Recipe:
    """The recipe of a project's folder. Raises RecipeLost."""
    dockerfile = folder.files.get("Dockerfile", b"")
    taken = re.search(rb"build\.sh|\b(cp|mv)\b", dockerfile)  # from the project's own repository
    for name, is_present in (("Dockerfile", dockerfile), ("build.sh", taken)):
        if not is_present and name not in folder.files:
            raise RecipeLost("recipe-unreadable", f"projects/{folder.project} has no {name}")
    _expect_language(folder)
    reader = _RecipeReader(folder.files)
    for instruction in _instructions(dockerfile):
        reader.take(instruction)
    return with_script(
        reader.recipe(folder), folder.files.get("build.sh", b"").decode("utf-8", "replace")
    )


def with_script(recipe: Recipe, script: str) -> Recipe:
    """The recipe with what a script that `compile` runs asks for besides: there is no network then either."""
    script = script[:MAX_SCRIPT].replace("\\\n", " ")
    requirements = Requirements(dict(recipe.environment))
    requirements.read(script, recipe.workdir)

    def join_unique(*words: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(itertools.chain(*words)))

    return replace(
        recipe,
        apt=join_unique(recipe.apt, requirements.apt),
        pip=join_unique(recipe.pip, requirements.pip),
        clones=join_unique(recipe.clones, requirements.clones),
        archives=join_unique(recipe.archives, requirements.archives),
        building=join_unique(recipe.building, requirements.clones, requirements.archives),
    )


def _instructions(dockerfile: bytes) -> list[dict[str, object]]:
    try:
        content = io.BytesIO(dockerfile.decode("utf-8", "replace").encode())
        instructions = list(DockerfileParser(fileobj=content).structure)
    # The parser raises whatever its own code meets in a malformed file; one recipe must not end an import.
    except Exception as error:
        raise RecipeLost("recipe-unreadable", f"Dockerfile: {error}") from error
    if len(instructions) > MAX_STEPS:
        raise RecipeLost("recipe-unreadable", f"Dockerfile: {len(instructions)} instructions")
    return instructions


def _expect_language(folder: ProjectFolder) -> None:
    try:
        # Only the safe loader: the plain one makes Python objects out of tags in a foreign file.
        facts = yaml.safe_load(folder.files.get("project.yaml", b""))
    except (yaml.YAMLError, RecursionError, ValueError):
        facts = None
    language = str(facts.get("language") or "") if isinstance(facts, dict) else ""
    if language.lower() not in LANGUAGES:
        raise RecipeLost("recipe-language", f"project.yaml: language: {language[:40]}")


class _RecipeReader:
    """Goes through the instructions in their order."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._environment: dict[str, str] = {}
        self._asked = Requirements(self._environment)
        self._filled = self._asked.expand_names
        self._workdir = FOLDERS["SRC"]
        self._steps: list[RecipeStep] = []

    def take(self, instruction: Mapping[str, object]) -> None:
        name, value = str(instruction["instruction"]).upper(), str(instruction["value"])
        line = int(str(instruction["startline"])) + 1
        if name == "FROM":
            self._expect_base((self._filled(value).split() or [""])[0], line)
        elif name == "WORKDIR":
            self._workdir = self._inside(value)
        elif name in ("ENV", "ARG"):
            self._set(value)
        elif name == "RUN":
            self._run(value, line)
        elif name in ("COPY", "ADD"):
            self._copy(value, line)

    def recipe(self, folder: ProjectFolder) -> Recipe:
        requirements = self._asked
        read = (requirements.apt, requirements.pip, requirements.clones, requirements.archives)
        apt, pip, clones, archives = (tuple(dict.fromkeys(x)) for x in read)
        return Recipe(
            folder.project,
            folder.tree,
            apt,
            pip,
            clones,
            tuple(self._steps),
            self._workdir,
            dict(self._environment),
            archives,
        )

    def _expect_base(self, image: str, line: int) -> None:
        if not BASE.fullmatch(image):
            raise RecipeLost("recipe-base", f"Dockerfile:{line}: FROM {image[:120]}")

    def _run(self, text: str, line: int) -> None:
        clones = tuple(self._asked.read(shlex.join(_parse_exec_form(text)) or text, self._workdir))
        self._steps.append(RecipeStep("run", text, self._workdir, line, clones=clones))

    def _copy(self, text: str, line: int) -> None:
        try:
            words = _parse_exec_form(text) or shlex.split(text)
        except ValueError:
            words = text.split()
        words = [word for word in words if not word.startswith("--")]
        if len(words) < 2:
            return
        *sources, target = words
        folder = self._inside(target)
        for url in filter(URL.fullmatch, map(self._filled, sources)):
            self._download(url, folder, line)
        sources = [source for source in map(self._filled, sources) if not URL.fullmatch(source)]
        if not sources:
            return
        matches = [(source, pair) for source in sources for pair in self._match_copy_source(source)]
        below = any(name.count("/") > source.strip("/").count("/") for source, (name, _) in matches)
        # Docker copies what is in a folder, so its target is a folder even without a slash.
        folder += "/" * (below and not folder.endswith("/"))  # a folder's content needs one
        named = tuple(pair for _, pair in matches)
        self._steps.append(RecipeStep("copy", folder, self._workdir, line, named))

    def _download(self, url: str, target: str, line: int) -> None:
        """ADD of an address: into a folder as COPY does, else as a file."""
        if target.endswith("/") or target in FOLDERS.values():
            target = f"{target.rstrip('/')}/{posixpath.basename(url)}"
        self._asked.archives += [url] if archive(url) else []
        text = shlex.join(("wget", "-O", target, url))
        self._steps.append(RecipeStep("run", text, self._workdir, line))

    def _match_copy_source(self, source: str) -> Iterator[tuple[str, str]]:
        """The files of the folder that a source of COPY stands for, and where each goes.

        A file goes by its name; of a folder what is in it, for Docker copies no folder itself.
        """
        plain = posixpath.normpath(source[:MAX_PATH]).lstrip("/")
        parts = [re.sub(r"\*+", "*", part) for part in plain.split("/")]
        for name in self._files:
            name_parts = name.split("/")
            if plain == ".":
                yield name, name
            elif len(name_parts) >= len(parts) and all(map(fnmatchcase, name_parts, parts)):
                yield name, "/".join(name_parts[len(parts) :] or name_parts[-1:])

    def _set(self, text: str) -> None:
        try:
            words = shlex.split(text)
        except ValueError:
            return
        if words and "=" not in words[0] and len(words) > 1:
            words = [f"{words[0]}={' '.join(words[1:])}"]  # the old form: ENV NAME VALUE
        for word in words:
            name, has, value = word.partition("=")
            filled = self._filled(value)
            if has and name.isidentifier() and "$" not in filled and len(filled) <= MAX_VALUE:
                self._environment[name] = filled

    def _inside(self, path: str) -> str:
        """A path as WORKDIR or COPY names it; a slash at the end stays."""
        filled = self._filled(path.strip().strip("\"'"))
        absolute = posixpath.normpath(posixpath.join(self._workdir, filled))
        return absolute + "/" * (filled.endswith("/") or filled in (".", ""))


def _parse_exec_form(text: str) -> list[str]:
    """The words of an instruction in the form of a list in JSON; none of any different form."""
    try:
        words = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        words = None
    return [str(word) for word in words] if isinstance(words, list) else []
