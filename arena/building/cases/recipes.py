"""Recipes of a case store: folders of OSS-Fuzz's form that cases name, as `recipes/<project>/<tree>/`."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tasks.loader import TaskError

RECIPES = "recipes"
DOCKERFILE = "Dockerfile"
# A folder of OSS-Fuzz has some ten files; a store may come from anybody.
MAX_FILES, MAX_FILE = 500, 4 << 20


def recipe_files(store: Path, recipe: str) -> dict[str, bytes]:
    """The files of a recipe (path below its folder -> content), none where it is not there.

    recipe: PROJECT/TREE, as `environment.recipe` names it. Raises TaskError where a file cannot be read.
    """
    folder = store / RECIPES / recipe
    try:
        paths = [p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink()]
        if len(paths) > MAX_FILES or any(path.stat().st_size > MAX_FILE for path in paths):
            raise TaskError(f"{folder}: more than {MAX_FILES} files, or one of over 4 MiB")
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    except OSError as error:
        raise TaskError(f"{folder}: {error.strerror}") from error


def has_recipe(store: Path, recipe: str) -> bool:
    """Whether the store has the recipe's Dockerfile."""
    with suppress(OSError):
        return (store / RECIPES / recipe / DOCKERFILE).is_file()
    return False


def digest_of_files(files: Mapping[str, bytes]) -> str:
    """SHA-256 in hex over the paths and contents of a recipe's files."""
    parts = (part for name in sorted(files) for part in (name.encode(), files[name]))
    # Each part is hashed by itself, so that no boundary between name and content can be moved.
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def keep_recipe(store: Path, recipe: str, files: Mapping[str, bytes]) -> None:
    """Put a recipe's files into a store: as a whole, by renaming. Raises TaskError.

    Several may do so at once: a name stands for a fixed content (a git tree's), so a file may be put twice.
    """
    folder = store / RECIPES / recipe
    if _is_whole(folder, files):
        return
    try:
        (store / RECIPES).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=store / RECIPES, prefix=".") as beside:
            recipe_folder = Path(beside) / "made"
            for name, content in files.items():
                (recipe_folder / name).parent.mkdir(parents=True, exist_ok=True)
                (recipe_folder / name).write_bytes(content)
            folder.parent.mkdir(exist_ok=True)
            try:
                recipe_folder.rename(folder)
            except (
                OSError
            ):  # it is there: another made it meanwhile, or an import was killed half way
                for name in files:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (recipe_folder / name).replace(folder / name)
    except OSError as error:
        raise TaskError(f"{folder}: {error.strerror}") from error


def _is_whole(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether every file of the recipe is there, in its size."""
    with suppress(OSError):
        return all((folder / name).stat().st_size == len(text) for name, text in files.items())
    return False
