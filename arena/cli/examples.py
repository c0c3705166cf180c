"""An example or two for each command, shown at the end of its help; tests parse all of them."""

from __future__ import annotations

import typer

# By the words of the command.
EXAMPLES = {
    "demo": ("arena demo",),
    "doctor": ("arena doctor",),
    "run": (
        "arena run --pack starter --agent gold --task brook-include",
        "arena run --pack starter --agent codex --model openai/gpt-5 --max-usd 1",
        "arena run --pack dual --model openai/gpt-5 -n 5",
    ),
    "grade": (
        "arena grade predictions.jsonl --pack starter",
        "arena grade reference --pack mutation --set mutants=stored --json",
    ),
    "runs": ("arena runs --limit 5",),
    "redteam": (
        "arena redteam --pack starter",
        "arena redteam --pack starter --harbor tasks --out attacked",
    ),
    "attempts": ("arena attempts latest",),
    "show": ("arena show ATTEMPT --print poc",),
    "report": (
        "arena report latest --by cwe",
        "arena report latest --html page.html",
        "arena report --index site",
    ),
    "compare": ("arena compare latest --by agent gold fixed",),
    "replay": ("arena replay ATTEMPT",),
    "audit": ("arena audit latest",),
    "serve": ("arena serve --port 8090",),
    "export": (
        "arena export latest --to parquet --out attempts.parquet",
        "arena export latest --to otlp --out http://127.0.0.1:4318",
    ),
    "import": (
        "arena import nightly.arena.zip",
        "arena import .arena --store postgresql://me@host/arena",
    ),
    "verify": (
        "arena verify nightly.arena.zip",
        "arena verify nightly.arena.zip --key lab.pub --replay 3 --json",
    ),
    "clean": ("arena clean",),
    "gateway": ("arena gateway --model script:hello.toml --port 8080",),
    "gate": ("arena gate main HEAD --task project.toml --sarif gate.sarif --junit gate.xml",),
    "szz": ("arena szz REPOSITORY FIX",),
    "agents list": ("arena agents list",),
    "agents install": ("arena agents install codex aider",),
    "agents try": ("arena agents try codex --task lexis-long-strings",),
    "agents check": ("arena agents check codex",),
    "agents remove": ("arena agents remove codex",),
    "cases import": (
        "arena cases import arvo.db --store cases",
        "arena cases import ARVO-Meta/meta --oss-fuzz oss-fuzz --mirrors mirrors",
    ),
    "cases list": (
        "arena cases list --store cases",
        "arena cases list --project libplist --lacking poc",
    ),
    "cases show": ("arena cases show ID",),
    "cases try": ("arena cases try ID --sandbox docker",),
    "cases fuzz": ("arena cases fuzz ID --minutes 10",),
    "cases reproduce": (
        "arena cases reproduce ID --clone",
        "arena cases reproduce ID --with-fix --mirrors mirrors --images 'n132/arvo:{id}-vul'",
    ),
    "cases clone": (
        "arena cases clone --all --into mirrors --list",
        "arena cases clone ID --into mirrors --oss-fuzz mirrors/google+oss-fuzz/repo",
    ),
    "cases log": ("arena cases log ID --poc",),
    "cases shell": ("arena cases shell ID",),
    "catalogue list": ("arena catalogue list",),
    "catalogue show": ("arena catalogue show libplist/55035",),
    "catalogue verify": ("arena catalogue verify --oss-fuzz oss-fuzz --mirrors mirrors",),
    "catalogue build": (
        "arena catalogue build libplist --oss-fuzz oss-fuzz --mirrors mirrors --out real",
    ),
    "catalogue add": ("arena catalogue add real --catalogue mycatalogue --read-by me",),
    "tasks list": ("arena tasks list --pack starter",),
    "tasks show": (
        "arena tasks show brook-include",
        "arena tasks show brook-include --prompt reminder",
    ),
    "tasks shell": (
        "arena tasks shell brook-include --patch gold",
        "arena tasks shell brook-include --patch my.patch -- make check",
    ),
    "tasks new": (
        "arena tasks new mypack/first",
        "arena tasks new mypack/first --repository clone --vic COMMIT --vfc COMMIT --poc crash.bin",
    ),
    "tasks check": ("arena tasks check starter --task brook-include",),
    "tasks neighbours": ("arena tasks neighbours mypack --seconds 60",),
    "tasks other-values": ("arena tasks other-values mypack --task first",),
    "tasks diffs": ("arena tasks diffs mypack", "arena tasks diffs mypack --whole --task first"),
    "tasks confirm": ("arena tasks confirm ID --repositories clones",),
    "tasks build": (
        "arena tasks build ID --out mypack",
        "arena tasks build ID --out mypack --again",
        "arena tasks build --all --out mypack --budget-hours 10",
    ),
    "tasks describe": ("arena tasks describe brook-include --check",),
    "parse tests": ("arena parse tests report.tap --format tap",),
    "parse crash": ("arena parse crash asan.log",),
    "sast diff": ("arena sast diff before after",),
    "sweep plan": ("arena sweep plan nightly.toml",),
    "sweep run": ("arena sweep run nightly.toml",),
    "sweep resume": ("arena sweep resume latest",),
    "sweep status": ("arena sweep status latest", "arena sweep status --all"),
    "sweep stop": ("arena sweep stop latest",),
}


def add_examples(app: typer.Typer, before: str = "") -> None:
    """Put the examples below the help of each command of `app`, and of its groups."""
    for command in app.registered_commands:
        name = command.name or (command.callback.__name__ if command.callback else "")
        command.short_help = (command.help or "").partition("\n\n")[0]  # whole in lists
        lines = EXAMPLES.get(f"{before}{name}")
        if lines:
            command.epilog = "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add_examples(group.typer_instance, f"{before}{group.name} ")
