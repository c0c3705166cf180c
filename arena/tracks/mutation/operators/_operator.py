"""What a mutation operator is: rewritings that bring a weakness in, and how the weakness is proven.

All rewritings are libcst transformations, so that formatting and comments stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import libcst as cst

# Program -> each program that one variant makes of it; nothing where it does not apply. Never raises.
Rewriting = Callable[[cst.Module], Iterable[cst.Module]]


@dataclass(frozen=True)
class MutantExample:
    """`before` becomes `after` by `variant`; with `after` "" the operator must leave `before` alone."""

    variant: str
    before: str
    after: str


@dataclass(frozen=True)
class Paper:
    """What the original classifier knows of an operator (SecMutBench, Section 3.3, and its package).

    terms: regular expressions looked for in a failing assertion's text, in lower case.
    payloads: texts of attacks, looked for as they are. watched: observable state, as area -> attributes.
    """

    terms: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    watched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Operator:
    """A security mutation operator.

    name: as in the paper, such as "PSQLI". cwes: which it introduces, as "CWE-89".
    variants: name -> rewriting that makes the program weak.
    alternatives: name -> rewriting that keeps it *secure* while it works differently (SHA-512 for SHA-256, a
    longer token, a narrower file mode, a different equal query, different words in a refusal), so that a test
    which asserts the accident and not the property is recognised; each has an example too.
    witnesses: names from `arena.tracks.mutation.oracle.witnesses`, which report that an attack succeeded.
    attacks: kind of parameter (see `arena.tracks.mutation.oracle.roles`) -> attacks, as Python source.
    watched: observable state that shows the weakness, as area -> attributes.
    """

    name: str
    title: str
    cwes: tuple[str, ...]
    variants: Mapping[str, Rewriting]
    witnesses: tuple[str, ...]
    attacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alternatives: Mapping[str, Rewriting] = field(default_factory=dict)
    watched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    paper: Paper = field(default_factory=Paper)
    examples: tuple[MutantExample, ...] = ()
