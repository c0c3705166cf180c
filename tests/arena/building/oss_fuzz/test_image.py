"""From a record to a crash that is seen, in real containers: the image of a recipe, `try`, `fuzz`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.building.cases.importing import import_cases
from arena.building.cases.store import find
from arena.building.feasibility import try_case
from arena.building.fuzzing import campaign
from arena.building.fuzzing.campaign import fuzz_case
from arena.building.oss_fuzz.attach import attach
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.oss_fuzz.checkout import Checkout
from arena.building.reproducing import CaseSources, reproduce
from harness.command import Command, Limits
from harness.grade.environment import sandbox
from harness.grade.ports import MemoryCache
from harness.sandbox import owner
from harness.sandbox.base import Backend
from tasks.loader import load_pack
from tests.arena.building.oss_fuzz.form import BUILD, DOCKERFILE, git, mirror, recipes, records

pytestmark = [pytest.mark.docker, pytest.mark.nightly]
TARGETS = {"brook-include": "fuzz_load", "brook-block-indentation": "fuzz_parse"}

# An image in the form of OSS-Fuzz's base-builder: root's, compilers in /usr/local/bin, its own `compile`.
BUILDER = """\
FROM {base}
USER 0
RUN rm -rf /opt/arena /src /out /work /clones && userdel -r arena && mkdir /src /out /work \\
 && mv /usr/bin/clang /usr/bin/clang++ /usr/bin/llvm-symbolizer /usr/local/bin \\
 && printf '#!/bin/sh\\nexit 9\\n' >/usr/local/bin/compile && chmod 755 /usr/local/bin/compile
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LIB_FUZZING_ENGINE=/usr/lib/libFuzzingEngine.a
WORKDIR /src
CMD ["compile"]
"""


@pytest.fixture
def builder(docker: Backend, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    images, name = docker.client.images, "arena/env:test-base-builder"  # type: ignore[attr-defined]
    text = BUILDER.format(base=docker.resolve("arena/oss-fuzz"))
    images.build(
        fileobj=io.BytesIO(text.encode()), tag=name, labels=owner.labels("snapshot"), rm=True
    )
    monkeypatch.setenv("ARENA_OSS_FUZZ_BASE", name)
    yield name


@pytest.fixture
def store(tmp_path: Path) -> Path:
    source = records(tmp_path / "records", *TARGETS, targets=TARGETS)
    ids = import_cases(source, tmp_path / "cases").imported
    checkout, mirrors = recipes(tmp_path / "checkout"), mirror(tmp_path / "mirrors")
    attach(tmp_path / "cases", ids, Checkout(checkout), mirrors)
    return tmp_path / "cases"


def test_a_record_reproduces_without_a_line_by_hand(store: Path, docker: Backend) -> None:
    poc = load_pack("starter").task("brook-include").poc
    assert poc is not None
    (store / "10101/poc").write_bytes(poc)
    cache, said = MemoryCache(), list[str]()
    case = with_built_image(find(store, "10101"), docker, cache, said.append)
    assert any("no clone of https://example.org/arena/absent" in line for line in said)
    assert any("words.dict" in line or "absent/words" in line for line in said)
    found = try_case(find(store, "10101"), docker, cache, said.append)
    assert (found.state, found.builds, found.after) == ("reproduced", 2, "clean")
    assert case.spec.environment and case.spec.environment.image.startswith("arena/oss-fuzz/brook:")


def test_an_id_and_mirrors_are_enough_for_a_crash(tmp_path: Path, docker: Backend) -> None:
    source, mirrors = (
        records(tmp_path / "records", "brook-include", targets=TARGETS),
        mirror(tmp_path / "mirrors"),
    )
    recipes(mirrors / "google+oss-fuzz/repo")
    poc = load_pack("starter").task("brook-include").poc
    assert poc is not None
    clone = mirrors / "arena+brook/repo"
    (clone / "fuzz/10101").write_bytes(poc)
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "a PoC")
    sources = CaseSources(tmp_path / "cases", source, mirrors=mirrors)
    cache = MemoryCache()
    found = reproduce("10101", sources, docker, cache, lambda _: None)
    assert found.replayed is not None, found.reason
    signature = found.replayed.before.signature
    assert signature and found.replayed.stated
    assert (found.state, signature["kind"]) == ("crashes", found.replayed.stated["kind"])
    with_fix = reproduce("10101", sources, docker, cache, lambda _: None, fix_wanted=True)
    assert (with_fix.state, with_fix.to_json()["fix"]["state"]) == ("reproduced", "clean")


def test_a_second_build_compiles_what_changed_and_what_a_new_header_hides(docker: Backend) -> None:
    """Each grading builds a recipe from nothing: the snapshot has what PVIC's build compiled."""
    files = {
        "build.sh": b"for one in a b; do $CC $CFLAGS -Iold -c $one.c -o $one.o; done\n"
        b'$CC $CFLAGS a.o b.o -o "$OUT/target"\n',
        "project/a.c": b'#include <stdio.h>\n#include "said.h"\nint b(void);\n'
        b"int main(void) { puts(SAID); return b(); }\n",
        "project/b.c": b"int b(void) { return 0; }\n",
        "project/old/said.h": b'#define SAID "old"\n',
    }
    line = "cd project && compile target >/dev/null 2>&1; /out/target; ccache -s | grep -i hit"
    with sandbox(docker, docker.resolve("arena/oss-fuzz"), Limits()) as box:
        box.put(files, "/src")
        box.exec(Command("mkdir -p project/.git", "/src"))
        first = box.exec(Command(line, "/src")).output.decode()
        box.put({"said.h": b'#define SAID "new"\n'}, "/src/project")
        again = box.exec(Command(line, "/src")).output.decode()
    assert (first.split()[0], again.split()[0]) == ("old", "new")
    hits = [re.search(r"Hits:\s*(\d+)", text) for text in (first, again)]
    assert [int(found[1]) for found in hits if found] == [0, 1]


def test_what_large_files_names_find_is_known_to_memory_sanitizer(docker: Backend) -> None:
    """libxml2's makes its seeds with a program that asks whether a file is there, and was not built."""
    calls = ("stat(p, &s)", "lstat(p, &s)", "fstat(0, &s)", "fstatat(AT_FDCWD, p, &s, 0)")
    body = "".join(f"if (!{call} && s.st_size >= 0) n++; s = t;" for call in calls)
    text = (
        "#define _FILE_OFFSET_BITS 64\n#include <fcntl.h>\n#include <stdio.h>\n#include <sys/stat.h>\n"
        f'int main(int c, char **v) {{ struct stat s, t; char *p = v[0]; int n = 0; {body} printf("%d", n); }}\n'
    )
    files = {
        "build.sh": b'$CC $CFLAGS a.c -o "$OUT/target"\n',
        "project/a.c": text.encode(),
    }
    line = "cd project && SANITIZER=memory compile target >/dev/null 2>&1; /out/target </dev/null"
    with sandbox(docker, docker.resolve("arena/oss-fuzz"), Limits()) as box:
        box.put(files, "/src")
        done = box.exec(Command(line, "/src"))
    assert done.output == b"4", done.output.decode()


def test_a_report_of_a_32_bit_build_reproduces(store: Path, docker: Backend) -> None:
    poc = load_pack("starter").task("brook-include").poc
    assert poc is not None
    (store / "10101/poc").write_bytes(poc)
    case = find(store, "10101")
    where = case.spec.environment
    assert where is not None
    where = where.model_copy(update={"build": f"export ARCHITECTURE=i386; {where.build}"})
    case = replace(case, spec=case.spec.model_copy(update={"environment": where}))
    said: list[str] = []
    found = try_case(case, docker, MemoryCache(), said.append)
    assert (found.state, found.after) == ("reproduced", "clean"), found.reason


def test_a_poc_that_nobody_kept_is_found_again_by_fuzzing(store: Path, docker: Backend) -> None:
    """Seen: 210,000 executions and 29 seconds of CPU, 20 of them for a smaller input."""
    found = fuzz_case(find(store, "10102"), docker, MemoryCache(), minutes=3.0)
    assert found.is_found, found.reason
    assert found.executions > 0
    assert "text_put" in found.frames
    assert (store / "10102/poc").is_file()
    tried = try_case(find(store, "10102"), docker, MemoryCache(), lambda _: None)
    assert tried.state == "reproduced"


def test_a_poc_is_downloaded_where_that_is_asked_for(
    store: Path, docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    poc = load_pack("starter").task("brook-include").poc
    monkeypatch.setattr(campaign, "download_testcase", {"https://oss-fuzz.com/x": poc}.__getitem__)
    case = find(store, "10101")
    known = case.spec.oss_fuzz.model_copy(update={"reproducer": "https://oss-fuzz.com/x"})
    case = replace(case, spec=case.spec.model_copy(update={"oss_fuzz": known}))
    found = fuzz_case(case, docker, MemoryCache(), minutes=0.1, download=True)
    assert (found.is_found, found.origin, found.executions) == (True, campaign.REPRODUCER, 0)
    kept = find(store, "10101")
    assert kept.spec.poc and kept.spec.poc.origin.note == campaign.REPRODUCER
    assert kept.spec.environment and kept.spec.environment.recipe  # as it was


def test_a_build_that_needs_what_debian_12_has_not_is_made_on_debian_11(
    tmp_path: Path, docker: Backend
) -> None:
    """And a dependency that no mirror has is there from Debian's sources, and what the build itself downloads."""
    lines = DOCKERFILE.replace("make libz-dev", "python libz-dev")
    lines = lines.replace("arena/absent &&", "arena/hello || ").replace(
        "mv absent/words.dict $SRC/", "true"
    )
    first = (
        "python -c 'print 1'; test -f ../hello/configure\n"
        "wget http://example.org/gnu/hello-2.1.tar.gz && tar xf hello-2.1.tar.gz && test -f hello-2.1/configure\n"
    )
    build = BUILD.replace("$CC $CFLAGS -Iinc", f"{first}$CC $CFLAGS -Iinc", 1)
    source = records(tmp_path / "records", "brook-include", targets=TARGETS)
    ids = import_cases(source, tmp_path / "cases").imported
    checkout = recipes(tmp_path / "checkout", Dockerfile=lines, **{"build.sh": build})
    attach(tmp_path / "cases", ids, Checkout(checkout), mirror(tmp_path / "mirrors"))
    poc = load_pack("starter").task("brook-include").poc
    assert poc is not None
    (tmp_path / "cases/10101/poc").write_bytes(poc)
    said: list[str] = []
    found = try_case(find(tmp_path / "cases", "10101"), docker, MemoryCache(), said.append)
    assert (found.state, found.after) == ("reproduced", "clean"), found.reason
    assert any("Debian's sources of hello" in line for line in said)


def test_a_builder_of_oss_fuzz_that_is_named_is_built_on(
    store: Path, docker: Backend, builder: str
) -> None:
    poc = load_pack("starter").task("brook-include").poc
    assert poc is not None
    (store / "10101/poc").write_bytes(poc)
    cache = MemoryCache()
    case = with_built_image(find(store, "10101"), docker, cache)
    assert case.spec.environment is not None
    history = docker.client.images.get(case.spec.environment.image).history()  # type: ignore[attr-defined]
    assert any(builder in (layer["Tags"] or ()) for layer in history)
    found = try_case(find(store, "10101"), docker, cache, lambda _: None)
    assert (found.state, found.after) == ("reproduced", "clean"), found.reason
