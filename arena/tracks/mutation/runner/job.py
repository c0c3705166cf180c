"""What is to be run, and within which limits."""

from __future__ import annotations

from dataclasses import dataclass, field

MIB = 1 << 20


@dataclass(frozen=True)
class RunLimits:
    """Limits of a run: seconds of wall and CPU time, bytes of memory, of each file and of all, processes."""

    seconds: float = 5.0
    cpu: float = 5.0
    memory: int = 512 * MIB
    file: int = 64 * MIB
    output: int = 4 * MIB
    processes: int = 32


@dataclass(frozen=True)
class SuiteJob:
    """A program (the module `target_module`) and a test module (`test_generated`), both as source text.

    The test module sees all public names of the program and of the mocks without importing them, as
    in SecMutBench. With `apart`, each test runs in a separate process, from the same state. `lacking` names
    what modules are not to have ("yaml.unsafe_load"), for comparisons with an environment that lacks it.
    """

    program: str
    tests: str
    limits: RunLimits = field(default_factory=RunLimits)
    apart: bool = False
    lacking: tuple[str, ...] = ()
