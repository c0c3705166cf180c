"""The documents are true: links, commands, fields, variables, evidence and the code that they show."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from pydantic import BaseModel

from arena.cli.main import app
from harness.command import ExecResult
from harness.grade.building import CAUSE_OF, summary
from harness.grade.decide import LABEL, Cause
from harness.grade.ports import MemoryCache
from harness.grade.sast.evidence import NotScanned, SastEvidence
from harness.grade.testing import SuiteRun, judge
from harness.grade.verdict import EVIDENCE, MEANING, Health, Label
from parsers import reports
from parsers.outcomes import Level, Outcome, TestReport
from parsers.registry import names
from tasks import schema
from tasks.loader import load_pack
from tasks.schema import PackSpec, TaskSpec

ROOT = Path(__file__).parent.parent
ROOMS = ("arena", "harness", "images", "parsers", "scripts", "szz", "tasks", "tests")
DOCS = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *(p for r in ("docs", *ROOMS) for p in (ROOT / r).rglob("*.md")),
    )
    if "packs" not in path.parts or path.name == "README.md"
)
GIVEN_BY = {"./scripts/demo": ["demo"], "arena": [], ".venv/bin/arena": []}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^ {4}(\S.*)$", re.MULTILINE)
ROW = re.compile(r"^\| (.+?) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
VARIABLE = re.compile(r"\bARENA_[A-Z_]+\b")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def prose(text: str) -> str:
    return FENCE.sub("", text)


def rows(name: str) -> Iterator[list[str]]:
    """Cells of the table rows of a document."""
    for match in ROW.finditer(prose(text_of(name))):
        yield [cell.strip() for cell in match[1].split(" | ")]


# links and paths


def anchors(path: Path) -> set[str]:
    """What a heading can be linked by, as GitHub makes it."""
    headings = re.findall(r"^#+ (.+)$", prose(path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_relative_links_lead_somewhere(path: Path) -> None:
    for link in LINK.findall(prose(path.read_text("utf-8"))):
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        found = (path.parent / target).resolve() if target else path
        assert found.exists(), link
        assert found.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(found), link


@pytest.mark.parametrize("path", [p for p in DOCS if p.parent.name in ROOMS], ids=name_of)
def test_files_that_a_room_lists_are_there(path: Path) -> None:
    """Also those in the other cells, which may be relative to the folder in the first."""
    for row in rows(name_of(path)):
        folders = [path.parent / token for token in CODE.findall(row[0])]
        for token in CODE.findall(" ".join(row)):
            if token.endswith((".py", ".html", "/", "Dockerfile")):
                places = [path.parent, ROOT, *folders]
                assert any((base / token).exists() for base in places), token


def test_scripts_are_all_listed() -> None:
    listed = {row[0].strip("`/") for row in rows("scripts/README.md")}
    assert {p.name for p in (ROOT / "scripts").iterdir()} - {"README.md", "__pycache__"} <= listed


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_no_place_of_one_machine_is_named(path: Path) -> None:
    found = re.findall(
        r"/(?:home|root|work|Users)/\w+|https?://\S*(?:pypi|mirror)\S*", path.read_text()
    )
    assert not found


# commands


def lines_of(text: str) -> Iterator[str]:
    blocks = [body for language, body in FENCE.findall(text) if language in ("", "sh")]
    for line in (
        *(line for block in blocks for line in block.splitlines()),
        *INDENTED.findall(text),
    ):
        yield line.removeprefix("$ ")


def commands(path: Path) -> Iterator[tuple[str, list[str]]]:
    """(line, arguments for `arena`) of every command line of ours in a document."""
    for line in lines_of(path.read_text("utf-8")):
        words = shlex.split(line, comments=True) if line.count("'") % 2 == 0 else line.split()
        while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
            words = words[1:]
        if words and words[0] in GIVEN_BY:
            yield line, [*GIVEN_BY[words[0]], *words[1:]]


@cache
def commands_of(app: typer.Typer) -> Any:
    """The tree of commands, which takes a quarter of a second to make."""
    return typer.main.get_command(app)


def parse(args: list[str]) -> str:
    """Parse a command line as `arena` does, without running it; returns the command's name."""
    command, context = commands_of(app), None
    while hasattr(command, "commands"):
        context = command.make_context(command.name, [], parent=context, resilient_parsing=True)
        found = command.get_command(context, args[0]) if args else None
        assert found is not None, f"no command {args[:1]}"
        command, args = found, args[1:]
    return str(command.make_context(command.name, list(args), parent=context).info_name)


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_commands_parse(path: Path) -> None:
    for line, args in commands(path):
        try:
            parse(args)
        except Exception as fault:
            raise AssertionError(line) from fault


@pytest.mark.parametrize("args", [["show"], ["nothing"], ["clean", "--al"]])
def test_a_wrong_command_would_be_noticed(args: list[str]) -> None:
    with pytest.raises(Exception, match=r"(?i)missing parameter|no command|no such option"):
        parse(args)


def test_every_command_is_shown_by_the_readme_or_by_what_it_links_to() -> None:
    readme = ROOT / "README.md"
    links = LINK.findall(prose(text_of("README.md")))
    linked = [ROOT / to.partition("#")[0] for to in links if to.startswith("docs/")]
    shown = {tuple(args[:2]) for path in (readme, *linked) for _, args in commands(path)}
    for name, command in commands_of(app).commands.items():
        assert any(args[0] == name for args in shown if args), name
        for below in getattr(command, "commands", {}):
            assert (name, below) in shown


def test_the_tour_is_short_and_tells_time_and_cost() -> None:
    tour = text_of("README.md").partition("\n## A tour\n")[2].partition("\n## ")[0]
    lines = [line for _, block in FENCE.findall(tour) for line in block.splitlines()]
    assert 10 <= len(lines) <= 15
    assert all("# " in line for line in lines)


def test_the_readme_is_short() -> None:
    assert text_of("README.md").count("\n") < 160


# variables


@cache
def used_variables() -> set[str]:
    files = [p for room in ROOMS for p in (ROOT / room).rglob("*") if p.is_file()]
    code = [p for p in files if p.suffix in (".py", "") and "packs" not in p.parts]
    here = Path(__file__)
    found = {
        v for p in code if p != here for v in VARIABLE.findall(p.read_text("utf-8", "replace"))
    }
    return found | set(VARIABLE.findall(text_of(".ci/run")))


@pytest.mark.slow
def test_variables_are_those_that_are_used() -> None:
    listed = {VARIABLE.fullmatch(row[0].strip("`")) for row in rows("docs/sandbox.md")}
    assert {match[0] for match in listed if match} == used_variables()
    for path in DOCS:
        assert set(VARIABLE.findall(path.read_text("utf-8"))) <= used_variables(), path


# labels and evidence


def string_constants(*files: str) -> set[str]:
    nodes = (node for file in files for node in ast.walk(ast.parse(text_of(file))))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def documented(part: str) -> set[str]:
    """Keys of one part of the evidence in the table of docs/labels.md."""
    cells = (row[0] for row in rows("docs/labels.md"))
    found = (
        re.fullmatch(rf"{part}\.(\w+)", token) for cell in cells for token in CODE.findall(cell)
    )
    return {match[1] for match in found if match}


def test_labels_are_all_explained_in_their_order() -> None:
    text = text_of("docs/labels.md")
    table = [row for row in rows("docs/labels.md") if row[0].strip("`") in set(Label)]
    assert [(row[0], row[1]) for row in table] == [
        (f"`{label}`", MEANING[label]) for label in Label
    ]
    causes = {row[0].strip("`"): CODE.findall(row[2]) for row in table}
    assert causes == {
        str(label): [str(cause) for cause in Cause if LABEL[cause] is label] for label in Label
    }
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == [str(label) for label in Label]


def test_health_is_all_explained() -> None:
    text = text_of("docs/labels.md").partition("## Health")[2]
    assert set(Health) <= set(CODE.findall(text))


def test_builds_fail_as_documented() -> None:
    labels = {step: LABEL[cause] for step, cause in CAUSE_OF.items()}
    assert labels == {"build": Label.CE, "tests": Label.IC, "poc": Label.CE}


def test_every_part_of_the_evidence_is_documented() -> None:
    cells = [token for row in rows("docs/labels.md") for token in CODE.findall(row[0])]
    parts = {match[1] for match in (re.fullmatch(r"(\w+)\.\w+", token) for token in cells) if match}
    assert parts == set(EVIDENCE)


DONE = ExecResult(0, b"", 0.0)
RUN = SuiteRun(DONE, TestReport({"a": Outcome.PASSED}, Level.CASES, True, ()), {})
GOLD = {"outcomes": {"a": "passed"}, "unstable": [], "complete": True, "status": 0}


def test_evidence_of_commands_is_documented() -> None:
    command = {*summary(DONE, MemoryCache()), "tail"}
    assert documented("build") == command
    counts = set(judge(GOLD, RUN, ("a",))[1])
    report = {"reports", "filter", "problems", "complete"}
    assert documented("tests") == command | counts | report
    assert documented("poc") == command | {"report", "via", "crash", "historical"}
    assert report <= string_constants("harness/grade/testing.py")
    files = (
        "harness/grade/attack.py",
        "harness/grade/steps/target.py",
        "harness/grade/building.py",
    )
    assert documented("poc") - set(summary(DONE, MemoryCache())) <= string_constants(*files)


def test_evidence_of_applying_is_documented() -> None:
    known = string_constants(
        "harness/grade/steps/build.py", "harness/grade/grader.py", "harness/grade/candidate.py"
    )
    assert documented("apply") == {
        *("bytes", "line_endings", "files", "left_out", "problems", "reason")
    }
    assert documented("oracle") == {"touched"}
    assert documented("apply") | documented("oracle") <= known


def test_evidence_of_sast_is_documented() -> None:
    unseen = NotScanned("a.c", (1,), "", before=False)
    found = SastEvidence((), (unseen,), (), (), (), "", 0, 0.0).to_json()
    assert documented("sast") == set(found)


# the task format


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        shown = prefix + (field.alias or name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields(field.annotation, f"{shown}.")
        else:
            yield shown, field


@pytest.mark.parametrize(
    ("title", "model"), [("## pack.toml", PackSpec), ("## task.toml", TaskSpec)]
)
def test_every_field_of_a_task_is_explained(title: str, model: type[BaseModel]) -> None:
    section = text_of("docs/writing-a-task.md").partition(f"\n{title}\n")[2].partition("\n## ")[0]
    table = {row[0].strip("`"): row for row in (m[1].split(" | ") for m in ROW.finditer(section))}
    known = dict(fields(model))
    assert set(table) - {"field"} - {row for row in table if row.startswith("---")} == set(known)
    for name, field in known.items():
        if isinstance(field.default, str | int | float):
            default = field.default
            shown = f'"{default}"' if isinstance(default, str) else str(default)
            shown = shown.lower() if isinstance(default, bool) else shown
            assert shown in table[name][1], (name, shown)


def test_the_task_of_the_documents_is_valid() -> None:
    blocks = FENCE.findall(text_of("docs/writing-a-task.md"))
    shown = [tomllib.loads(body) for language, body in blocks if language == "toml"]
    assert any("schema" in tables for tables in shown)
    for tables in shown:
        if "schema" in tables:
            TaskSpec.model_validate(tables)
        assert schema.Tests.model_validate(tables["tests"]).parser in names("parsers.reports")


def test_the_filter_of_the_documents_makes_tap() -> None:
    """Of a whole run, and not of one that ended before its closing line."""
    blocks = FENCE.findall(text_of("docs/writing-a-task.md"))
    filters = re.findall(r'filter = """(.*?)"""', "\n".join(body for _, body in blocks), re.DOTALL)
    for printed, complete in (("PASS: a\nFAIL: b\n2 checks\n", True), ("PASS: a\n", False)):
        argv = ["sh", "-c", *filters]
        done = subprocess.run(argv, input=printed.encode(), capture_output=True, check=True)
        report = reports.parse("tap", {"output": done.stdout})
        assert report.outcomes["a"] is Outcome.PASSED
        assert report.outcomes.get("b", Outcome.FAILED) is Outcome.FAILED
        assert report.complete is complete


@pytest.mark.slow
def test_the_starter_pack_is_listed_as_it_is() -> None:
    listed = {row[0].strip("`"): [c.strip("`") for c in row[1:]] for row in starter_rows(4)}
    pack = load_pack("starter")
    assert listed == {
        task.id: [
            ", ".join(task.spec.weakness.cwe),
            task.spec.poc.signature.kind,
            task.spec.poc.sanitizer,
        ]
        for task in pack.of()
    }
    libraries = {row[0].strip("`"): (row[2].lower(), row[4].strip("`")) for row in starter_rows(5)}
    assert libraries == {
        str(task.spec.source.repository): (task.spec.weakness.language, task.spec.tests.parser)
        for task in pack.of()
    }


def starter_rows(cells: int) -> list[list[str]]:
    found = [row for row in rows("tasks/packs/starter/README.md") if len(row) == cells]
    return [row for row in found if row[0].startswith("`")]


# the parser of the documents


@pytest.fixture
def minitest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The worked example as a module; its name for `reports.parse`."""
    blocks = FENCE.findall(text_of("docs/writing-a-parser.md"))
    (code,) = [body for language, body in blocks if language == "python"]
    (tmp_path / "minitest.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    return "minitest:PLUGIN"


def test_the_worked_parser_keeps_what_it_states(minitest: str) -> None:
    from parsers.registry import lookup

    plugin = lookup("parsers.reports", minitest)
    assert {Outcome.PASSED, Outcome.FAILED, plugin.crash} <= {
        outcome for example in plugin.examples for outcome in example.outcomes.values()
    }
    for example in plugin.examples:
        report = reports.parse(minitest, {"log": example.text.encode()}, example.status)
        assert report.outcomes == example.outcomes
        assert report.complete is example.complete
        assert plugin.detect(example.text)
        for end in range(len(example.text)):
            cut = reports.parse(minitest, {"log": example.text[:end].encode()}, example.status)
            assert cut.outcomes.items() <= report.outcomes.items()
            assert not cut.complete
    for text in ("", "\n", "hello\n", "START 1\nPASS a\nEND 1\nSTART 1\nPASS b\nEND 1\n"):
        assert not reports.parse(minitest, {"log": text.encode()}, 0).complete


def test_the_parser_page_names_every_field() -> None:
    described = {row[0].strip("`") for row in rows("docs/writing-a-parser.md")}
    assert set(reports.Format.__dataclass_fields__) <= described
