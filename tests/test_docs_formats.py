"""The documents of the task format and of parsers: each field, and the examples, which work."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from parsers import reports
from parsers.outcomes import Outcome
from parsers.registry import names
from tasks import schema
from tasks.loader import load_pack
from tasks.schema import PackSpec, TaskSpec
from tests.documents import FENCE, ROW, rows, text_of

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
        for task in pack.tasks_of_kinds()
    }
    libraries = {row[0].strip("`"): (row[2].lower(), row[4].strip("`")) for row in starter_rows(5)}
    assert libraries == {
        str(task.spec.source.repository): (task.spec.weakness.language, task.spec.tests.parser)
        for task in pack.tasks_of_kinds()
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
