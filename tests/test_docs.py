"""The documents are true: links, paths, commands and variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from arena.cli.main import app
from tests.documents import CODE, DOCS, FENCE, LINK, ROOMS, ROOT, name_of, prose, rows, text_of

GIVEN_BY = {"./scripts/demo": ["demo"], "arena": [], ".venv/bin/arena": []}
INDENTED = re.compile(r"^ {4}(\S.*)$", re.MULTILINE)
VARIABLE = re.compile(r"\bARENA_[A-Z_]+\b")


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
