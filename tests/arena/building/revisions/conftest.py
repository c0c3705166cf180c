"""A tiny C project of which each commit behaves in another way, and cases about it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arena.building.cases.schema import Case
from arena.building.revisions.builder import REPOSITORY
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import MemoryCache, ResultCache
from harness.sandbox import owner
from harness.sandbox.base import Backend
from tasks.history import git

PERSON = {
    f"GIT_{role}_{fact}": value
    for role in ("AUTHOR", "COMMITTER")
    for fact, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "1700000000 +0000"))
}
TARGET = """\
#include "behave.h"
int main(int argc, char **argv)
{
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    char text[64] = {0};
    if (!in || !fread(text, 1, sizeof text - 1, in))
        return 2;
    return behave(text);
}
"""
HEADER = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
"""
OVERFLOW = "char *p = malloc(4); int n = p[strlen(t) - 1]; free(p); return n == 300;"
BEHAVIOURS = {
    "safe": "return t[0] == 1;",
    "overflow": OVERFLOW,
    "broken": "return no_such_name;",
    "hang": "for (;;) pause();",
    "memory": "for (;;) memset(malloc(1 << 22), 1, 1 << 22);",
    "flaky": 'return access("seen", F_OK) ? (fclose(fopen("seen", "w")), 0) : (abort(), 0);',
    "fixed": "return t[0] == 2;",
}
SANITIZED = "cc -g -fsanitize=address -o target target.c"
# Goes into each build command, so that no snapshot of an earlier session is found.
SESSION = uuid.uuid4().hex


class Project:
    """A git repository in the making."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main", "--template=")

    def commit(self, files: dict[str, str | bytes | None], message: str = "change") -> str:
        """A commit that writes `files`, or with None removes them; returns its id."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        git(self.folder, "add", "-A", "--force")
        git(self.folder, "commit", "-q", "-m", message, "--allow-empty", env=PERSON)
        return git(self.folder, "rev-parse", "HEAD").strip()

    def behave(self, name: str, message: str = "change") -> str:
        body = f"{HEADER}static int behave(const char *t) {{ {BEHAVIOURS[name]} }}\n"
        return self.commit({"behave.h": body}, message)


@dataclass
class Subject:
    """A case that was loaded, as far as a witness looks at it."""

    spec: Case
    repository: Path | None
    poc: bytes | None = b"hello"


def subject(project: Project, fix: str, build: str = SANITIZED, **more: Any) -> Subject:
    """A case of `project`; `more` fills the tables `crash`, `environment` and `poc`."""
    built = {"image": "arena/cpp", "build": f"{build}\n# {SESSION}", "timeout": 60}
    facts: dict[str, Any] = {
        "id": "mini-1",
        "project": "mini",
        "repository": str(project.folder),
        "fix": fix,
        "crash": more.get("crash", {}),
        "environment": {**built, **more.get("environment", {})},
        "poc": {"command": "./target {poc}", "replays": 2, "timeout": 4, **more.get("poc", {})},
        "limits": {"memory": "256m", "disk": "256m"},
    }
    return Subject(Case(**facts), project.folder)


@dataclass
class Room:
    """A backend with a keeper, and what was said of builds."""

    backend: Backend
    cache: ResultCache = field(default_factory=MemoryCache)
    said: list[str] = field(default_factory=list)

    def witness(self, case: Subject) -> SandboxWitness:
        return SandboxWitness(self.backend, case, self.cache, self.said.append)

    @property
    def builds(self) -> int:
        return sum(text.startswith("building") for text in self.said)


@pytest.fixture(scope="session")
def forget_snapshots(backend: Backend) -> Iterator[None]:
    """Snapshots that the tests make in an engine go with them."""
    yield
    for name in snapshots(backend):
        backend.client.images.remove(name, force=True)  # type: ignore[attr-defined]


def snapshots(backend: Backend) -> list[str]:
    """Those that this process made: others, such as tests beside these, work with theirs."""
    if backend.name != "docker":
        return []
    mine = {"label": f"{owner.OWNER}={owner.me()}"}
    images = backend.client.api.images(name=REPOSITORY, filters=mine)  # type: ignore[attr-defined]
    return [tag for image in images for tag in image["RepoTags"] or ()]


@pytest.fixture
def room(backend: Backend, forget_snapshots: None) -> Room:
    return Room(backend)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")
