"""`--help`: each command shows examples that parse, and the list of commands is whole."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from typer.testing import CliRunner

from arena.cli.examples import EXAMPLES
from arena.cli.main import app
from arena.cli.sections import SECTIONS
from tests.test_docs import commands_of, parse


def leaves(command: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command that is no group."""
    for name, below in command.commands.items():
        if hasattr(below, "commands"):
            yield from leaves(below, (*before, name))
        else:
            yield (*before, name)


def test_every_command_shows_an_example_that_parses() -> None:
    """Studies and imports, which tracks bring, are found when they are used and have none."""
    for words in leaves(commands_of(app)):
        lines = EXAMPLES[" ".join(words)]
        for line in lines:
            assert tuple(shlex.split(line)[1 : 1 + len(words)]) == words
            parse(shlex.split(line)[1:])


def test_the_list_of_commands_is_in_sections_and_uncut() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output
    assert all(f"\n{title}:\n" in shown for title in SECTIONS) and "\nOthers:" not in shown
    assert "..." not in shown.partition("\n")[2], "the first line is of usage"


# The last two: `tasks diffs` rewrites a pack's files, `verify` reads a file that belongs into no store.
MAX_COMMANDS = 58


def test_there_are_few_commands() -> None:
    """Those of groups singly. Studies and imports are counted by their group: tracks bring them."""
    found = [" ".join(words) for words in leaves(commands_of(app))]
    assert len(found) <= MAX_COMMANDS, sorted(found)
