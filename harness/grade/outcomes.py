"""Gold's outcomes that ship with a pack: recorded once, used if nothing that they depend on differs.

`<pack>/outcomes/<task>.json` holds a key, the outcomes and their digest. The key covers the grader version,
the task, how the image is built (its Dockerfile, or its name by content if built from a recipe) and the
version of every Debian package in the image, but not the image's id, which differs between machines. If the
key differs, outcomes are recorded again.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
from pathlib import Path
from typing import Any

from harness.command import Command, Limits
from harness.grade.environment import sandbox
from harness.grade.ports import ResultCache, digest_of
from harness.grade.scrub import describe_scrub
from harness.grade.version import GRADER_VERSION
from harness.sandbox import archive
from harness.sandbox.base import Backend
from images.builder import recipe
from images.content import is_own_name
from tasks.loader import Task, TaskError
from tasks.writing import write_whole

FOLDER = "outcomes"
# Versions of packages stand for the image: its id differs between machines for the same content.
PACKAGES = "dpkg-query -W -f '${Package} ${Version} ${Architecture}\\n'"
MAX_FILE = 16 << 20


def place(task: Task) -> Path:
    return task.folder.parent / FOLDER / f"{task.id}.json"


def load_shipped(backend: Backend, task: Task, cache: ResultCache) -> dict[str, Any] | None:
    """The outcomes that ship with a task, or None: there are none, of another key, or not whole."""
    try:
        if place(task).stat().st_size > MAX_FILE:
            return None
        record = json.loads(place(task).read_bytes())
        outcomes = dict(record["outcomes"])
        if record["digest"] != _digest(outcomes) or record["key"] != key(backend, task, cache):
            return None
        tar = gzip.decompress(base64.b64decode(outcomes["oracle_tar"]))
        tests = json.loads(gzip.decompress(base64.b64decode(outcomes["compiled_tests"])))
    # A file that is damaged in whatever way counts as absent: the outcomes are then recorded here.
    except (OSError, EOFError, ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        return None
    return {
        **outcomes,
        "oracle_tar": base64.b64encode(tar).decode(),
        "compiled_tests": tests,
    }


def ship(backend: Backend, task: Task, cache: ResultCache, outcomes: dict[str, Any]) -> None:
    """Write the outcomes that were taken here. Raises TaskError when they cannot be written."""
    fact_key = key(backend, task, cache)
    if not fact_key:
        raise TaskError(f"{task.id}: the {backend.name} sandbox cannot tell the image's packages")
    # Fixed times and sorted keys: shipping the same outcomes again gives the same bytes.
    tar = archive.set_mtime(base64.b64decode(outcomes["oracle_tar"]), archive.SOURCE_MTIME)
    tests = json.dumps(outcomes["compiled_tests"], sort_keys=True).encode()
    outcomes = {**outcomes, "oracle_tar": _pack_text(tar), "compiled_tests": _pack_text(tests)}
    record = {"key": fact_key, "digest": _digest(outcomes), "outcomes": outcomes}
    try:
        place(task).parent.mkdir(exist_ok=True)
        write_whole(place(task), (json.dumps(record, indent=1, sort_keys=True) + "\n").encode())
    except OSError as error:
        raise TaskError(f"{place(task)}: {error.strerror}") from error


def _pack_text(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def key(backend: Backend, task: Task, cache: ResultCache) -> str:
    """Digest of all that gold's outcomes depend on, the same on every machine; "" where that is unclear."""
    tools = _toolchain(backend, task.spec.environment.image, cache)
    cleared = describe_scrub(task.spec.environment)
    return digest_of(str(GRADER_VERSION), task.gold_digest, tools, *cleared) if tools else ""


def _toolchain(backend: Backend, image: str, cache: ResultCache) -> str:
    """Digest of a project image's recipe and of the packages in it; "" for any foreign image."""
    image_recipe = recipe(image)
    # Only of the project's images do recipe and packages determine the content.
    if not (image_recipe or is_own_name(image)):
        return ""
    base = backend.resolve(image)
    content = backend.content_of(base)
    if not image_recipe and not is_own_name(content.recipe):
        return ""
    fact = cache.fact(f"packages:{content.digest}")
    if fact is None:
        with sandbox(backend, base, Limits()) as box:
            done = box.exec(Command(PACKAGES))
        fact = {"digest": digest_of(done.output) if done.ok and done.output else ""}
        cache.put_fact(f"packages:{content.digest}", fact)
    return digest_of(image_recipe or content.recipe, fact["digest"]) if fact["digest"] else ""


def _digest(outcomes: dict[str, Any]) -> str:
    return digest_of(json.dumps(outcomes, sort_keys=True))
