"""Prints the exact prompt of an agent for a task, so that prompts can be improved without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import emit
from arena.report.text import visible

if TYPE_CHECKING:
    from tasks.loader import Task

PromptOption = Annotated[
    str,
    typer.Option(
        "--prompt",
        help="Print only what an agent is sent with this prompt: neutral, reminder or a file.",
    ),
]
AgentOption = Annotated[
    str, typer.Option("--agent", help="With the settings of this agent, such as codex@cool.toml.")
]


def print_sent(task: Task, prompt: str, agent: str, as_json: bool) -> None:
    """Print the system prompt that the agent's settings have, if any, and the instruction in its frame.

    Raises ValueError for an unknown prompt, or settings that are none.
    """
    from harness.agents._named import read_agent
    from tasks.instruction.templates import wrap

    settings = read_agent(agent).settings if agent else None
    text = wrap(task.instruction, task.spec.environment.workdir, prompt or "neutral")
    if settings:
        text = settings.render_instruction(text)
    system = settings.system if settings else ""
    if as_json:
        emit({"task": task.id, "prompt": prompt, "agent": agent, "system": system, "text": text})
        return
    if system:
        print(visible(f"[system]\n{system.rstrip()}\n\n[user]"))
    print(visible(text.rstrip()))
