"""The schema of a declared agent: what a user may write, and what each placeholder stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from harness.agents._program import LaunchSetup
from harness.agents._settings import DialectName, total, usage
from harness.toolbox.recipe import NodeRecipe, Python, Recipe

PROMPT = "prompt.md"
PLACEHOLDER = re.compile(r"\{([a-z_]{1,20})\}")
# The version is a part of the attempt's evidence (law 5), which a range would leave open.
PINNED = re.compile(r"(.+==|@?[^@]+@)\d\S*")


def values(setup: LaunchSetup) -> dict[str, str]:
    """What the placeholders stand for."""
    return {
        "address": setup.address,
        "calls": str(setup.calls),
        "home": setup.home,
        "model": setup.model,
        "prompt": setup.prompt,
        "prompt_file": f"{setup.home}/{PROMPT}",
        "repository": setup.repository,
        "seconds": str(int(setup.seconds)),
        "token": setup.token,
        "toolbox": str(setup.toolbox),
        "usd": str(setup.usd),
    }


# From the table itself, so that the list in a message cannot lag behind it.
PLACEHOLDERS = frozenset(values(LaunchSetup(Path(), "", "", "", "", "", "", 0, 0.0, 0.0)))


def fill_placeholders(text: str, by: Mapping[str, str]) -> str:
    """Placeholders replaced once: text within a value is never a placeholder."""
    return PLACEHOLDER.sub(lambda match: by.get(match[1], match[0]), text)


def check_placeholders(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL byte")
    unknown = sorted(set(PLACEHOLDER.findall(text)) - PLACEHOLDERS)
    if unknown:
        raise ValueError(
            f"unknown placeholder {{{unknown[0]}}}; known: {', '.join(sorted(PLACEHOLDERS))}"
        )
    return text


def inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    # A declaration may come from elsewhere: its files stay below the agent's home.
    if not parts or parts[0] == "/" or ".." in parts or "\0" in path:
        raise ValueError(f"{path!r} is no path below the home folder")
    return path


class DeclaredPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Installed(DeclaredPart):
    """Packages of a kind, pinned; without any, the program is in the task's image."""

    python: tuple[str, ...] = ()
    versions: tuple[str, ...] = ("3.11", "3.12")
    npm: tuple[str, ...] = ()
    node: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.python and self.npm:
            raise ValueError("either python or npm")
        for package in (*self.python, *self.npm):
            if not PINNED.fullmatch(package):
                raise ValueError(f"{package!r} is not pinned to a version")
        return self

    @property
    def recipe(self) -> Recipe:
        return NodeRecipe(self.npm, self.node) if self.npm else Python(self.python, self.versions)


class Claim(DeclaredPart):
    """Where its usage is read: `file` as collected, or what it printed; the others are paths in it.

    A path is keys and indices with dots between; `*` adds up what is below each entry of a list.
    lines: each line of the file is an object, and the whole the list of them.
    """

    file: str = ""
    lines: bool = False
    calls: str = ""
    input_tokens: str = ""
    output_tokens: str = ""
    usd: str = ""

    def read(self, content: Any) -> dict[str, Any]:
        paths = self.model_dump(exclude={"file", "lines"})
        return usage(
            **{key: total(list(values_at(content, path))) for key, path in paths.items() if path}
        )


class Declaration(DeclaredPart):
    """A declared agent, as its file says."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    version: str = Field(pattern=r"^[\w.+-]{1,40}$")
    wire: DialectName
    protocol: Literal["", "acp"] = ""
    command: tuple[str, ...] = Field(min_length=1)
    stdin: str = ""
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    collect: tuple[str, ...] = ()
    droppings: tuple[str, ...] = ()
    trajectory: str = ""
    installed: Installed = Field(default=Installed(), alias="recipe")
    usage: Claim = Claim()

    @field_validator("command")
    @classmethod
    def _command(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        for argument in command:
            if "{token}" in check_placeholders(argument):
                raise ValueError("{token} may stand in environment, files and stdin only")
        if not command[0].startswith(("/", "{toolbox}/")):
            raise ValueError("the program must be an absolute path, or below {toolbox}")
        return command

    @field_validator("environment", "files")
    @classmethod
    def _texts(cls, texts: Mapping[str, str]) -> Mapping[str, str]:
        for text in texts.values():
            check_placeholders(text)
        return texts

    @field_validator("files")
    @classmethod
    def _files(cls, files: Mapping[str, str]) -> Mapping[str, str]:
        for path in files:
            inside(path)
        return files

    @field_validator("collect")
    @classmethod
    def _collect(cls, collect: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(inside(path) for path in collect)

    @field_validator("stdin")
    @classmethod
    def _stdin(cls, stdin: str) -> str:
        return check_placeholders(stdin)


def values_at(content: Any, path: str) -> Iterator[Any]:
    """The value at the end of a path; nothing where there is none."""
    values = [content]
    for key in path.split("."):
        values = [below for value in values for below in step(value, key)]
    return iter(values)


def step(value: Any, key: str) -> list[Any]:
    if isinstance(value, dict):
        return [value[key]] if key in value else []
    if not isinstance(value, list):
        return []
    if key == "*":
        return value
    index = int(key) if re.fullmatch(r"-?\d{1,9}", key) else len(value)
    return [value[index]] if -len(value) <= index < len(value) else []
