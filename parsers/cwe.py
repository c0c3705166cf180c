"""OSS-Fuzz's crash types to CWE ids: SecureAgentBench's Table 7, and what goes beyond it.

A crash type is a kind and, mostly, an access and a size: "Heap-buffer-overflow READ 4". The table
says which CWE the kind (with its access, where that matters) stands for; sizes never matter.
"""

from __future__ import annotations

from dataclasses import dataclass

TABLE_7 = "SecureAgentBench, Table 7 (after Dilgren et al., 2025)"
NEIGHBOUR = "extension: as Table 7's row of the same kind"
MITRE = "extension: the CWE's definition in MITRE's list"


@dataclass(frozen=True)
class CweRow:
    """A line of the mapping. `kind` is canonical (see `canonical_kind`); `access` is "read",
    "write", or "" for every access without a separate row."""

    kind: str
    access: str
    cwe: str
    source: str


def _rows(source: str, *lines: str) -> tuple[CweRow, ...]:
    """Rows from lines "CWE-n kind" or "CWE-n kind access"."""
    split = (line.split() for line in lines)
    return tuple(CweRow(parts[1], "".join(parts[2:3]), parts[0], source) for parts in split)


# The paper prints "Use-after-poison READ" twice; one of the two was probably meant to be WRITE.
ROWS: tuple[CweRow, ...] = (
    *_rows(
        TABLE_7,
        "CWE-416 bad-free",
        "CWE-125 container-overflow read",
        "CWE-120 global-buffer-overflow read",
        "CWE-120 global-buffer-overflow write",
        "CWE-122 heap-buffer-overflow read",
        "CWE-122 heap-buffer-overflow write",
        "CWE-415 double-free",
        "CWE-416 heap-use-after-free read",
        "CWE-129 index-out-of-bounds",
        "CWE-590 invalid-free",
        "CWE-476 segv",
        "CWE-121 stack-buffer-overflow read",
        "CWE-121 stack-buffer-overflow write",
        "CWE-125 unknown read",
        "CWE-787 unknown write",
        "CWE-416 use-after-poison read",
        "CWE-457 use-of-uninitialized-value",
    ),
    *_rows(
        NEIGHBOUR,
        "CWE-787 container-overflow write",
        "CWE-120 global-buffer-overflow",
        "CWE-122 heap-buffer-overflow",
        "CWE-416 heap-use-after-free",
        "CWE-121 stack-buffer-overflow",
        "CWE-121 dynamic-stack-buffer-overflow",
        "CWE-416 use-after-poison",
        "CWE-125 segv read",
        "CWE-787 segv write",
        "CWE-476 unknown",
        "CWE-125 unknown-crash read",
        "CWE-787 unknown-crash write",
        "CWE-125 bus read",
        "CWE-787 bus write",
        "CWE-476 bus",
    ),
    *_rows(
        MITRE,
        "CWE-476 null-dereference",
        "CWE-476 null-pointer-use",
        "CWE-476 invalid-null-argument",
        "CWE-476 invalid-null-return",
        "CWE-127 stack-buffer-underflow read",
        "CWE-124 stack-buffer-underflow write",
        "CWE-124 stack-buffer-underflow",
        "CWE-119 container-overflow",
        "CWE-119 unknown-crash",
        "CWE-119 intra-object-overflow",
        "CWE-119 invalid-pointer-pair",
        "CWE-562 stack-use-after-return",
        "CWE-825 stack-use-after-scope",
        "CWE-762 alloc-dealloc-mismatch",
        "CWE-762 new-delete-type-mismatch",
        "CWE-195 negative-size-param",
        "CWE-475 param-overlap",
        "CWE-789 allocation-size-too-big",
        "CWE-789 out-of-memory",
        "CWE-190 calloc-overflow",
        "CWE-190 reallocarray-overflow",
        "CWE-190 pvalloc-overflow",
        "CWE-674 stack-overflow",
        "CWE-369 fpe",
        "CWE-369 divide-by-zero",
        "CWE-617 check-failed",
        "CWE-617 assertion-failed",
        "CWE-401 memory-leak",
        "CWE-401 direct-leak",
        "CWE-401 indirect-leak",
        "CWE-362 data-race",
        "CWE-362 data-race-on-vptr",
        "CWE-833 lock-order-inversion",
        "CWE-835 timeout",
        "CWE-190 signed-integer-overflow",
        "CWE-190 unsigned-integer-overflow",
        "CWE-1335 shift-exponent",
        "CWE-1335 shift-base",
        "CWE-119 object-size",
        "CWE-125 object-size read",
        "CWE-787 object-size write",
        "CWE-468 pointer-overflow",
        "CWE-681 float-cast-overflow",
        "CWE-681 implicit-conversion",
        "CWE-704 invalid-bool",
        "CWE-704 invalid-enum",
        "CWE-843 vptr",
        "CWE-843 incorrect-function-pointer-type",
        "CWE-843 control-flow-integrity",
        "CWE-1284 vla-bound",
        "CWE-758 misaligned-address",
        "CWE-758 missing-return",
        "CWE-758 invalid-builtin-use",
        "CWE-758 unreachable",
        "CWE-758 undefined-behavior",
        "CWE-121 stack-smashing",
        "CWE-120 buffer-overflow-detected",
        "CWE-122 heap-corruption",
    ),
)

# Other spellings of the kinds above: OSS-Fuzz's (ClusterFuzz stacktraces/constants.py), the flags
# of -fsanitize=, and the sanitizers' older words.
_ALIASES = {
    "heap-double-free": "double-free",
    "attempting-double-free": "double-free",
    "segv-on-unknown-address": "segv",
    "sigsegv": "segv",
    "access-violation": "segv",
    "floating-point-exception": "fpe",
    "sigfpe": "fpe",
    "int-divide-by-zero": "fpe",
    "sigabrt": "abrt",
    "abort": "abrt",
    "assert": "assertion-failed",
    "check-failure": "check-failed",
    "illegal-instruction": "ill",
    "integer-divide-by-zero": "divide-by-zero",
    "float-divide-by-zero": "divide-by-zero",
    "integer-overflow": "signed-integer-overflow",
    "undefined-shift": "shift-exponent",
    "out-of-bounds-index": "index-out-of-bounds",
    "array-bounds": "index-out-of-bounds",
    "null": "null-pointer-use",
    "upcast-of-null-pointer": "null-pointer-use",
    "nonnull-attribute": "invalid-null-argument",
    "returns-nonnull-attribute": "invalid-null-return",
    "alignment": "misaligned-address",
    "bad-cast": "vptr",
    "invalid-bool-value": "invalid-bool",
    "bool": "invalid-bool",
    "invalid-enum-value": "invalid-enum",
    "enum": "invalid-enum",
    "no-return-value": "missing-return",
    "return": "missing-return",
    "unreachable-code": "unreachable",
    "non-positive-vla-bound-value": "vla-bound",
    "builtin": "invalid-builtin-use",
    "function": "incorrect-function-pointer-type",
    "leak": "memory-leak",
    "oom": "out-of-memory",
    "umr": "use-of-uninitialized-value",
    "unexpected-exit": "fuzz-target-exited",
}
_BY_KIND = {(row.kind, row.access): row.cwe for row in ROWS}
_ACCESSES = {"READ": "read", "WRITE": "write"}
MAX_CRASH_TYPE = 200


def split_crash_type(crash_type: str) -> tuple[str, str]:
    """The canonical kind and the access ("read", "write" or "") of OSS-Fuzz's `crash_type`.

    >>> split_crash_type("Heap-double-free"), split_crash_type("UNKNOWN READ {*}")
    (('double-free', ''), ('unknown', 'read'))
    """
    words = crash_type[:MAX_CRASH_TYPE].split()
    access = next((_ACCESSES[word] for word in words[1:] if word in _ACCESSES), "")
    # ClusterFuzz writes {*} for a size that differs between runs.
    kind_words = [w for w in words if w not in _ACCESSES and not w.isdigit() and w != "{*}"]
    kind = "-".join(kind_words).lower()
    return _ALIASES.get(kind, kind), access


def is_read_beyond_buffer(crash_type: str) -> bool:
    """Whether Table 7 gives a read the CWE of the buffer (122), where others expect CWE-125 of the read.

    >>> is_read_beyond_buffer("Heap-buffer-overflow READ 4"), is_read_beyond_buffer("UNKNOWN READ")
    (True, False)
    """
    of_buffer = cwe_for(crash_type) in ("CWE-120", "CWE-121", "CWE-122")
    return split_crash_type(crash_type)[1] == "read" and of_buffer


def canonical_kind(kind: str) -> str:
    """The canonical spelling of `kind`, by which crashes are compared."""
    return split_crash_type(kind)[0]


def cwe_for(crash_type: str) -> str | None:
    """The CWE id of OSS-Fuzz's `crash_type` (or of a `Crash.kind`), or None when the mapping has none.

    >>> cwe_for("Heap-buffer-overflow READ 1"), cwe_for("UNKNOWN WRITE"), cwe_for("Deadly signal")
    ('CWE-122', 'CWE-787', None)
    """
    kind, access = split_crash_type(crash_type)
    # AddressSanitizer names the function: memcpy-param-overlap, strcpy-param-overlap and so on.
    if kind.endswith("-param-overlap"):
        kind = "param-overlap"
    return _BY_KIND.get((kind, access)) or _BY_KIND.get((kind, ""))
