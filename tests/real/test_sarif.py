"""SARIF of today's scanners over small programs: what moved is old, what came is new, also where a like one went."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.grade.sast.trees import compare_sarif
from parsers.sarif import parse_sarif
from tests.real.debian import NEWEST, run_in_image, tools_image
from tests.real.releases import ROW, install, installed_version
from tests.real.toolchains import NewerDebianMissing, enter, newer_debian

pytestmark = pytest.mark.real
SCAN_TIMEOUT_S = 300
C_PARTS = {
    "head": "#include <stdlib.h>\n#include <string.h>\n\n",
    "first": "void first(int size) {\n    char *block = malloc(size);\n    free(block);\n}\n\n",
    "first, bad": "void first(int size) {\n    char *block = malloc(size);\n    free(block);\n    free(block);\n}\n\n",
    "second": "void second(int size) {\n    char *item = malloc(size);\n    free(item);\n}\n",
    "second, bad": "void second(int size) {\n    char *item = malloc(size);\n    free(item);\n    free(item);\n}\n",
}
COPY_PARTS = {
    "head": "#include <string.h>\n\n",
    "first": "void first(char *room, const char *text) {\n    room[0] = text[0];\n}\n\n",
    "first, bad": "void first(char *room, const char *text) {\n    strcpy(room, text);\n}\n\n",
    "second": "void second(char *head, const char *word) {\n    head[0] = word[0];\n}\n",
    "second, bad": "void second(char *head, const char *word) {\n    strcpy(head, word);\n}\n",
}
PYTHON_PARTS = {
    "head": "import subprocess\n\n\n",
    "first": "def first(name):\n    return name\n\n\n",
    "first, bad": "def first(name):\n    return eval(name)\n\n\n",
    "second": "def second(word):\n    return word\n",
    "second, bad": "def second(word):\n    return eval(word)\n",
}
RULES = """\
rules:
  - id: open-copy
    languages: [c]
    severity: ERROR
    message: a copy without a bound
    pattern: strcpy(...)
"""


@dataclass(frozen=True)
class Scanner:
    """A scanner: the program it scans, the file's name, and a command that writes `log.sarif`.

    package: of PyPI; "" for a program of the newer Debian. In the command {file} is the file, {bin} the
    folder of the package's programs. is_contained: the command runs in a container without a network.
    """

    parts: dict[str, str]
    file: str
    command: str
    package: str = ""
    is_contained: bool = False


SCANNERS = {
    "gcc -fanalyzer": Scanner(
        C_PARTS,
        "a.c",
        "gcc -fanalyzer -fdiagnostics-add-output=sarif:file=log.sarif -c {file} -o /dev/null",
    ),
    "clang --analyze": Scanner(
        C_PARTS, "a.c", "clang --analyze -Xclang -analyzer-output=sarif -o log.sarif {file}"
    ),
    "cppcheck": Scanner(C_PARTS, "a.c", "cppcheck --output-format=sarif {file} 2>log.sarif"),
    "flawfinder": Scanner(COPY_PARTS, "a.c", "{bin}/flawfinder --sarif {file} >log.sarif", "flawfinder"),
    "semgrep": Scanner(
        COPY_PARTS,
        "a.c",
        "{bin}/semgrep scan --metrics off --disable-version-check --no-git-ignore "
        "--config rules.yaml --sarif --output log.sarif {file}",
        "semgrep",
    ),
    # Its makers publish no package; this one is somebody else's copy of their program.
    "opengrep": Scanner(
        COPY_PARTS,
        "a.c",
        "cp {bin}/../lib/*/site-packages/tackbox_opengrep/bin/opengrep /tmp && chmod +x /tmp/opengrep && "
        "/tmp/opengrep scan --disable-version-check --no-git-ignore "
        "--config rules.yaml --sarif --output log.sarif {file}",
        "tackbox-opengrep",
        is_contained=True,
    ),
    # `parse` ends with 2 where there is a finding. Its other analyzers are those of this machine.
    "CodeChecker": Scanner(
        C_PARTS,
        "a.c",
        'export PATH={bin}:$PATH && echo "[{{\\"directory\\": \\"$PWD\\", \\"command\\": \\"gcc -c {file}\\", '
        '\\"file\\": \\"{file}\\"}}]" >commands.json && CodeChecker analyze commands.json '
        "--analyzers clangsa -o reports && CodeChecker parse reports -e sarif -o log.sarif",
        "codechecker",
    ),
    "bandit": Scanner(
        PYTHON_PARTS,
        "a.py",
        "{bin}/bandit -q -f sarif -o log.sarif {file} || true",
        "bandit[sarif]",
    ),
}  # fmt: skip


def scan(
    scanner: Scanner, root: Path, folder: str, parts: list[str], programs: str, is_absolute: bool
) -> bytes:
    """The log of a scan of these parts, in `folder` of the system at `root`."""
    place = root / folder.lstrip("/")
    place.mkdir(parents=True)
    (place / scanner.file).write_text("".join(scanner.parts.get(part, part) for part in parts))
    (place / "rules.yaml").write_text(RULES)
    file = f"{folder}/{scanner.file}" if is_absolute else scanner.file
    script = f"cd {folder} && {scanner.command.format(file=file, bin=programs)}"
    log = place / "log.sarif"
    if scanner.is_contained:
        base = Path(programs).parents[1]
        run_in_image(tools_image(NEWEST), script, [(base, str(base))], SCAN_TIMEOUT_S)
        return log.read_bytes()
    done = subprocess.run(
        enter(root, ["sh", "-c", script]),
        check=False,
        capture_output=True,
        text=True,
        timeout=SCAN_TIMEOUT_S,
    )
    assert log.exists(), done.stderr[-2000:]
    return log.read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.needs("docker", package="docker.io")] * one.is_contained
        )
        for name, one in SCANNERS.items()
    ],
)
def test_what_moved_is_old_and_what_came_is_new(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    scanner = SCANNERS[name]
    root, programs, version = Path("/"), "", ""
    if scanner.package:
        folder = install(tmp_path / "tool", scanner.package, others=["setuptools<81"])
        programs, version = (
            str(folder),
            installed_version(folder, scanner.package.partition("[")[0]),
        )
    else:
        try:
            root = newer_debian()
        except NewerDebianMissing as missing:
            pytest.skip(f"no newer Debian: {missing}")
        version = "newest of Debian"
    base = (
        str(tmp_path)
        if root == Path("/")
        else f"/tmp/arena-sarif/{tmp_path.name}-{tmp_path.parent.name}"
    )

    request.addfinalizer(lambda: shutil.rmtree(root / base.lstrip("/"), ignore_errors=True))

    def log(folder: str, *parts: str, is_absolute: bool = False) -> bytes:
        return scan(scanner, root, f"{base}/{folder}", list(parts), programs, is_absolute)

    lines = "\n" * 5
    before = log("a/project", "head", "first, bad", "second")
    assert parse_sarif(before).findings
    outcomes = {
        "lines above": count_new(before, log("b/project", "head", lines, "first, bad", "second")),
        "another root": count_new(
            before, log("c/elsewhere/project", "head", "first, bad", "second")
        ),
        "absolute path": count_new(
            before, log("d/project", lines, "head", "first, bad", "second", is_absolute=True)
        ),
        "a second comes": count_new(before, log("e/project", "head", "first, bad", "second, bad")),
        "one goes, one comes": count_new(before, log("f/project", "head", "first", "second, bad")),
        "one goes": count_new(before, log("g/project", "head", "first", "second")),
    }
    request.node.user_properties.append((ROW, f"| {name} | {version} | {outcomes} | |"))
    assert outcomes == {
        "lines above": 0,
        "another root": 0,
        "absolute path": 0,
        "a second comes": 1,
        "one goes, one comes": 1,
        "one goes": 0,
    }


def count_new(before: bytes, after: bytes) -> int:
    """How many findings of the log after are new."""
    return len(compare_sarif(before, after).findings)
