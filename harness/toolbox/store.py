"""Which toolboxes there are, a folder each:

    <folder>/<name>-<version>-<digest of the recipe>/
        bin/           the agent's programs, and `python`
        env/ ...       what they need
        toolbox.json   facts; written last
    <folder>/python-<version>-<digest>/   an interpreter that toolboxes share

A folder without `toolbox.json` is half installed: it is never used, and the next installation replaces it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.toolbox import files, interpreter, node, python
from harness.toolbox.faults import ToolboxError
from harness.toolbox.recipe import Installable, NodeRecipe, Python, Recipe

FORMAT = 2
MARK = "toolbox.json"
# What is locked while one is copied, or removed.
INTERPRETERS = "interpreters"
# What runs the forwarder where the agent itself needs no Python.
HOST_VERSIONS = ("3.11", "3.12", "3.13")
UNSAFE = re.compile(r"[^A-Za-z0-9.+_]+")
UNSAFE_IN_NAME = re.compile(r"[^A-Za-z0-9.+_-]+")
FOLDER = re.compile(r"(?P<name>[^.].*)-(?P<version>[^-]+)-[0-9a-f]{12}")
INTERPRETER = re.compile(r"python-\d[^-]*-[0-9a-f]{12}")


@dataclass(frozen=True)
class Toolbox:
    """A toolbox. `whole` is false when its installation did not end: it is never used.

    facts: packages (name -> version), programs, modules, interpreter, size (bytes), created, recipe.
    """

    path: Path
    name: str
    version: str
    whole: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def python(self) -> Path:
        """The copied interpreter, for the forwarder; it is below a folder of `mounts`."""
        return Path(self.facts["interpreter"]["executable"])

    @property
    def mounts(self) -> tuple[Path, ...]:
        """Folders to be mounted, read-only and at the same paths."""
        return self.path, Path(self.facts["interpreter"]["path"])

    @property
    def size(self) -> int:
        return int(self.facts.get("size", 0))


def default_folder() -> Path:
    """The folder of toolboxes: `$ARENA_TOOLBOXES`, else a folder of the machine or the user.

    Not below `/root`: in a container that folder belongs to the image, and is closed to unprivileged users.
    """
    configured = os.environ.get("ARENA_TOOLBOXES")
    if configured:
        return Path(configured)
    if os.geteuid() == 0:
        return Path("/var/lib/arena/toolboxes")
    return Path.home() / ".local/share/arena/toolboxes"


class Toolboxes:
    """The toolboxes below a folder. Safe against concurrent processes that use the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        if self.folder.is_relative_to("/root"):
            raise ToolboxError(
                f"{self.folder}: not below /root, which images keep closed; set ARENA_TOOLBOXES"
            )

    def install(
        self,
        program: Installable,
        source: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
        force: bool = False,
    ) -> Toolbox:
        """Install a program's toolbox, unless it is there; `force` makes it anew.

        Raises ToolboxError when it cannot be installed, and ValueError when `source` does not fit.
        """
        _expect_source(program, source)
        with files.lock_part(self.folder, program.name, say):
            installed = self.find(program)
            if installed is not None and not force:
                say(f"{program.name} {program.version} is installed at {installed.path}")
                return installed
            path = self._path(program)
            files.clear(path, MARK)
            path.mkdir(mode=0o755)
            try:
                facts = self._fill(program, path, source, say)
            except ToolboxError as error:
                files.clear(path, MARK)
                raise ToolboxError(f"{program.name}: {error}") from error
            files.write_mark(path, MARK, facts)
        for warning in files.find_hidden_files(path):
            say(warning)
        return self._read(path)

    def find(self, program: Installable) -> Toolbox | None:
        """The whole toolbox of exactly this recipe, or None."""
        installed = self._read(self._path(program))
        return installed if installed.whole else None

    def half_installed(self, program: Installable) -> Toolbox | None:
        """What an installation of this recipe left that did not end, or None."""
        installed = self._read(self._path(program))
        return installed if installed.path.is_dir() and not installed.whole else None

    def list(self) -> Sequence[Toolbox]:
        """All toolboxes, of unwanted versions and half installed too, by folder name."""
        if not self.folder.is_dir():
            return []
        return [
            self._read(path)
            for path in sorted(self.folder.iterdir())
            if FOLDER.fullmatch(path.name) and not INTERPRETER.fullmatch(path.name)
        ]

    def remove(
        self, program: Installable, say: Callable[[str], None] = lambda _: None
    ) -> Sequence[Path]:
        """Remove all toolboxes of a program's name, then interpreters that no toolbox uses.

        Returns the folders that were removed; none is no error.
        """
        with files.lock_part(self.folder, program.name, say):
            gone = [installed.path for installed in self.list() if installed.name == program.name]
            for path in gone:
                files.clear(path, MARK)
        return [*gone, *self._remove_unused(say)] if gone else []

    def _remove_unused(self, say: Callable[[str], None]) -> Sequence[Path]:
        """Remove what only toolboxes had that are gone; nothing while any is half installed."""
        with files.lock_part(self.folder, INTERPRETERS, say):
            left = self.list()
            # What is half installed may be about to use an interpreter that no mark names yet.
            if not all(toolbox.whole for toolbox in left):
                return []
            used = {path for toolbox in left for path in toolbox.mounts}
            gone = [
                path
                for path in sorted(self.folder.glob("python-*"))
                if INTERPRETER.fullmatch(path.name) and path not in used
            ]
            for path in gone:
                files.clear(path, interpreter.MARK)
            cache = self.folder / files.CACHE
            if left:
                files.forget_unshared(cache / "bytecode")
            else:
                shutil.rmtree(cache, ignore_errors=True)
        return gone

    def _path(self, program: Installable) -> Path:
        if program.name == "python":
            raise ValueError("an agent cannot be called 'python': the folders of interpreters are")
        key_parts = [FORMAT, program.name, program.version, _facts_of(program.recipe)]
        digest = hashlib.sha256(json.dumps(key_parts, sort_keys=True).encode()).hexdigest()[:12]
        name = UNSAFE_IN_NAME.sub("_", program.name)
        version = UNSAFE.sub("_", program.version)
        return self.folder / f"{name}-{version}-{digest}"

    def _read(self, path: Path) -> Toolbox:
        facts = files.read_mark(path / MARK)
        if facts is not None and facts.get("format") == FORMAT and _has_interpreter(facts):
            return Toolbox(path, facts["name"], facts["version"], True, facts)
        parts = FOLDER.fullmatch(path.name)
        name, version = (parts["name"], parts["version"]) if parts else (path.name, "")
        return Toolbox(path, name, version, whole=False)

    def _fill(
        self,
        program: Installable,
        path: Path,
        source: Path | None,
        say: Callable[[str], None],
    ) -> dict[str, Any]:
        recipe = program.recipe
        versions = recipe.versions if isinstance(recipe, Python) else HOST_VERSIONS
        host_python = interpreter.find(versions)
        with files.lock_part(self.folder, INTERPRETERS, say):
            copied = interpreter.copy(host_python, self.folder, say)
        if isinstance(recipe, NodeRecipe):
            facts = node.install(recipe, path, copied, say)
        else:
            facts = python.install(recipe, path, copied, source, say)
        return {
            **facts,
            "format": FORMAT,
            "name": program.name,
            "version": program.version,
            "recipe": _facts_of(recipe),
            "interpreter": {name: str(value) for name, value in vars(copied).items()},
            "size": files.size(path),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
        }


def _facts_of(recipe: Recipe) -> dict[str, Any]:
    """A recipe as it identifies its toolbox: with the digest of its lock, wherever that is stored."""
    lock = hashlib.sha256(Path(recipe.lock).read_bytes()).hexdigest() if recipe.lock else ""
    facts = {**asdict(recipe), "lock": lock}
    # Under the key of older versions: toolboxes of before the field was renamed need no new installation.
    if source := facts.get("source"):
        facts["source"] = {"told": source.pop("description"), **source}
    return facts


def _expect_source(program: Installable, source: Path | None) -> None:
    wanted = program.recipe.source if isinstance(program.recipe, Python) else None
    if wanted is not None and source is None:
        raise ValueError(
            f"{program.name}: is installed from a source tree: --source {wanted.description}"
        )
    if source is not None and wanted is None:
        raise ValueError(f"{program.name}: is installed from its registry, not from --source")
    if source is not None and not source.exists():
        raise ValueError(f"{program.name}: --source: {source} is not there")


def _has_interpreter(facts: Mapping[str, Any]) -> bool:
    path = Path(facts["interpreter"]["path"])
    return files.read_mark(path / interpreter.MARK) is not None
