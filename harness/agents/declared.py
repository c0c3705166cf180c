"""Any program as an agent, declared in a file: `declared:FILE` (docs/agents.md has the format).

name = "my-agent"
version = "1.0"
wire = "chat"
command = ["{toolbox}/bin/my-agent", "--task-file", "{prompt_file}", "--model", "{model}"]
collect = ["log.json"]
trajectory = "log.json"

[environment]
OPENAI_BASE_URL = "{address}/v1"
OPENAI_API_KEY = "{token}"

[recipe]
python = ["my-agent==1.0"]

[usage]
file = "log.json"
input_tokens = "calls.*.usage.input"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from harness.agents._declaration import PROMPT, Declaration, fill_placeholders, values
from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import environment, events, parse_json, telling
from harness.agents.acp import AcpProgram
from harness.protocols import Agent
from tasks.whole_file import first_mistake, read_whole

MAX_FILE = 1 << 20


class DeclaredProgram:
    """The agent of a declaration, as any real agent."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.name, self.version, self.dialect = (
            declaration.name,
            declaration.version,
            declaration.wire,
        )
        self.recipe = declaration.installed.recipe

    def launch(self, setup: LaunchSetup) -> Launch:
        by = values(setup)
        declared_environment = {
            key: fill_placeholders(text, by) for key, text in self.declaration.environment.items()
        }
        files = {
            path: fill_placeholders(text, by).encode()
            for path, text in self.declaration.files.items()
        }
        return Launch(
            argv=tuple(fill_placeholders(argument, by) for argument in self.declaration.command),
            # The user's variables win over those that every agent has.
            env={**environment(setup), **declared_environment},
            files={**files, PROMPT: setup.prompt.encode()},
            stdin=fill_placeholders(self.declaration.stdin, by).encode(),
            collect=self.declaration.collect,
            droppings=self.declaration.droppings,
        )

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        declaration, claim = self.declaration, self.declaration.usage
        trajectory = files.get(declaration.trajectory, b"") if declaration.trajectory else output
        content = files.get(claim.file, b"") if claim.file else output
        read = list(events(content)) if claim.lines else parse_json(content)
        return telling(claim.read, trajectory, read)


def load(path: Path) -> DeclaredProgram:
    """Raises ValueError with a line that names file and field."""
    text = read_whole(path, MAX_FILE)
    try:
        return DeclaredProgram(Declaration.model_validate(tomllib.loads(text.decode())))
    except ValidationError as error:
        raise ValueError(f"{path}: {first_mistake(error, model=Declaration)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not TOML: {error}") from error


def open_declared(argument: str) -> Agent:
    """The agent that a file declares. Raises ValueError."""
    from harness.agents._sealed import Sealed

    if not argument:
        raise ValueError("agent `declared` needs a file: declared:FILE")
    declared = load(Path(argument))
    program: AgentProgram = AcpProgram(declared) if declared.declaration.protocol else declared
    return Sealed(program)


PLUGIN = open_declared
