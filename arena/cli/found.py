"""Groups of commands that tracks bring: a file of `arena/tracks/<track>/<folder>/` is a command.

A file has `HELP` and a function `command`. Its name is the command's, with `-` for `_`. Names that begin with
`_` are parts of others.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import typer
from typer.core import TyperGroup

from arena.vocabulary import find_track_package, tracks
from parsers.registry import directory


def modules(folder: str) -> dict[str, str]:
    """Command -> the module that has it, over all tracks, sorted by command."""
    command_modules = {}
    for track in tracks():
        home = find_track_package(track)
        package, place = f"{home}.{folder}", directory(home) / folder
        for module in pkgutil.iter_modules([str(place)]):
            if not module.name.startswith("_"):
                command_modules[module.name.replace("_", "-")] = f"{package}.{module.name}"
    return dict(sorted(command_modules.items()))


def group(folder: str, help_: str) -> typer.Typer:
    """The commands of all tracks in folders of this name; a command is imported when it is used."""

    class FoundCommands(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(modules(folder))

        def get_command(self, ctx: Any, name: str) -> Any:
            module = modules(folder).get(name)
            if module is None:
                return None
            # Only the command that is used: a track's imports take seconds.
            loaded = importlib.import_module(module)
            app = typer.Typer(
                rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False
            )
            short = loaded.HELP.partition("\n\n")[0]
            app.command(name, help=loaded.HELP, short_help=short)(loaded.command)
            return typer.main.get_command(app)

    app = typer.Typer(cls=FoundCommands, no_args_is_help=True, help=help_)

    @app.callback()
    def start() -> None: ...

    return app
