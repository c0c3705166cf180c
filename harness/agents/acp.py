"""Any agent that speaks the Agent Client Protocol: `acp:COMMAND`.

COMMAND begins with the name of an installed agent, whose program, settings and toolbox are used
(`acp:opencode acp`), or with the absolute path of a program in the task's image. A file declares others
(`declared:FILE` with `protocol = "acp"`). The agent is driven inside its seal, by `_acp_driver.py`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import (
    DialectName,
    dump_json,
    environment,
    events,
    openai,
    parse_json,
    telling,
    usage,
    value_at,
)
from harness.protocols import Agent
from harness.toolbox.recipe import Python, Recipe
from parsers.registry import UnknownName

PROTOCOL = "acp"
DRIVER = Path(__file__).with_name("_acp_driver.py")
UPDATES, OUTCOME, SETTINGS, PROMPT = "updates.jsonl", "outcome.json", "acp.json", "acp-prompt.md"
# Characters of what an agent says of how it ended.
MAX_NOTE = 300


class AcpProgram:
    """A program that is started as `base` says, and driven by the protocol.

    arguments: what follows its program on the command line; None: what `base` has there.
    """

    def __init__(self, base: AgentProgram, arguments: tuple[str, ...] | None = None) -> None:
        self._base, self._arguments = base, arguments
        self.name, self.version, self.recipe = base.name, base.version, base.recipe
        self.dialect: DialectName = base.dialect
        self.behaves_by_model = getattr(base, "behaves_by_model", False)

    def launch(self, setup: LaunchSetup) -> Launch:
        launch, home = self._base.launch(setup), setup.home
        argv = launch.argv if self._arguments is None else (launch.argv[0], *self._arguments)
        settings = {
            "argv": argv,
            "cwd": setup.repository,
            "prompt": f"{home}/{PROMPT}",
            "updates": f"{home}/{UPDATES}",
            "outcome": f"{home}/{OUTCOME}",
        }
        files = {
            "acp_driver.py": DRIVER.read_bytes(),
            SETTINGS: dump_json(settings),
            PROMPT: setup.prompt.encode(),
        }
        return replace(
            launch,
            argv=(setup.python, "-I", "-S", f"{home}/acp_driver.py", f"{home}/{SETTINGS}"),
            files={**launch.files, **files},
            stdin=b"",
            collect=(*launch.collect, UPDATES, OUTCOME),
            facts={**launch.facts, "protocol": PROTOCOL, "command": shlex.join(argv)},
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        updates, outcome = files.get(UPDATES, b""), parse_json(files.get(OUTCOME, b""))
        claimed = parse_claimed_usage(outcome, updates)
        report = telling(lambda _: claimed, updates, outcome)
        ended = value_at(outcome, "error") or value_at(outcome, "stop_reason")
        notes = (report.note, str(ended)[:MAX_NOTE] if ended else "")
        return replace(report, note="; ".join(filter(None, notes)))


def parse_claimed_usage(outcome: Any, updates: bytes) -> dict[str, Any]:
    """Tokens of the prompt's answer, and the last cost in USD among the updates (both unstable in 1.19.0)."""
    costs = [value_at(event, "update", "cost") for event in events(updates)]
    # Amounts in any further currency could not be compared with what was metered.
    usd = [value_at(cost, "amount") for cost in costs if value_at(cost, "currency") == "USD"]
    return usage(
        input_tokens=value_at(outcome, "usage", "inputTokens"),
        output_tokens=value_at(outcome, "usage", "outputTokens"),
        usd=usd[-1] if usd else None,
    )


class ImageProgram:
    """A program of the task's image, which finds its model by the usual variables.

    Its toolbox holds an interpreter for the driver, and no package.
    """

    name = "acp"
    version = "1"
    recipe: Recipe = Python((), ("3.11", "3.12"))
    dialect: DialectName = "chat"

    def __init__(self, path: str = "/nonexistent") -> None:
        self._path = path

    def launch(self, setup: LaunchSetup) -> Launch:
        address, token, model = setup.address, setup.token, setup.model
        return Launch(
            argv=(self._path,),
            env=environment(
                setup,
                **openai(setup),
                OPENAI_MODEL=model,
                ANTHROPIC_BASE_URL=address,
                ANTHROPIC_API_KEY=token,
                ANTHROPIC_MODEL=model,
                LLM_BASE_URL=f"{address}/v1",
                LLM_API_KEY=token,
                LLM_MODEL=f"openai/{model}",
            ),
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        return AgentReport()


def read_command(command: str) -> AcpProgram:
    """The program that a command line means. Raises ValueError."""
    from harness.agents._make import is_program, load_program

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"agent `acp`: {command!r}: {error}") from error
    if not words:
        raise ValueError("agent `acp` needs a command: acp:COMMAND")
    first, *arguments = words
    # An absolute path, since a bare name would be looked up on the image's PATH and could hide an agent.
    if first.startswith("/"):
        return AcpProgram(ImageProgram(first), tuple(arguments))
    try:
        base = load_program(first)
    except UnknownName as error:
        raise ValueError(
            f"agent `acp`: {first!r} is no installed agent and no absolute path; others are declared: "
            'declared:FILE with protocol = "acp"'
        ) from error
    if not is_program(base):
        raise ValueError(f"agent `acp`: {first!r} is no program with a toolbox")
    return AcpProgram(base, tuple(arguments))


def open_acp(argument: str) -> Agent:
    """The agent that a command starts. Raises ValueError."""
    from harness.agents._sealed import Sealed

    program: AgentProgram = read_command(argument)
    return Sealed(program)


PLUGIN = open_acp
