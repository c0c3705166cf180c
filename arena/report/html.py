"""The template engine of the tracks' pages. The dashboard is in `board/`."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def templates() -> Environment:
    """Templates that escape every value, and raise on a name without a value.

    They may extend `frame.html` and import the macros of `grids.html`.
    """
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
