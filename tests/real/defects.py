"""The corpus of small defects in `defects/`, built in several ways, and what each build prints at the crash."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.real.toolchains import Toolchain, enter

SOURCES = Path(__file__).with_name("defects")
# Where the sources lie in each system, and the programs beside them.
WORK = Path("tmp/arena-defects")
BUILD_TIMEOUT_S = 900
RUN_TIMEOUT_S = 20
_NAME = re.compile(r'\{"([a-z-]+)", \w+\}|strcmp\(words\[1\], "([a-z-]+)"\)')
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "detect_deadlocks=1:second_deadlock_stack=0",
}
ALWAYS = ("-w", "-fno-omit-frame-pointer", "-pthread")
CXX_ALWAYS = ("-std=gnu++17", "-fsized-deallocation")


@dataclass(frozen=True)
class Group:
    """A file of defects: the compilers' families that have its sanitizer, and their flag."""

    file: str
    flag: str
    families: tuple[str, ...] = ("gcc", "clang")

    @property
    def defects(self) -> list[str]:
        """The names of the file's defects."""
        text = (SOURCES / self.file).read_text()
        return [match[1] or match[2] for match in _NAME.finditer(text)]


GROUPS = (
    Group("heap.c", "-fsanitize=address"),
    Group("stack.c", "-fsanitize=address"),
    Group("objects.cpp", "-fsanitize=address"),
    Group("lambdas.cpp", "-fsanitize=address"),
    Group("lambdas_of_main.cpp", "-fsanitize=address"),
    Group("undefined.cpp", "-fsanitize=undefined", ("gcc", "clang", "zig")),
    Group("uninitialised.cpp", "-fsanitize=memory", ("clang",)),
    Group("threads.cpp", "-fsanitize=thread"),
)
# With line numbers, as inlined as releases are or not at all; with names only; with nothing.
WAYS = {
    "O1-g": ("-O1", "-g"),
    "O2-g": ("-O2", "-g"),
    "O0-g": ("-O0", "-g"),
    "names": ("-O1",),
    "stripped": ("-O1", "-s"),
}


@dataclass(frozen=True)
class Report:
    """What one defect printed when it was built in one way, and how it ended (-n: by signal n)."""

    defect: str
    build: str
    text: str
    status: int


def collect_reports(
    toolchain: Toolchain, ways: Iterable[str], folder: Path, groups: Sequence[Group] = GROUPS
) -> None:
    """Build every group in these ways, run every defect; one file each below `folder/COMPILER,WAY/`.

    Raises subprocess.SubprocessError where a file does not compile.
    """
    work = toolchain.root / WORK / toolchain.name
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(SOURCES, work)
    for way in ways:
        target = folder / f"{toolchain.name},{way}"
        target.mkdir(parents=True, exist_ok=True)
        for group in groups:
            if toolchain.family in group.families:
                _build(toolchain, way, group)
                _run(toolchain, group, target)
    shutil.rmtree(work)


def _build(toolchain: Toolchain, way: str, group: Group) -> None:
    inside = Path("/") / WORK / toolchain.name
    is_c = group.file.endswith(".c")
    command = [*(toolchain.c if is_c else toolchain.cxx), *ALWAYS, *(() if is_c else CXX_ALWAYS)]
    command += [group.flag, *WAYS[way], str(inside / group.file), "-o", str(inside / "program")]
    done = subprocess.run(
        enter(toolchain.root, command),
        check=False,
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT_S,
    )
    if done.returncode != 0:
        raise subprocess.SubprocessError(f"{' '.join(command)}: {done.stderr[-2000:]}")


def _run(toolchain: Toolchain, group: Group, target: Path) -> None:
    """Run all defects of a group in one shell of the system that built them."""
    inside = Path("/") / WORK / toolchain.name
    settings = [f"export {name}={value};" for name, value in OPTIONS.items()]
    script = (
        f"{' '.join(settings)} cd {inside}; ulimit -c 0; for defect in {' '.join(group.defects)}; do "
        f"timeout {RUN_TIMEOUT_S} ./program $defect >$defect.txt 2>&1 </dev/null; "
        "echo $? >$defect.status; done"
    )
    limit = RUN_TIMEOUT_S * (1 + len(group.defects))
    subprocess.run(enter(toolchain.root, ["sh", "-c", script]), check=True, timeout=limit)
    for defect in group.defects:
        for ending in ("txt", "status"):
            name = f"{defect}.{ending}"
            shutil.move(toolchain.root / WORK / toolchain.name / name, target / name)


def read_reports(folder: Path) -> list[Report]:
    """All reports below `folder`, by build and by defect."""
    return [
        Report(
            path.stem,
            path.parent.name,
            path.read_text("utf-8", "replace"),
            int(path.with_suffix(".status").read_text()),
        )
        for path in sorted(folder.glob("*/*.txt"))
    ]
