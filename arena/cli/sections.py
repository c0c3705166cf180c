"""The list of commands in `arena --help`: in sections, each with the whole of its short help."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from arena.cli.common import MISTAKE, UNMET, print_err

# The short helps are here, and not in the modules of the commands: the list of all imports none of those.
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Start here": {
        "demo": "Show all six labels: run the calibration agents on one task of the starter pack, or all.",
        "doctor": "Check the machine and the installation: what is there, what is missing, how to get it.",
    },
    "Make and grade attempts": {
        "run": "Run agents or models on the tasks of a pack, grade the results, and store them.",
        "grade": "Grade answers from elsewhere against a pack, and store them as a run.",
        "redteam": "Grade a pack's hostile patches, and count by class how many get the full reward.",
        "sweep": (
            "Run agents x models x prompts x tasks x replicates within a budget, on one "
            "machine or many."
        ),
        "replay": "Repeat an attempt from its record, offline and free, and compare the patches.",
        "agents": "List agents; install, check and remove the toolboxes of real ones.",
        "gateway": "Serve a model on loopback, metered and capped, in three API dialects.",
    },
    "Read results": {
        "runs": "List the runs of a store, the newest first: pack, date, labels.",
        "attempts": "List the attempts of a run: label, how the agent ended, usage.",
        "show": "Show one attempt: label, reason and evidence; --print prints its patch or a log.",
        "report": "Report a run: tables, --json, --csv, --md, --html PATH, or --paper FOLDER.",
        "compare": "Compare two agents, models or prompts of a run, or two runs, pairwise on the same tasks.",
        "audit": "Search attempts for signs of cheating: git history, the oracle, the network, tampering.",
        "serve": "Serve the dashboard and its API; it is live while sweeps run.",
    },
    "Move results": {
        "export": (
            "Export a run: predictions, inspect, harbor, parquet, csv, jsonl, html, paper, "
            "atif, otlp or run."
        ),
        "import": "Import a run, or the results of another program.",
        "verify": (
            "Check that a run's file is what its statement and signature say, and make drawn "
            "results again."
        ),
        "clean": "Remove containers and scratch files of dead runs; --all: all our containers and images.",
    },
    "Cases and tasks": {
        "cases": "Import, list and show known vulnerabilities (ARVO, OSS-Fuzz, your own).",
        "tasks": "List, show and check the tasks of a pack.",
        "catalogue": "List real tasks of the catalogue; make them from your own clones, add your own.",
        "study": "Studies from the papers of the tracks.",
    },
    "Your own project": {
        "gate": (
            "Decide whether a change to your own project is safe: build, tests, PoC corpus, "
            "static analysis."
        ),
    },
    "Single steps": {
        "szz": "Find the commits that may have introduced what a fix removes (SZZ).",
        "parse": "Parse a test report or a sanitizer report.",
        "sast": "Compare static analysis findings before and after a change.",
    },
}


# What a wrong option raises; typer has it of click, or in a copy of click, and exports neither.
CLICK_EXCEPTION: Any = typer.BadParameter.__mro__[2]
PROGRAM = "arena"
# typer's name of what a group without a command raises: its message is the whole help.
NO_ARGUMENTS = "NoArgsIsHelpError"


class Sections(TyperGroup):
    """A group whose commands stand in the sections above.

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
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def _usage_mistake(error: Any) -> str:
    """The mistake in an option or argument, and where its help is."""
    text = error.format_message().rstrip(".")
    if error.ctx is None:
        return str(text)
    return f"{text[:1].lower()}{text[1:]}; see: {error.ctx.command_path} --help"
