"""What a script's file may hold (`docs/scripts.md`), checked. Unknown fields are mistakes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.gateway.dialects._json import NotJsonBody, dump, line
from tasks.whole_file import first_mistake, read_whole

MAX_BYTES = 64 << 20
SHIPPED = Path(__file__).with_name("scripts")
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1 << 40)]
Fault = Literal[
    "429", "500", "401", "402", "400", "html", "empty", "malformed", "half", "hang", "drop"
]


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from error
    return text


def _json_text(value: str | dict[str, Any]) -> str:
    """Text stays as it is, also text that is no JSON: models make that mistake too."""
    if isinstance(value, str):
        return value
    try:
        return dump(value)
    except NotJsonBody as error:
        raise ValueError(f"cannot be written as JSON: {error}") from error


Expression = Annotated[str, AfterValidator(_expression)]
Arguments = Annotated[str | dict[str, Any], AfterValidator(_json_text)]


class ScriptPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptTool(ScriptPart):
    """A tool by its name, or by what it does: `shell` runs a command line, `ends` ends the work."""

    name: str = ""
    arguments: Arguments = "{}"
    shell: str = ""
    ends: bool = False

    @model_validator(mode="after")
    def _expect_one_kind(self) -> ScriptTool:
        if sum(map(bool, (self.name, self.shell, self.ends))) != 1:
            raise ValueError("needs one of name, shell and ends")
        if "arguments" in self.model_fields_set and not self.name:
            raise ValueError("arguments are for a tool by its name")
        return self


class TokenCounts(ScriptPart):
    """None is estimated."""

    input: Count | None = None
    output: Count | None = None
    cached: Count = 0
    written: Count = 0
    reasoning: Count = 0

    @model_validator(mode="after")
    def _parts_fit(self) -> TokenCounts:
        if self.input is not None and self.cached + self.written > self.input:
            raise ValueError("cached and written are parts of input, which is less")
        if self.output is not None and self.reasoning > self.output:
            raise ValueError("reasoning is a part of output, which is less")
        return self


class ScriptTurn(ScriptPart):
    text: str = ""
    reasoning: str = ""
    tools: tuple[ScriptTool, ...] = ()
    tokens: TokenCounts = TokenCounts()
    wait: Seconds = 0.0
    pace: Seconds = 0.0
    fault: Fault | None = None
    raw: bool = False

    @model_validator(mode="after")
    def _raw_faults(self) -> ScriptTurn:
        if self.raw and self.fault is None:
            raise ValueError("raw is for a fault")
        return self


class ScriptRule(ScriptTurn):
    match: Expression | None = None
    system: Expression | None = None
    offered: bool | None = None
    times: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _says_when(self) -> ScriptRule:
        if self.match is None and self.system is None and self.offered is None:
            raise ValueError("needs match, system or offered")
        return self


class ScriptFile(ScriptPart):
    turns: tuple[ScriptTurn, ...] = ()
    rules: tuple[ScriptRule, ...] = ()
    then: Literal["end", "repeat", "stop"] = "end"

    @model_validator(mode="after")
    def _something_to_repeat(self) -> ScriptFile:
        if self.then == "repeat" and not self.turns:
            raise ValueError('then = "repeat" needs a turn')
        return self


def script_file(argument: str) -> Path:
    """The file that stands for what a user wrote after `script:`."""
    named_file, shipped_file = Path(argument), SHIPPED / f"{argument}.toml"
    shipped = argument.isidentifier() and not named_file.exists() and shipped_file.is_file()
    return shipped_file if shipped else named_file


def load_script(path: Path) -> ScriptFile:
    """Read a script: JSON when its name ends in `.json`, else TOML.

    Raises ValueError with a line that names the file and the field.
    """
    data = read_whole(path, MAX_BYTES)
    form = "JSON" if path.suffix == ".json" else "TOML"
    try:
        text = data.decode()
        return ScriptFile.model_validate(
            json.loads(text) if form == "JSON" else tomllib.loads(text)
        )
    except ValidationError as error:
        raise ValueError(f"{path}: {line(first_mistake(error, 'script', ScriptFile))}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not {form}: {line(str(error))}") from error
