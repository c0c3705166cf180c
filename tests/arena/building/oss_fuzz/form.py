"""A checkout in OSS-Fuzz's form, a mirror and records in ARVO's, all of the starter pack's library brook."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tasks.history import materialise
from tasks.loader import load_pack

DOCKERFILE = """\
# A recipe of our own.
FROM gcr.io/oss-fuzz-base/base-builder
RUN apt-get update && apt-get install -y \\
    make libz-dev zlib1g-dev:i386
RUN git clone --depth 1 https://example.org/arena/brook.git brook
RUN git clone https://example.org/arena/absent && mv absent/words.dict $SRC/
WORKDIR $SRC/brook
COPY build.sh *.options $SRC/
"""
BUILD = """\
#!/bin/bash -eu
$CC $CFLAGS -Iinclude -Isrc -c src/*.c
ar rcs libbrook.a *.o
[ $ARCHITECTURE = i386 ] && stdlib="" || stdlib=-stdlib=libc++
for target in fuzz_load fuzz_parse; do
  $CC $CFLAGS -Iinclude -c fuzz/$target.c -o $WORK/$target.o
  $CXX $CXXFLAGS $stdlib $WORK/$target.o libbrook.a $LIB_FUZZING_ENGINE -o $OUT/$target
done
cp $SRC/*.options $OUT/
"""
FOLDER: Mapping[str, str] = {
    "Dockerfile": DOCKERFILE,
    "build.sh": BUILD,
    "project.yaml": "language: c\n",
    "fuzz_load.options": "[libfuzzer]\nmax_len = 200\n",
}
# 2020 and 2022: the fixes of brook lie between.
EARLY, LATE = 1_577_836_800, 1_640_995_200


def git(repository: Path, *args: str, date: int = EARLY) -> str:
    who = {
        f"GIT_{role}_{what}": text
        for role in ("AUTHOR", "COMMITTER")
        for what, text in (("NAME", "a"), ("EMAIL", "a@localhost"), ("DATE", f"@{date} +0000"))
    }
    asked = ["git", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", *args]
    done = subprocess.run(
        asked, cwd=repository, env={**os.environ, **who}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def checkout(place: Path, versions: Mapping[int, Mapping[str, str]]) -> Path:
    """A checkout with a commit for each date; `versions`: date -> path -> content."""
    place.mkdir(parents=True)
    git(place, "init", "-q")
    for date, files in sorted(versions.items()):
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(content)
        git(place, "add", "-A", date=date)
        git(place, "commit", "-qm", "recipes", date=date)
    return place


def recipes(place: Path, **changed: str) -> Path:
    """A checkout whose brook is right in 2020 and cannot be built by 2022's recipe."""
    first = {f"projects/brook/{name}": text for name, text in {**FOLDER, **changed}.items()}
    later = {"projects/brook/build.sh": "exit 9\n"}
    return checkout(place, {EARLY: first, LATE: later})


def mirror(place: Path) -> Path:
    """A folder of mirrors with brook's whole history in it."""
    history = load_pack("starter").task("brook-include").history
    assert history is not None
    materialise(history, place / "arena+brook/repo")
    return place


def records(place: Path, *tasks: str, targets: Mapping[str, str]) -> Path:
    """ARVO's records of tasks of the starter pack, by number from 10101."""
    place.mkdir(parents=True)
    for number, name in enumerate(tasks, start=10101):
        spec = load_pack("starter").task(name).spec
        record = {
            "localId": number,
            "project": "brook",
            "fix_commit": spec.source.vfc,
            "repo_addr": "https://example.org/arena/brook.git",
            "sanitizer": {"address": "asan", "undefined": "ubsan"}[spec.poc.sanitizer],
            "crash_type": f"{spec.poc.signature.kind.capitalize()} {spec.poc.signature.access.upper()} 1",
            "fuzz_target": targets[name],
            "fuzzer": "libfuzzer",
        }
        (place / f"{number}.json").write_text(json.dumps(record))
    return place
