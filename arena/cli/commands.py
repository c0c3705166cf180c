"""Commands by name, each imported when it is used: importing all takes longer than many of them run."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import typer
import typer.main

from arena.cli import examples, found
from arena.cli.sections import SECTIONS, Sections

# Python has a word of its own of that name.
MODULES = {"import": "import_"}
STUDIES, IMPORTS = "study", "Convert other benchmarks into packs."


def _add_to_tasks(group: typer.Typer) -> None:
    from arena.cli import build, confirm, describe, task_shell

    group.add_typer(found.group("imports", IMPORTS), name="import")
    group.command("confirm", help=confirm.HELP)(confirm.confirm)
    group.command("shell", help=task_shell.HELP)(task_shell.command)
    group.command("build", help=build.HELP)(build.build)
    group.command("describe", help=describe.HELP)(describe.describe)


def _add_to_agents(group: typer.Typer) -> None:
    from arena.cli import agent_try

    group.command("try", help=agent_try.HELP)(agent_try.try_)


def _add_to_cases(group: typer.Typer) -> None:
    from arena.cli import case_clone, case_reproduce, case_work

    group.command("try", help=case_work.HELP_OF_TRY)(case_work.try_)
    group.command("fuzz", help=case_work.HELP_OF_FUZZ)(case_work.fuzz)
    group.command("reproduce", help=case_reproduce.HELP)(case_reproduce.reproduce)
    group.command("clone", help=case_clone.HELP)(case_clone.clone)
    group.command("log", help=case_work.HELP_OF_LOG)(case_work.log)
    group.command("shell", help=case_work.HELP_OF_SHELL)(case_work.shell)


# Commands of a group that other modules have; those modules import the group's own.
PARTS: Mapping[str, Callable[[typer.Typer], None]] = {
    "tasks": _add_to_tasks,
    "agents": _add_to_agents,
    "cases": _add_to_cases,
}


@cache
def load_command(name: str) -> Any:
    """The click command of a name in the sections, a group with its parts. Imports its module."""
    short_help = next(commands[name] for commands in SECTIONS.values() if name in commands)
    plain = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    if name == STUDIES:
        plain.add_typer(found.group("studies", short_help), name=name)
    else:
        module = importlib.import_module(f"arena.cli.{MODULES.get(name, name)}")
        help_ = f"{short_help}\n\n{getattr(module, 'DETAILS', '').lstrip()}"
        if hasattr(module, "app"):
            if name in PARTS:
                PARTS[name](module.app)
            plain.add_typer(module.app, name=name, help=help_)
        else:
            plain.command(name, help=help_)(module.command)
    examples.add_examples(plain)
    command: Any = typer.main.get_command(plain)
    return getattr(command, "commands", {}).get(name, command)


class LazyCommands(Mapping[str, Any]):
    """The commands of a group by name, each built by `load`, from its name, at its first use."""

    def __init__(self, names: Iterable[str], load: Callable[[str], Any]) -> None:
        self._names, self._load = tuple(names), load

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class AllCommands(Sections):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        names = [name for commands in SECTIONS.values() for name in commands]
        self.commands: Any = LazyCommands(names, load_command)
