"""Images are made by one process at a time."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from random import random
from types import SimpleNamespace
from typing import Any

import pytest

from images import builder, lock
from images.base import base_content
from images.builder import FRAMEWORKS, INSTALL, INSTALL_NEEDS, NUMBERED, Builder
from images.content import content_of


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was made by a builder whose engine has no image; the second look finds what the first made."""
    made: list[str] = []

    def base(client: Any, labels: dict[str, str], say: Any, suite: str) -> str:
        return f"arena/base:{suite}"

    monkeypatch.setattr(builder, "base_reference", base)
    monkeypatch.setattr(Builder, "_make", lambda self, what, tag, **source: made.append(tag))
    return made


def client(made: list[str]) -> Any:
    """An engine whose images have ids that differ each time, as those of images built again do."""

    def get(name: str) -> Any:
        name = name.removeprefix("id of ")
        labels = {"io.arena.name": name, "io.arena.versions": "v"}
        attributes = {"Id": f"{random()}", "RepoTags": [name], "Config": {"Labels": labels}}
        return SimpleNamespace(id=f"id of {name}", attrs=attributes)

    images = SimpleNamespace(get=get, list=lambda name: [one for one in made if one == name])
    return SimpleNamespace(images=images)


def test_another_process_that_makes_images_is_waited_for(made: list[str]) -> None:
    """Two that began at once made two bases, and each image twice."""
    said: list[str] = []
    waits = threading.Event()

    def say(line: str) -> None:
        said.append(line)
        waits.set()

    other = os.open(lock.ROOT, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    waiting = threading.Thread(target=lambda: Builder(client(made), say).ensure("arena/cpp"))
    waiting.start()
    try:
        assert waits.wait(60)
        assert (said, made) == (["another process makes images; waiting for it"], [])
    finally:
        os.close(other)
        waiting.join(60)
    assert len(made) == 1 and said[1].startswith("building arena/cpp:")


def test_an_image_is_made_once(made: list[str]) -> None:
    both = [Builder(client(made)).ensure("arena/cpp") for _ in range(2)]
    assert both[0] == both[1] == f"id of {made[0]}" and len(made) == 1


def test_an_image_of_an_older_suite_is_another_of_the_same_folder(made: list[str]) -> None:
    one = Builder(client(made))
    assert one.knows("arena/cpp@bullseye") and not one.knows("arena/none@bullseye")
    first, second = one.ensure("arena/cpp"), one.ensure("arena/cpp@bullseye")
    assert first != second
    assert [tag.partition(":")[0] for tag in made] == ["arena/cpp", "arena/cpp"]


def test_packages_of_another_processor_are_asked_for_once_dpkg_knows_of_it(tmp_path: Path) -> None:
    said = tmp_path / "said"
    say = {
        "dpkg": f'echo "dpkg $@" >>{said}',
        "apt-get": f'echo "$@" >>{said}',
        # as apt: a package of another processor is shown under its plain name, a pattern as others
        "apt-cache": 'case $2 in *+*) echo "Package: a" ;; *) echo "Package: ${2%:i386}" ;; esac',
    }
    for name, script in say.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    text = INSTALL.replace("/var/", f"{tmp_path}/").replace("/opt/arena", str(tmp_path))
    text = text.replace("PATH=", f"PATH={tmp_path}:")
    line = f"PACKAGES='make zlib1g-dev:i386 lib.+:i386'; SOURCES=''; {text}"
    subprocess.run(["sh", "-c", line], check=True, env={})
    dpkg = "dpkg --add-architecture i386"
    got = "install -y --no-install-recommends --no-remove make zlib1g-dev:i386"
    assert said.read_text().splitlines() == [dpkg, dpkg, "update", got]
    assert (tmp_path / "absent").read_text() == "lib.+:i386\n"


def test_what_a_project_is_built_with_is_an_image_on_top(made: list[str]) -> None:
    """The image below is the one without: nothing is installed twice."""
    one = Builder(client(made))
    below = "arena/cpp:0123456789abcdef"
    plain = one.with_packages(below, ["make"])
    both = one.with_packages(below, ["needs:harfbuzz", "make"])
    assert plain == f"id of {made[0]}" and both == f"id of {made[1]}" and len(made) == 2
    assert one.with_packages(plain, ["needs:harfbuzz"]) == both and len(made) == 2


def test_names_hold_no_id_and_everything_that_an_image_is_made_of(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each builder has an engine of its own, with other ids."""
    below, other = "arena/cpp:0123456789abcdef", "arena/cpp:fedcba9876543210"
    for image, packages in ((below, ["make"]), (below, ["make", "jq"]), (other, ["make"])):
        Builder(client([])).with_packages(image, packages)
        Builder(client([])).with_packages(image, packages[::-1])
    assert made[::2] == made[1::2] and len(set(made)) == 3
    del made[:]
    for _ in range(2):
        Builder(client([])).ensure("arena/cpp")
    Builder(client([])).ensure("arena/cpp@bullseye")
    monkeypatch.setattr(builder, "recipe", lambda name: "another Dockerfile")
    Builder(client([])).ensure("arena/cpp")
    assert made[0] == made[1] and len(set(made)) == 3


def test_a_base_that_somebody_names_counts_by_its_content(made: list[str]) -> None:
    """An image of others has no name by content: its id stands for it."""

    def engine(id_: str) -> Any:
        there = SimpleNamespace(id=id_, attrs={"Id": id_, "RepoTags": ["mine:1"], "Config": {}})
        return SimpleNamespace(images=SimpleNamespace(get=lambda name: there))

    assert base_content(engine("sha256:a"), "mine:1") == "sha256:a"
    assert base_content(engine("sha256:a"), "arena/base:bookworm") == "debian bookworm"
    assert base_content(engine("sha256:b"), "debian:bookworm-slim") == "debian bookworm"
    assert base_content(engine("sha256:a"), "arena/base:bullseye", "bullseye") == "debian bullseye"


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An image of a folder whose every build leaves something else, below a name of the test's own."""
    prefix = f"test-{uuid.uuid4().hex[:12]}/"
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/Dockerfile").write_text("ARG BASE\nFROM ${BASE}\nRUN date +%s%N >/made\n")
    monkeypatch.setattr(builder, "ROOT", tmp_path)
    monkeypatch.setattr(builder, "PREFIX", prefix)
    yield f"{prefix}tiny"


@pytest.mark.docker
def test_an_image_that_is_built_twice_from_nothing_has_one_name_and_content(
    docker: Any, tiny: str
) -> None:
    found = []
    for _ in range(2):
        id_ = Builder(docker.client).ensure(tiny)
        try:
            attributes = docker.client.images.get(id_).attrs
            found.append((id_, attributes["RepoTags"], content_of(attributes)))
        finally:
            docker.client.images.remove(id_, force=True)
    (first, names, content), (second, *again) = found
    assert first != second and again == [names, content]
    assert names == [content.recipe] and re.fullmatch(f"{tiny}:[0-9a-f]{{16}}", names[0])
    assert re.fullmatch("[0-9a-f]{64}", content.versions)


BUILT_WITH = """\
Package: x
Build-Depends: debhelper (>= 9), libglib2.0-dev (>= 2.3) <!nodoc>, libfreetype-dev | libfreetype6-dev, gtk-doc-tools,
 zlib1g-dev [!hurd-any],
\tdoctest-dev <!nocheck>, -qq-dev, lib.+-dev, libkvm-dev [kfreebsd-any]
Build-Depends-Arch:
 libgirepository1.0-dev, check:any,libicu-dev [amd64], libglib2.0-doc, cython3, $(touch x)-dev
Build-Conflicts: libbad-dev
"""


@pytest.mark.slow
def test_needs_are_libraries_and_tools_of_tests_and_what_is_nothing_is_written_down(
    tmp_path: Path,
) -> None:
    (tmp_path / "built-with").write_text(BUILT_WITH)
    say = {
        "apt-cache": f'case "$1 $2 $3" in *none*) exit 100 ;; *harfbuzz) cat {tmp_path}/built-with ;; *libkvm*) exit 100 ;; '
        'show*flex*) printf "Package: $2\\nSection: universe/devel" ;; '
        'show*+*) echo "Package: liba-dev" ;; show*) echo "Package: $2" ;; esac',
        "apt-get": f'echo "$@" >>{tmp_path}/asked; case "$*" in *libicu-dev*) exit 100 ;; esac',
    }
    for name, script in say.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "apt/sources.list.d").mkdir(parents=True)
    (tmp_path / "apt/sources.list").write_text("deb a b main\ndeb x y contrib\n")
    text = INSTALL_NEEDS.replace("/var/", f"{tmp_path}/").replace("/opt/arena", str(tmp_path))
    text = text.replace("/etc/", f"{tmp_path}/").replace("PATH=", f"PATH={tmp_path}:")
    done = subprocess.run(
        [
            "sh",
            "-c",
            "NEEDS='harfbuzz no-such python3-yaml python3-none tool:jq tool:flex tool:none'; "
            + text.replace("rm /", "cat /", 1),
        ],
        check=True,
        env={},
        capture_output=True,
    )
    assert done.stdout.decode() == "deb-src a b main\n"
    asked = (tmp_path / "asked").read_text().splitlines()
    names = [
        "check",
        "doctest-dev",
        "libfreetype-dev",
        "libglib2.0-dev",
        "libicu-dev",
        "zlib1g-dev",
    ]
    assert asked[0] == "update" and asked[1].split()[4:] == FRAMEWORKS.split()
    assert asked[2].split()[4:] == names
    assert [line.split()[-1] for line in asked[3:]] == [*names, "python3-yaml", "jq"]
    assert all("--no-remove" in line for line in asked[1:])
    assert (tmp_path / "absent").read_text().split() == [
        *("lib.+-dev", "libkvm-dev", "libicu-dev"),
        "needs:no-such",
        "needs:python3-none",
        "needs:tool:flex",
        "needs:tool:none",
    ]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("libcoap", "libcoap3"),
        ("qt", "qt10"),  # by number, not by letter
        ("file", "file"),
        ("file2", "file2"),
        ("libx", ""),
        ("lib.", ""),
    ],
)
def test_a_project_is_the_newest_numbered_source_package(
    tmp_path: Path, name: str, source: str
) -> None:
    there = ["libcoap2", "libcoap3", "libcoap-doc", "qt9", "qt10", "file", "file2", "libx-1"]
    (tmp_path / "x_Sources.lz4").write_text("".join(f"Package: {one}\n" for one in there))
    for tool, script in {
        "apt-cache": f'grep -qxF "Package: $3" {tmp_path}/x_Sources.lz4 && echo "Package: $3"',
        "apt-helper": 'shift; exec cat "$@"',
    }.items():
        (tmp_path / tool).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / tool).chmod(0o755)
    text = NUMBERED.replace("/var/lib/apt/lists", str(tmp_path))
    text = text.replace("/usr/lib/apt", str(tmp_path))
    asked = f"PATH={tmp_path}:$PATH; name={name}; {text}; echo $source"
    done = subprocess.run(["sh", "-c", asked], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == source


def test_a_pattern_is_no_package(tmp_path: Path) -> None:
    """apt takes `lib.+` for every package that it matches, where none has that name."""
    say = {
        "apt-cache": "case $2 in make | g++) echo Package: $2 ;; lib.+) echo Package: liba ;; awk) ;; *) exit 100 ;; esac",
        "apt-get": f'echo "$@" >>{tmp_path}/asked',
    }
    for name, script in say.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    text = INSTALL.replace("/var/", f"{tmp_path}/").replace("/opt/arena", str(tmp_path))
    text = text.replace("PATH=", f"PATH={tmp_path}:")
    asked = "PACKAGES='make g++ lib.+ awk make-'; SOURCES=''; "
    subprocess.run(["sh", "-c", asked + text], check=True, env={})
    installed = (tmp_path / "asked").read_text().splitlines()[-1]
    assert installed == "install -y --no-install-recommends make g++ awk"
    assert (tmp_path / "absent").read_text().split() == ["lib.+", "make-"]
