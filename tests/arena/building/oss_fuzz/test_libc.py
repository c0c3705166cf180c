"""Headers of the C library of then: what old sources may say, and today's headers refuse."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.building.oss_fuzz.image import _tool_versions

LIBC = Path(__file__).parents[4] / "images/oss-fuzz/libc"
OLD = ("2.23", "2.31")
SAYS = {
    "a gettid of its own": (
        "#include <unistd.h>\nstatic pid_t gettid(void) { return 1; }\nint f(void) { return gettid(); }",
        OLD,
    ),
    "a stack of a constant size": ("#include <signal.h>\nchar stack[SIGSTKSZ];", OLD[1:]),
    "major without its header": (
        "#include <sys/types.h>\n#ifndef major\n#error major\n#endif\nint f(dev_t d) { return major(d); }",
        OLD,
    ),
    "headers that are gone": ("#include <xlocale.h>\n#include <sys/sysctl.h>\nlocale_t l;", OLD),
}


def compiles(source: str, folders: tuple[str, ...], language: str) -> bool:
    flags = [word for name in folders for word in ("-isystem", str(LIBC / name))]
    argv = ["gcc", "-w", "-D_GNU_SOURCE", *flags, "-x", language, "-c", "-o", "/dev/null", "-"]
    done = subprocess.run(argv, input=source.encode(), capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.slow
@pytest.mark.needs("gcc", "g++")
@pytest.mark.parametrize("what", SAYS)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_old_sources_compile_with_the_headers_of_then_only(what: str, language: str) -> None:
    source, folders = SAYS[what]
    assert compiles(source, folders, language)
    assert not compiles(source, (), language), "today's headers take it: the header of ours can go"


@pytest.mark.slow
@pytest.mark.needs("gcc", "g++")
def test_todays_sources_compile_as_well() -> None:
    everything = "#include <unistd.h>\n#include <signal.h>\n#include <sys/types.h>\n#include <stdlib.h>\nint x;"
    assert all(compiles(everything, OLD, language) for language in ("c", "c++"))


@pytest.mark.parametrize(("day", "version"), [((2021, 8, 25), "2.23"), ((2021, 8, 27), "2.31")])
def test_the_library_of_a_date(day: tuple[int, int, int], version: str) -> None:
    assert _tool_versions(int(datetime(*day, tzinfo=UTC).timestamp()))["LIBC_OF_THEN"] == version


@pytest.mark.parametrize("day, version", [((2020, 5, 12), "10"), ((2020, 5, 13), "12")])
def test_the_compiler_is_chosen_by_the_date(day: tuple[int, int, int], version: str) -> None:
    assert _tool_versions(int(datetime(*day, tzinfo=UTC).timestamp()))["CLANG_OF_THEN"] == version
