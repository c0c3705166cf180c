"""Agents by a name that the user chose, and with settings of a file: `NAME=command:LINE`, `NAME=AGENT@FILE`.

The whole text is part of an attempt's key, the file's digest too (`NAME=AGENT@FILE#DIGEST`), so that no two
settings are part of the agent; tables show the name alone.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from harness.user_names import NAMED
from tasks.whole_file import first_mistake

# What stands where a name would, before an agent with a `:`.
ODD_NAME = re.compile(r"[^:=@]*[^\w.+:=@-][^:=@]*=.*:|[._+-][^:=@]*=.*:", re.DOTALL)
# The digest is what keys hold behind the file's name; a user writes none.
SET = re.compile(r"([a-z0-9][a-z0-9-]*)@(.+?)(?:#([0-9a-f]{12}))?", re.DOTALL)
MAX_FILE = 1 << 20
INSTRUCTION = "{instruction}"


class Settings(BaseModel):
    """What a file may set. template: how the instruction is worded; calls: no more than the run's cap.

    system: the system prompt, for agents that take it; tools: which of its tools an agent has.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    system: str = ""
    template: str = INSTRUCTION
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    calls: int | None = Field(default=None, ge=1)
    tools: tuple[str, ...] | None = Field(default=None, min_length=1)

    @field_validator("template")
    @classmethod
    def _holds_it(cls, template: str) -> str:
        if template.count(INSTRUCTION) != 1:
            raise ValueError(f"holds {INSTRUCTION} once")
        return template

    def render_instruction(self, instruction: str) -> str:
        return self.template.replace(INSTRUCTION, instruction)


@dataclass(frozen=True)
class NamedAgent:
    """name: "" where the user gave none; kind: what `make_agent` knows; settings: of `file`, if any."""

    name: str
    kind: str
    file: str = ""
    settings: Settings | None = None
    digest: str = ""

    @property
    def key(self) -> str:
        """The text that stands for it in a key."""
        settings = f"@{self.file}#{self.digest}" if self.file else ""
        return f"{self.name}={self.kind}{settings}" if self.name else f"{self.kind}{settings}"


def read_agent(text: str) -> NamedAgent:
    """What a user, or a key, says of an agent.

    Raises ValueError for a name or a file that is none, or a file that is not as when the key was computed.
    """
    match = NAMED.fullmatch(text)
    if not match and ODD_NAME.match(text):
        raise ValueError(
            f"agent {text!r}: a name is up to 41 letters, digits and . _ + -, from a letter or digit on"
        )
    name, rest = (match[1], match[2]) if match else ("", text)
    with_file = SET.fullmatch(rest)
    if with_file is None:
        return NamedAgent(name, rest)
    kind, file, digest = with_file.groups()
    content = _content(Path(file))
    now = hashlib.sha256(content).hexdigest()[:12]
    # A run that is resumed must use the settings of its first attempts, or its rows would not compare.
    if digest and digest != now:
        raise ValueError(f"agent {name or kind!r}: {file} has changed since the run was made")
    return NamedAgent(name, kind, file, _settings(file, content), now)


def expect_told_apart(agents: Sequence[NamedAgent]) -> None:
    """Raise ValueError for two agents that tables would show under the same name."""
    agent_by_name: dict[str, str] = {}
    for agent in agents:
        if agent.name and agent_by_name.setdefault(agent.name, agent.key) != agent.key:
            raise ValueError(f"agent {agent.key!r}: {agent.name!r} is the name of another one")


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > MAX_FILE:
        raise ValueError(f"{path}: over {MAX_FILE} bytes")
    return content


def _settings(file: str, content: bytes) -> Settings:
    try:
        settings: dict[str, Any] = tomllib.loads(content.decode())
        return Settings.model_validate(settings)
    except ValidationError as error:
        raise ValueError(f"{file}: {first_mistake(error, model=Settings)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{file}: not TOML: {error}") from error
