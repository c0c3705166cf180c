"""Calibration: agents that return a program of the pack.

`reference` is due C&S; `insecure` (CV) and `broken` (IC) give a task's first variant of that kind, and
`variant:NAME` the variant whose file has that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from arena.models.languages import Language
from arena.tracks.dual.tasks.pack import DualTask, language_of, read_program
from arena.tracks.dual.tasks.schema import VariantSpec

Fits = Callable[[VariantSpec, str], bool]
VARIANTS: Mapping[str, Fits] = {
    "insecure": lambda variant, name: variant.kind == "insecure",
    "broken": lambda variant, name: variant.kind == "broken",
    "variant": lambda variant, name: Path(variant.file).stem == name,
}
REFERENCE = "reference"
SHIPPED = (REFERENCE, *VARIANTS)


def is_shipped(agent: str) -> bool:
    """Whether the agent is among these. Raises ValueError for `variant` without a name."""
    kind, colon, name = agent.partition(":")
    if kind == "variant" and not name:
        raise ValueError(f"agent {agent!r}: which one? variant:NAME")
    return kind == "variant" or (agent in SHIPPED and not colon)


def program_of(agent: str, task: DualTask, language: Language) -> bytes | None:
    """A program in that language; None where the task has none. Raises TaskError."""
    kind, _, name = agent.partition(":")
    if kind == REFERENCE:
        reference = task.references.get(language)
        return read_program(reference) if reference else None
    for variant in task.spec.variants:
        if VARIANTS[kind](variant, name) and language_of(Path(variant.file)) == language:
            return task.read_variant(variant)
    return None
