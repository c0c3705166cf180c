"""A project's folder of OSS-Fuzz -> what makes its image: packages, clones, and steps in their order.

Only packages and clones are understood here. What a recipe runs besides is run, in a sandbox without a
network, where `images/oss-fuzz` answers for `git clone` and `apt-get` with what was put there before.
"""

from __future__ import annotations

import io
import itertools
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from string import Template
from typing import Literal

import yaml
from dockerfile_parse import DockerfileParser  # type: ignore[import-untyped]

from arena.building.oss_fuzz.checkout import ProjectFolder, RecipeLost
from arena.building.oss_fuzz.sources import archive

FOLDERS = {"SRC": "/src", "OUT": "/out", "WORK": "/work"}
BASE = re.compile(
    r"gcr\.io/oss-fuzz-base/base-builder(@sha256:[0-9a-f]+|:[\w.-]+)?|ossfuzz/base-(libfuzzer|builder)"
)
LANGUAGES = frozenset(("c", "c++", ""))
OPERATORS = re.compile(r"&&|\|\||;|\n|(?<!\|)\|(?!\|)")
URL = re.compile(r"(?:https?|git|ssh|svn)://\S+")
CLONE = {"git": ("clone",), "hg": ("clone",), "svn": ("checkout", "co", "export")}
"""What brings a repository, by program, as in `images/oss-fuzz/bin/git`."""
WITH_VALUE = frozenset(
    [
        "-b",
        "--branch",
        "--depth",
        "-o",
        "--origin",
        "-c",
        "--config",
        "-j",
        "--jobs",
        "--shallow-since",
        "--filter",
        "-r",
        "--rev",
        "-u",
        "--updaterev",
        "--revision",
        "--reference",
        "--reference-if-able",
        "--template",
    ]
)
"""Options of these that a value follows, as there."""
_SHELL = ("then", "do", "if", "elif", "else", "while", "until", "!", "(", "{")
BEFORE = frozenset(
    (*_SHELL, *["sudo", "env", "time", "command", "exec", "timeout", "nice", "nohup"])
)
_BEFORE = re.compile(r"\w+=|-|\d+(?:\.\d+)?[smhd]?$")
"""What a command may stand behind: such words, and what is assigned or asked of them."""
INNER = re.compile(r"\$\(([^()]{1,1000})\)|`([^`]{1,1000})`")
MAX_STEPS = 300
MAX_SCRIPT, MAX_COMMAND, MAX_VALUE, MAX_LOOP = 64 << 10, 8 << 10, 1000, 40
ASSIGNED = re.compile(
    r"^[ \t]*(?:(?:export|readonly|local)[ \t]+)?([A-Za-z_]\w*)="
    r"(\"[^\"\n]{0,1000}\"|'[^'\n]{0,1000}'|[\w.+:/${}-]{1,200})[ \t]*;?[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
"""A value that a script gives a name on a line of its own, as it does for versions and packages."""


@dataclass(frozen=True)
class RecipeStep:
    """An instruction of the Dockerfile: a shell line to run in `workdir`, or files to copy into a folder.

    `line` is that of the Dockerfile, from 1; `clones` are the URLs that are cloned, each with its folder.
    """

    kind: Literal["run", "copy"]
    text: str
    workdir: str
    line: int
    files: tuple[str, ...] = ()
    clones: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Recipe:
    """What a project's image is made by. `workdir` is where `compile` starts.

    `apt` and `pip` list what these are asked for, in the recipe's words; `archives` are the downloads.
    `building` are the clones and archives among them that the scripts ask for which `compile` runs.
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
    for name, there in (("Dockerfile", dockerfile), ("build.sh", taken)):
        if not there and name not in folder.files:
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
    asked = _Asked(dict(recipe.environment))
    for name, value in ASSIGNED.findall(script):
        asked.environment[name] = asked.filled(value.strip("\"'"))[:MAX_VALUE]
    asked.read(script, recipe.workdir)

    def joined(*words: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(itertools.chain(*words)))

    return replace(
        recipe,
        apt=joined(recipe.apt, asked.apt),
        pip=joined(recipe.pip, asked.pip),
        clones=joined(recipe.clones, asked.clones),
        archives=joined(recipe.archives, asked.archives),
        building=joined(recipe.building, asked.clones, asked.archives),
    )


def _instructions(dockerfile: bytes) -> list[dict[str, object]]:
    try:
        content = io.BytesIO(dockerfile.decode("utf-8", "replace").encode())
        found = list(DockerfileParser(fileobj=content).structure)
    except Exception as error:
        raise RecipeLost("recipe-unreadable", f"Dockerfile: {error}") from error
    if len(found) > MAX_STEPS:
        raise RecipeLost("recipe-unreadable", f"Dockerfile: {len(found)} instructions")
    return found


def _expect_language(folder: ProjectFolder) -> None:
    try:
        facts = yaml.safe_load(folder.files.get("project.yaml", b""))
    except (yaml.YAMLError, RecursionError, ValueError):
        facts = None
    language = str(facts.get("language") or "") if isinstance(facts, dict) else ""
    if language.lower() not in LANGUAGES:
        raise RecipeLost("recipe-language", f"project.yaml: language: {language[:40]}")


class _Asked:
    """What shell lines install, clone and download, in their own words."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.apt: list[str] = []
        self.pip: list[str] = []
        self.clones: list[str] = []
        self.archives: list[str] = []
        self._loops: dict[str, list[str]] = {}

    def read(self, text: str, workdir: str) -> list[tuple[str, str]]:
        """Take what `text` asks for, run in `workdir`; its clones (URL, folder)."""
        clones: list[tuple[str, str]] = []
        for raw in _commands(text):
            words = list(itertools.chain(*map(self._words, raw)))
            if not words:
                continue
            if words[0] == "for" and words[2:3] == ["in"] and words[1].isidentifier():
                self._loops[words[1]] = [word[:MAX_VALUE] for word in words[3 : 3 + MAX_LOOP]]
            if verb := next((word for word in CLONE.get(words[0], ()) if word in words), None):
                clones += _cloned(words[words.index(verb) + 1 :], workdir)
            elif words[0] in ("wget", "curl"):
                self.archives += [w for w in words if URL.fullmatch(w) and archive(w)]
            elif "install" in words:
                self._install(words)
        self.clones += [url for url, _ in clones]
        return clones

    def _install(self, words: list[str]) -> None:
        names = [word for word in words if not word.startswith("-")]
        program, asked = names[0], names[names.index("install") + 1 :]
        if program in ("apt-get", "apt"):
            self.apt += asked
        elif program in ("pip", "pip3") or names[:2] in (["python3", "pip"], ["python", "pip"]):
            self.pip += asked

    def _words(self, word: str) -> list[str]:
        """What a word stands for: one that names what a loop goes through, for each of these."""
        for name, values in self._loops.items() if "$" in word else ():
            parts = re.split(rf"\${name}\b|\${{{name}}}", word[:MAX_VALUE])
            if len(parts) > 1:
                each = " ".join(value.join(parts) for value in values)
                return self.filled(each[:MAX_COMMAND]).split()
        return self.filled(word).split() if "$" in word else [word]

    def filled(self, text: str) -> str:
        """`text` with the values of the names in it that are known."""
        return Template(text).safe_substitute({**FOLDERS, **self.environment})


class _RecipeReader:
    """Goes through the instructions in their order."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._environment: dict[str, str] = {}
        self._asked = _Asked(self._environment)
        self._filled = self._asked.filled
        self._workdir = FOLDERS["SRC"]
        self._steps: list[RecipeStep] = []

    def take(self, found: Mapping[str, object]) -> None:
        name, value = str(found["instruction"]).upper(), str(found["value"])
        line = int(str(found["startline"])) + 1
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
        asked = self._asked
        read = (asked.apt, asked.pip, asked.clones, asked.archives)
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
        clones = tuple(self._asked.read(text, self._workdir))
        self._steps.append(RecipeStep("run", text, self._workdir, line, clones=clones))

    def _copy(self, text: str, line: int) -> None:
        try:
            words = [word for word in shlex.split(text) if not word.startswith("--")]
        except ValueError:
            words = text.split()
        if len(words) < 2:
            return
        *sources, target = words
        folder = self._inside(target)
        for url in filter(URL.fullmatch, map(self._filled, sources)):
            self._download(url, folder, line)
        sources = [source for source in sources if not URL.fullmatch(self._filled(source))]
        if not sources:
            return
        named = tuple(name for source in sources for name in self._named(source))
        self._steps.append(RecipeStep("copy", folder, self._workdir, line, named))

    def _download(self, url: str, target: str, line: int) -> None:
        """ADD of an address: into a folder as COPY does, else as a file."""
        if target.endswith("/") or target in FOLDERS.values():
            target = f"{target.rstrip('/')}/{posixpath.basename(url)}"
        self._asked.archives += [url] if archive(url) else []
        text = shlex.join(("wget", "-O", target, url))
        self._steps.append(RecipeStep("run", text, self._workdir, line))

    def _named(self, source: str) -> Iterator[str]:
        """The files of the folder that a source of COPY stands for: a file, a folder or a glob."""
        plain = posixpath.normpath(source).lstrip("/")
        glob = re.compile(re.escape(plain).replace(r"\*", "[^/]*").replace(r"\?", "[^/]"))
        for name in self._files:
            if plain == "." or glob.fullmatch(name) or name.startswith(f"{plain}/"):
                yield name

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
        """A path as WORKDIR or COPY names it; one that ends in a slash keeps it."""
        filled = self._filled(path.strip().strip("\"'"))
        whole = posixpath.normpath(posixpath.join(self._workdir, filled))
        return whole + "/" * (filled.endswith("/") or filled in (".", ""))


def _commands(text: str) -> Iterator[list[str]]:
    """The simple commands of a shell line, those within `$(...)` first, without what stands before each."""
    inner = (one or other for one, other in INNER.findall(text))
    for part in itertools.chain(*map(OPERATORS.split, (*inner, text))):
        part = part.strip("()! \t")[:MAX_COMMAND]
        try:
            words = shlex.split(part, comments=True)
        except ValueError:  # an operator within quotes
            words = part.replace('"', " ").replace("'", " ").split()
        while words and (_BEFORE.match(words[0]) or words[0] in BEFORE):
            words = words[1:]
        if words:
            yield [posixpath.basename(words[0]), *words[1:]]


def _cloned(words: list[str], workdir: str) -> Iterator[tuple[str, str]]:
    """The URL and the folder of a clone with these words."""
    plain: list[str] = []
    value = False
    for word in words:
        if not value and not word.startswith("-"):
            plain.append(word)
        value = word in WITH_VALUE
    urls = list(itertools.takewhile(URL.fullmatch, plain))  # several of a loop
    for url in urls:
        name = plain[1] if len(urls) == 1 < len(plain) else url.rstrip("/").rpartition("/")[2]
        yield url, posixpath.normpath(posixpath.join(workdir, name.removesuffix(".git")))
