"""Death by a fatal signal, from the exit status alone: what is left when there is no report.

glibc explains some aborts in a separate line; such a line counts only together with SIGABRT.
Signals that a machine or a harness sends (SIGKILL, SIGTERM, SIGXCPU, ...) are no crash.
"""

from __future__ import annotations

from parsers.crashes import Crash, CrashExample, CrashFormat
from parsers.cwe import cwe_for

SIGABRT = 6
KINDS = {4: "ill", 5: "trap", SIGABRT: "abrt", 7: "bus", 8: "fpe", 11: "segv"}
# glibc 2.36: debug/stack_chk_fail.c, debug/chk_fail.c, malloc/malloc.c, assert/assert.c
_ABORTS = (
    ("*** stack smashing detected ***", "stack-smashing"),
    ("*** buffer overflow detected ***", "buffer-overflow-detected"),
    ("double free or corruption", "double-free"),
    ("free(): double free detected", "double-free"),
    ("free(): invalid pointer", "invalid-free"),
    ("munmap_chunk(): invalid pointer", "invalid-free"),
    ("malloc(): corrupted", "heap-corruption"),
    ("corrupted size vs. prev_size", "heap-corruption"),
    ("free(): invalid next size", "heap-corruption"),
    ("' failed.", "assertion-failed"),
)


def from_status(text: str, signal: int) -> Crash | None:
    """The crash that death by `signal` is, or None when the signal does not stand for a fault.

    `text` is the end of the output, where glibc says why it aborted.
    """
    kind = KINDS.get(signal)
    if kind is None:
        return None
    # A program can print these lines itself: they explain an abort and are no crash without it.
    if signal == SIGABRT:
        kind = next((named for words, named in _ABORTS if words in text), kind)
    return Crash("signal", kind, "", None, None, (), cwe_for(kind), f"signal {signal} ({kind})")


EXAMPLES = (
    CrashExample(
        "", {"kind": "segv", "sanitizer": "signal", "frames": [], "cwe": "CWE-476"}, status=139
    ),
    CrashExample("parsing\n", {"kind": "abrt", "cwe": None}, status=-6),
    CrashExample("floating", {"kind": "fpe", "cwe": "CWE-369"}, status=136),
    CrashExample(
        "*** stack smashing detected ***: terminated\n",
        {"kind": "stack-smashing", "cwe": "CWE-121"},
        status=134,
    ),
    CrashExample(
        "demo: demo.c:9: main: Assertion `n < 4' failed.\n",
        {"kind": "assertion-failed", "cwe": "CWE-617"},
        status=134,
    ),
    CrashExample("*** stack smashing detected ***: terminated\n", {"kind": "segv"}, status=139),
    CrashExample("*** stack smashing detected ***: terminated\n", None, status=1),
    CrashExample("killed by the harness\n", None, status=137),
    CrashExample("terminated\n", None, status=-15),
)
PLUGIN = CrashFormat(name="signals", examples=EXAMPLES, from_status=from_status)
