"""What stands for a dependency that no mirror has: Debian's source package of its name."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.oss_fuzz import sources
from arena.building.oss_fuzz.packages import NAME
from arena.building.oss_fuzz.sources import archive, needs_of, put_in_place, source_of
from harness.command import Command
from harness.protocols import Sandbox
from tests.arena.building.oss_fuzz.test_recipe import BASE, read


@pytest.mark.parametrize(
    ("url", "package"),
    [
        ("https://github.com/the-tcpdump-group/libpcap.git", "libpcap"),
        ("https://git.code.sf.net/p/giflib/code", "giflib"),
        ("https://gitlab.com/libtiff/libtiff", "tiff"),
        ("git://git.sv.nongnu.org/freetype/freetype2.git", "freetype"),
        ("https://example.org/release/libpcap-1.9.1.tar.gz", "libpcap"),
        ("https://example.org/a/zlib-1.2.11.tar.xz?raw=1", "zlib"),
        ("https://example.org/owner/pcre/archive/refs/tags/v8.4.tar.gz", "pcre3"),
        ("https://example.org", None),
        ("https://example.org/UPPER_case", None),
    ],
)
def test_the_package_of_an_address(url: str, package: str | None) -> None:
    assert source_of(url) == package


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://e.org/r/libpcap-1.9.1.tar.gz", ("libpcap", "libpcap-1.9.1")),
        ("https://e.org/r/my-lib-v2.0.tgz", ("my-lib", "my-lib-2.0")),
        ("https://e.org/r/boost_1_84_0.tar.bz2", ("boost", "boost_1_84_0")),
        ("https://e.org/r/lib_2-1.0.tar.gz", ("lib_2", "lib_2-1.0")),
        ("https://e.org/o/lib/archive/v1.2.tar.gz", ("lib", "lib-1.2")),
        ("https://e.org/o/lib/archive/master.tar.gz", None),
        ("https://e.org/words.dict", None),
    ],
)
def test_an_archive_and_its_folder(url: str, found: tuple[str, str] | None) -> None:
    assert archive(url) == found


@pytest.mark.parametrize(
    ("url", "project", "packages"),
    [
        ("https://github.com/harfbuzz/harfbuzz", "harfbuzz", ("harfbuzz",)),
        ("https://github.com/openvswitch/ovs.git", "openvswitch", ("openvswitch",)),
        ("https://example.org/kkos/oniguruma", "onig", ("libonig", "onig")),
        ("https://example.org/a/B_c", "Big One", ()),
    ],
)
def test_the_packages_that_a_project_may_be_in(
    url: str, project: str, packages: tuple[str, ...]
) -> None:
    assert needs_of(url, project) == packages


@pytest.mark.slow
@given(st.text(max_size=60))
def test_whatever_an_address_is_the_name_is_a_packages(text: str) -> None:
    for url in (text, f"https://example.org/{text}", f"https://example.org/{text}-1.0.tar.gz"):
        found = source_of(url)
        assert found is None or NAME.fullmatch(found)
        assert all(NAME.fullmatch(name) for name in needs_of(url, text))


def test_archives_of_a_recipe() -> None:
    found = read(
        BASE
        + "ADD https://e.org/r/libpcap-1.9.1.tar.gz libpcap.tar.gz\nADD https://e.org/a-1.tgz .\n"
        "RUN wget -O x https://e.org/zlib-1.2.tar.gz; curl -L https://e.org/words | tee x\n"
    )
    names = ("r/libpcap-1.9.1.tar.gz", "a-1.tgz", "zlib-1.2.tar.gz")
    assert found.archives == tuple(f"https://e.org/{name}" for name in names)
    assert [step.text for step in found.steps[:2]] == [
        "wget -O /src/libpcap.tar.gz https://e.org/r/libpcap-1.9.1.tar.gz",
        "wget -O /src/a-1.tgz https://e.org/a-1.tgz",
    ]


def test_two_addresses_of_one_repository_have_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "PLACE", str(tmp_path / "sources"))
    (tmp_path / "sources/lib").mkdir(parents=True)
    (tmp_path / "sources/lib.version").write_text("lib 1")
    box = cast(Sandbox, SimpleNamespace(exec=here))
    for url in ("https://e.org/a/lib", "git://e.org/a/Lib.git"):
        assert put_in_place(box, url, "lib", str(tmp_path / "clones"), 60.0) == "lib 1"
    assert not list((tmp_path / "sources/lib").iterdir())


def here(command: Command) -> SimpleNamespace:
    """Runs a command of this project's on the host, as a sandbox would."""
    done = subprocess.run(["sh", "-c", str(command.line)], capture_output=True, check=False)
    return SimpleNamespace(ok=done.returncode == 0, output=done.stdout)
