"""Two directories, two logs, and a history: scanning touched files is as good as scanning them all."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from harness.grade.sast import compare_sarif, compare_trees, load_scanner
from harness.grade.sast.diff import new_findings
from harness.grade.sast.scanner import ScanOutput
from harness.grade.sast.trees import find_renames
from parsers.sarif import Finding, SarifError

pytestmark = pytest.mark.slow

COPY = "void {name}(char *d, const char *s)\n{{\n    strcpy(d, s);\n}}\n"
PRINT = 'void {name}(char *d, const char *s)\n{{\n    sprintf(d, "%s", s);\n}}\n'
SAFE = 'void {name}(char *d, size_t n, const char *s)\n{{\n    snprintf(d, n, "%s", s);\n}}\n'


def functions(**named: str) -> str:
    return "#include <string.h>\n" + "".join(text.format(name=name) for name, text in named.items())


STATES: list[dict[str, str]] = [
    {"src/a.c": functions(a=COPY, b=SAFE), "src/b.c": functions(c=PRINT), "x.h": "int x;\n"},
    # a new finding beside old ones; another file untouched, with a finding
    {"src/a.c": functions(a=COPY, b=SAFE, d=PRINT), "src/b.c": functions(c=PRINT), "x.h": "int x;\n"},
    # moved within the file
    {"src/a.c": functions(d=PRINT, b=SAFE, a=COPY), "src/b.c": functions(c=PRINT), "x.h": "int x;\n"},
    # renamed, and one more of the same
    {"lib/a.c": functions(d=PRINT, b=SAFE, a=COPY, e=COPY), "src/b.c": functions(c=PRINT), "x.h": "int x;\n"},
    # re-indented and commented; a finding moves to another file
    {
        "lib/a.c": functions(d=PRINT, b=SAFE, a=COPY).replace("    s", "\ts").replace(");", "); // ok"),
        "src/b.c": functions(c=PRINT, e=COPY),
        "x.h": "int x;\n",
    },
    # fixed here, brought in there; a file goes, a file comes
    {"lib/a.c": functions(d=SAFE, b=SAFE, a=COPY), "src/n.cpp": functions(k=COPY), "x.h": functions(i=PRINT)},
    # copied, with what it has
    {"lib/a.c": functions(d=SAFE, b=SAFE, a=COPY), "src/n.cpp": functions(k=COPY), "x.h": functions(i=PRINT), "src/m.cpp": functions(k=COPY)},
]  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        **{
            f"GIT_{who}_{what}": "x@y"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    return subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A checkout of each commit of a repository with these states."""
    repository = tmp_path_factory.mktemp("history") / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    checkouts = []
    for number, state in enumerate(STATES):
        for old in git(repository, "ls-files").splitlines():
            (repository / old).unlink()
        for path, text in state.items():
            (repository / path).parent.mkdir(exist_ok=True)
            (repository / path).write_text(text)
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", str(number))
        checkout = repository.parent / "all" / str(number)
        checkout.parent.mkdir(exist_ok=True)
        git(repository, "clone", "-q", ".", str(checkout))
        checkouts.append(checkout)
    return checkouts


@pytest.fixture(scope="module")
def whole(history: list[Path], tmp_path_factory: pytest.TempPathFactory) -> ScanOutput:
    """Every file of every commit, in one plain scan."""
    return load_scanner("builtin").scan(history[0].parent)


def findings_of(whole: ScanOutput, number: int) -> list[Finding]:
    prefix = f"{number}/"
    return [
        Finding(f.rule, f.path.removeprefix(prefix), f.line, f.end_line, f.code, f.message, f.severity)
        for f in whole.findings
        if f.path.startswith(prefix)
    ]  # fmt: skip


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, len(STATES)))
def test_touched_files_give_the_same_new_findings_as_whole_repositories(
    history: list[Path], whole: ScanOutput, number: int
) -> None:
    names = git(history[number], "diff", "-M", "--name-status", "HEAD~1", "HEAD").splitlines()
    renames = {p[1]: p[2] for line in names if (p := line.split("\t"))[0].startswith("R")}
    expected = new_findings(findings_of(whole, number - 1), findings_of(whole, number), renames)
    evidence = compare_trees(history[number - 1], history[number], load_scanner("builtin"))
    keys = [Counter((f.rule, f.path, f.code) for f in fs) for fs in (expected, evidence.findings)]
    assert keys[0] == keys[1]
    assert evidence.not_scanned == ()


@pytest.mark.slow
def test_the_history_has_what_it_is_for(whole: ScanOutput) -> None:
    counts = [len(findings_of(whole, number)) for number in range(len(STATES))]
    assert all(counts)
    news = [
        len(new_findings(findings_of(whole, n - 1), findings_of(whole, n), {}))
        for n in range(1, len(STATES))
    ]
    assert news[1] == 0
    assert sum(map(bool, news)) >= 4


def test_equal_trees_are_not_scanned(history: list[Path]) -> None:
    evidence = compare_trees(history[0], history[0], load_scanner("builtin"))
    assert (evidence.scanned, evidence.findings) == ((), ())


def test_links_and_version_control_are_left_out(tmp_path: Path) -> None:
    for side in ("a", "b"):
        (tmp_path / side / ".git").mkdir(parents=True)
        (tmp_path / side / ".git" / f"{side}.c").write_text(functions(x=COPY))
    (tmp_path / "b" / "link.c").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "b" / "pipe.c")
    evidence = compare_trees(tmp_path / "a", tmp_path / "b", load_scanner("builtin"))
    assert evidence.scanned == ()


def test_renames_are_found_whatever_the_names_are() -> None:
    text = "".join(f"int line{n};\n" for n in range(30)).encode()
    gone = {"a b.c": text, "x\n.c": text.replace(b"int", b"long"), ".gitattributes": b"* binary\n"}
    come = {
        "new/-o.c": text + b"int y;\n",
        "\udcff.c": text.replace(b"int", b"long"),
        "other": b"z",
    }
    assert find_renames(gone, come) == {"a b.c": "new/-o.c", "x\n.c": "\udcff.c"}
    assert find_renames({}, come) == {}


def log(*findings: tuple[str, int, str]) -> bytes:
    results = [
        {
            "ruleId": "copy",
            "message": {"text": "m"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": path},
                        "region": {"startLine": line, "snippet": {"text": code}},
                    }
                }
            ],
        }
        for path, line, code in findings
    ]
    tool = {"driver": {"name": "t"}}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": tool, "results": results}]}).encode()


def test_two_logs_are_compared_like_two_trees() -> None:
    before = log(("a.c", 1, "strcpy(a, b)"), ("b.c", 1, "gets(x)"))
    after = log(("a.c", 9, "strcpy(a,b)"), ("a.c", 20, "strcpy(a,b)"), ("c.c", 1, "gets(x)"))
    evidence = compare_sarif(before, after)
    assert [(f.path, f.line) for f in evidence.findings] == [("a.c", 20), ("c.c", 1)]
    assert evidence.tool == "t"
    assert compare_sarif(after, after).findings == ()
    with pytest.raises(SarifError):
        compare_sarif(before, b"nothing")
