"""The list of commands in `arena --help`: in sections, each with the whole of its short help."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

SECTIONS = {
    "Start here": ("demo", "doctor"),
    "Make and grade attempts": ("run", "grade", "redteam", "sweep", "replay", "agents", "gateway"),
    "Read results": ("runs", "attempts", "show", "report", "compare", "audit", "serve"),
    "Move results": ("export", "import", "verify", "clean"),
    "Cases and tasks": ("cases", "tasks", "catalogue", "study"),
    "Your own project": ("gate",),
    "Single steps": ("szz", "parse", "sast"),
}


class Sections(TyperGroup):
    """A group whose commands stand in the sections above; others come last."""

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
