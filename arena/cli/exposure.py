"""`arena exposure`: how severe is what a model writes insecurely? Commands come from the files beside."""

from __future__ import annotations

import typer

from arena.cli import (
    exposure_agreement,
    exposure_detect,
    exposure_reformulate,
    exposure_report,
    exposure_sample,
    exposure_scores,
)

NAME = "exposure"
HELP = "Prompt Exposure and Model Exposure: severity of what a model writes."

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """How severe, how likely and how easily triggered are the weaknesses that a model writes?"""


for module in (
    exposure_sample,
    exposure_detect,
    exposure_agreement,
    exposure_scores,
    exposure_reformulate,
    exposure_report,
):
    for name, (function, help_) in module.COMMANDS.items():
        app.command(name, help=help_)(function)
