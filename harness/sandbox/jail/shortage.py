"""Whether this machine had too little memory."""

from __future__ import annotations

from pathlib import Path

COUNTS = Path("/proc/vmstat")


def counts() -> tuple[int, int]:
    """How many processes of this machine the kernel has killed for memory, and how often memory was sought.

    The first also counts kills for a container's limit; the second, waits for memory of the machine, does
    not count those for it.
    """
    rows = [line.split() for line in COUNTS.read_text().splitlines()]
    kills = sum(int(number) for name, number in rows if name == "oom_kill")
    return kills, sum(int(number) for name, number in rows if name.startswith("allocstall"))


def was_memory_short(before: tuple[int, int]) -> bool:
    """Whether the kernel has killed something since then because the machine had no memory left."""
    # Both must have grown: a kill alone may be for a container's limit, which is no fault of the machine.
    return all(now > then for now, then in zip(counts(), before, strict=True))
