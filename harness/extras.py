"""What is installed on request only: `pip install '.[NAME]'` in a checkout.

Code imports a module of an extra where it uses it, and lets the ModuleNotFoundError go up: `named` turns it
into the line that a user reads. What would fail later, or elsewhere, says `need` first.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

DISTRIBUTION = "secure-coding-arena"
ROOMS = ("arena", "harness", "images", "parsers", "szz", "tasks")


class MissingExtra(Exception):
    """Something needs an extra that is not installed; the message is a line that says how to install it."""


@dataclass(frozen=True)
class Extra:
    """purpose: what needs it; modules: what it brings, and must be importable."""

    purpose: str
    modules: tuple[str, ...]


# What the programs of the packs import.
_PYTHON_PROGRAMS = ("bcrypt", "cryptography", "flask", "lxml", "Crypto", "jwt")

EXTRAS = {
    "parquet": Extra("the format parquet, logs of Inspect", ("pyarrow",)),
    "otlp": Extra("the format otlp", ("opentelemetry",)),
    "postgres": Extra("a store in PostgreSQL", ("psycopg",)),
    "ray": Extra("a sweep on a Ray cluster", ("ray",)),
    "mutation": Extra("the track mutation", ("libcst", "pytest", *_PYTHON_PROGRAMS)),
    "dual": Extra("the track dual", ("coverage", *_PYTHON_PROGRAMS)),
    "exposure": Extra("the scanner bandit", ("bandit",)),
    "perplexity": Extra("a perplexity from a model on this machine", ("torch", "transformers")),
}


def absent(extra: str) -> list[str]:
    """The modules of `extra` that are not here; none where it is installed."""
    return [name for name in EXTRAS[extra].modules if importlib.util.find_spec(name) is None]


def how(extra: str) -> str:
    """The command that installs `extra`; no index has the distribution, so it names the checkout."""
    return f"pip install '.[{extra}]' in a checkout"


def need(extra: str) -> None:
    """Raises MissingExtra where `extra` is not installed."""
    if absent(extra):
        raise _missing(extra)


def describe_missing_extra(error: BaseException) -> MissingExtra | None:
    """What an installation lacks, where that is what `error` is about: an extra, or part of the core."""
    if isinstance(error, MissingExtra):
        return error
    root = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or root in ROOMS:
        return None
    extra = next((name for name, it in EXTRAS.items() if root in it.modules), None)
    advice = f"this installation lacks the module {root}: install {DISTRIBUTION} again"
    return _missing(extra) if extra else MissingExtra(advice)


def _missing(extra: str) -> MissingExtra:
    return MissingExtra(f"{EXTRAS[extra].purpose} needs the extra `{extra}`: {how(extra)}")
