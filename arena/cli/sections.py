"""The list of commands in `arena --help`: in sections, each with the whole of its short help."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from arena.cli.common import MISTAKE, UNMET, print_err

SECTIONS = {
    "Start here": ("demo", "doctor"),
    "Make and grade attempts": ("run", "grade", "redteam", "sweep", "replay", "agents", "gateway"),
    "Read results": ("runs", "attempts", "show", "report", "compare", "audit", "serve"),
    "Move results": ("export", "import", "verify", "clean"),
    "Cases and tasks": ("cases", "tasks", "catalogue", "study"),
    "Your own project": ("gate",),
    "Single steps": ("szz", "parse", "sast"),
}


CLICK_EXCEPTION: Any = typer.BadParameter.__mro__[2]
"""What a wrong option raises; typer has it of click, or in a copy of click, and exports neither."""
PROGRAM = "arena"
NO_ARGUMENTS = "NoArgsIsHelpError"
"""typer's name of what a group without a command raises: its message is the whole help."""


class Sections(TyperGroup):
    """A group whose commands stand in the sections above; those of no section come last.

    A wrong option is a single line, as all mistakes are, and not click's four with the usage.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **more: Any,
    ) -> Any:
        arguments = {
            "args": args,
            "prog_name": prog_name or PROGRAM,
            "complete_var": complete_var,
            **more,
        }
        arguments["windows_expand_args"] = windows_expand_args
        if not standalone_mode:
            return super().main(standalone_mode=False, **arguments)
        try:
            code = super().main(standalone_mode=False, **arguments)
        except typer.Abort:
            print_err("arena: aborted")
            sys.exit(UNMET)
        except CLICK_EXCEPTION as error:
            if type(error).__name__ == NO_ARGUMENTS:
                error.show()
            else:
                print_err(f"arena: {_usage_mistake(error)}")
            sys.exit(MISTAKE)
        # Outside of standalone mode click returns what the command did, mostly None.
        sys.exit(code if isinstance(code, int) else 0)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        left = dict.fromkeys(self.list_commands(ctx))
        for title, names in (*SECTIONS.items(), ("Others", tuple(left))):
            rows = [(name, self._short(ctx, name)) for name in names if name in left]
            for name, _ in rows:
                del left[name]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _short(self, ctx: Any, name: str) -> str:
        """The first sentence of a command's help, however long."""
        command = self.get_command(ctx, name)
        text = (command.help or "").partition("\n\n")[0] if command else ""
        return " ".join(text.split())


def _usage_mistake(error: Any) -> str:
    """The mistake in an option or argument, and where its help is."""
    text = error.format_message().rstrip(".")
    if error.ctx is None:
        return str(text)
    return f"{text[:1].lower()}{text[1:]}; see: {error.ctx.command_path} --help"
