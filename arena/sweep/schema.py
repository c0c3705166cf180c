"""The sweep file as validated models. Unknown fields are errors, reported before anything is spent."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from arena.sweep.budget import OTHERS
from harness.command import parse_size
from harness.gateway.pins import check_pin
from tasks.schema import Model

MAX_NAMES = 1_000
DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd])")
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _seconds(value: Any) -> Any:
    """Seconds of "90s", "30m", "6h" or "2d"; anything else is left to the check of numbers."""
    if not isinstance(value, str):
        return value
    match = DURATION.fullmatch(value.strip()[:40])
    if not match:
        raise ValueError('a time is a number of seconds, or such as "90s", "30m", "6h", "2d"')
    return float(match[1]) * UNITS[match[2]]


def _bytes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not re.fullmatch(r"[0-9]{1,15}[kmgKMG]?", value):
        raise ValueError('a size is a number of bytes, or such as "512m", "16g"')
    return parse_size(value)


def _several(value: Any) -> Any:
    """A list of the value, if that is a single text; else the value."""
    return [value] if isinstance(value, str) else value


def _reject_duplicates(values: tuple[str, ...]) -> tuple[str, ...]:
    for at, value in enumerate(values):
        if value in values[:at]:
            raise ValueError(f"{value!r} is there twice")
    return values


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds a NUL character")
    return value


def _pins(pins: dict[str, Any]) -> dict[str, Any]:
    """TOML has no null: "null" leaves the parameter out of every call."""
    for name, value in pins.items():
        check_pin(name, None if value == "null" else value)
    return pins


def _efforts(efforts: tuple[str, ...]) -> tuple[str, ...]:
    for effort in efforts:
        check_pin("reasoning_effort", effort)
    return efforts


def _no_password(address: str) -> str:
    if "@" in address.partition("://")[2].partition("/")[0]:
        raise ValueError(
            "holds a password, which would be stored; keys are told in the environment"
        )
    return address


def _plain(table: dict[str, Any]) -> dict[str, Any]:
    """Only what JSON has: options are stored with the run."""
    try:
        json.dumps(table, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"can hold texts, numbers, lists and tables only: {error}") from error
    return table


Line = Annotated[str, AfterValidator(_text)]
Text = Annotated[Line, StringConstraints(min_length=1, max_length=1_000)]
Names = Annotated[
    tuple[Text, ...],
    Field(max_length=MAX_NAMES),
    BeforeValidator(_several),
    AfterValidator(_reject_duplicates),
]
SWEEP_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,24}$"
# Strict, because pydantic takes the text "no" for false and the text "3" for a number.
Switch = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Tokens = Annotated[int, Field(strict=True, ge=1, le=10**15)]
Usd = Annotated[float, Field(strict=True, gt=0, le=1e9, allow_inf_nan=False)]
Seconds = Annotated[
    float, BeforeValidator(_seconds), Field(strict=True, ge=1, le=1e9, allow_inf_nan=False)
]
Bytes = Annotated[int, BeforeValidator(_bytes), Field(strict=True, ge=0, le=1 << 60)]
Table = Annotated[dict[str, Any], AfterValidator(_plain)]


class Exclusion(Model):
    """Attempts to exclude: those that match all values of the entry. Strings may be globs."""

    task: Text | None = None
    agent: Text | None = None
    model: str | None = None
    prompt: Text | None = None
    replicate: Annotated[int, Field(strict=True, ge=0)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.stated_fields:
            raise ValueError("names no field of an attempt: task, agent, model, prompt, replicate")
        return self

    @property
    def stated_fields(self) -> dict[str, str | int]:
        return self.model_dump(exclude_none=True)


class MatrixSpec(Model):
    """agents x models x prompts x replicates. No prompts: the default of the track."""

    agents: Names = Field(min_length=1)
    models: Names = ()
    prompts: Names = ()
    replicates: Count = 1
    seed: Annotated[int, Field(strict=True, ge=0, lt=1 << 63)] = 0
    exclude: tuple[Exclusion, ...] = Field(default=(), max_length=MAX_NAMES)


class Filter(Model):
    """Selects tasks of the pack: those that match every line of the filter."""

    tasks: Names = ()
    language: Names = ()
    cwe: Names = ()
    project: Names = ()
    domain: Names = ()
    limit: Count | None = None
    sample: Count | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if self.limit is not None and self.sample is not None:
            raise ValueError("limit (the first ones) and sample (drawn ones) cannot both be given")
        return self


class CapsSpec(Model):
    """Caps per attempt. The defaults are those of `harness.protocols.Budget`."""

    usd: Usd = 2.0
    calls: Count = 75
    tokens: Tokens | None = None
    seconds: Seconds = 1800.0


class ModelBudget(Model):
    """The budget of all attempts that use a model."""

    usd: Usd | None = None
    tokens: Tokens | None = None


class BudgetSpec(ModelBudget):
    """The budget of the whole sweep."""

    seconds: Seconds | None = None
    models: dict[str, ModelBudget] = Field(default_factory=dict, max_length=MAX_NAMES)


class Concurrency(Model):
    """Concurrency per node (`models`: in the whole sweep). 0: as many as CPUs, and for bytes: not set."""

    sandboxes: Annotated[int, Field(strict=True, ge=0, le=100_000)] = 0
    builds: Annotated[int, Field(strict=True, ge=0, le=100_000)] = 0
    memory: Bytes = 0
    disk: Bytes = 0
    models: dict[str, Count] = Field(default_factory=dict, max_length=MAX_NAMES)


class ModelsSpec(Model):
    """How models are called. A pin of "null" omits the parameter from every call.

    effort: each model runs at each reasoning effort, as the model `NAME@EFFORT`. alias: no agent learns
    the model's name.
    """

    api_base: Annotated[Line, AfterValidator(_no_password)] = ""
    prices: Line = ""
    allow_unknown_price: Switch = False
    pin: Annotated[dict[str, Any], AfterValidator(_pins)] = Field(default_factory=dict)
    alias: Switch = False
    effort: Annotated[Names, AfterValidator(_efforts)] = ()


class EngineSpec(Model):
    """Where attempts run; `options` are keyword arguments of the engine."""

    name: Text = "local"
    address: str = ""
    options: Table = Field(default_factory=dict)


class SweepSpec(Model):
    """A whole sweep file."""

    name: Annotated[str, StringConstraints(pattern=SWEEP_NAME)] = ""
    track: str = ""
    pack: Text
    sandbox: Literal["auto", "docker", "local"] = "auto"
    sast: Line = ""
    trust_agents: Switch = False
    matrix: MatrixSpec
    filter: Filter = Filter()
    caps: CapsSpec = CapsSpec()
    budget: BudgetSpec = BudgetSpec()
    concurrency: Concurrency = Concurrency()
    models: ModelsSpec = ModelsSpec()
    options: Table = Field(default_factory=dict)
    engine: EngineSpec = EngineSpec()

    @property
    def model_names(self) -> tuple[str, ...]:
        """The models of the sweep, each at each effort if any are listed."""
        efforts = self.models.effort
        if not efforts:
            return self.matrix.models
        return tuple(f"{model}@{effort}" for model in self.matrix.models for effort in efforts)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for check in (_budgets_are_enough, _models_are_known):
            check(self)
        return self


def _budgets_are_enough(spec: SweepSpec) -> None:
    """Raise ValueError for a budget below the cap of an attempt: then no attempt could ever begin.

    An attempt must have a cap if there is a budget: else those in flight together could use any number.
    """
    named = {"budget": spec.budget} | {
        f"budget.models.{name}": budget for name, budget in spec.budget.models.items()
    }
    for field, budget in named.items():
        for unit in ("usd", "tokens"):
            limit, cap = getattr(budget, unit), getattr(spec.caps, unit)
            if limit is not None and cap is None:
                raise ValueError(
                    f"{field}.{unit}: needs caps.{unit}: else one attempt may use any number"
                )
            if limit is not None and cap is not None and limit < cap:
                raise ValueError(
                    f"{field}.{unit}: {limit:g} is less than one attempt may use (caps.{unit} is {cap:g})"
                )


def _models_are_known(spec: SweepSpec) -> None:
    names = {*spec.model_names, OTHERS}
    for table in ("budget", "concurrency"):
        for name in getattr(spec, table).models:
            if name not in names:
                listed = ", ".join([*spec.model_names, f'"{OTHERS}"'])
                raise ValueError(
                    f"{table}.models: {name!r} is none of the sweep's models; known: {listed}"
                )
