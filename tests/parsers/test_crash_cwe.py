"""Table 7 as the paper prints it, and the spellings that OSS-Fuzz uses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.cwe import ROWS, TABLE_7, canonical_kind, cwe_for

# SecureAgentBench, Table 7; the doubled "Use-after-poison READ" once.
PAPER = {
    "Bad-free": "CWE-416",
    "Container-overflow READ": "CWE-125",
    "Global-buffer-overflow READ": "CWE-120",
    "Global-buffer-overflow WRITE": "CWE-120",
    "Heap-buffer-overflow READ": "CWE-122",
    "Heap-buffer-overflow WRITE": "CWE-122",
    "Heap-double-free": "CWE-415",
    "Heap-use-after-free READ": "CWE-416",
    "Index-out-of-bounds": "CWE-129",
    "Invalid-free": "CWE-590",
    "Segv on unknown address": "CWE-476",
    "Stack-buffer-overflow READ": "CWE-121",
    "Stack-buffer-overflow WRITE": "CWE-121",
    "UNKNOWN READ": "CWE-125",
    "UNKNOWN WRITE": "CWE-787",
    "Use-after-poison READ": "CWE-416",
    "Use-of-uninitialized-value": "CWE-457",
}


@pytest.mark.parametrize(("crash_type", "cwe"), PAPER.items())
def test_table_7(crash_type: str, cwe: str) -> None:
    assert cwe_for(crash_type) == cwe
    assert cwe_for(crash_type.replace(" READ", "\nREAD") + " {*}") == cwe
    assert cwe_for(f"{crash_type} 4") == cwe


def test_the_table_has_no_other_rows_and_no_row_twice() -> None:
    assert sum(row.source == TABLE_7 for row in ROWS) == len(PAPER)
    keys = [(row.kind, row.access) for row in ROWS]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch(r"CWE-\d+", row.cwe) and row.source for row in ROWS)
    assert all(canonical_kind(row.kind) == row.kind for row in ROWS)


@pytest.mark.parametrize(
    ("crash_type", "cwe"),
    [
        ("Heap-buffer-overflow\nREAD 4", "CWE-122"),
        ("Stack-buffer-overflow READ {*}", "CWE-121"),
        ("Null-dereference READ", "CWE-476"),
        ("Null-dereference", "CWE-476"),
        ("Dynamic-stack-buffer-overflow WRITE {*}", "CWE-121"),
        ("Heap-use-after-free WRITE 4", "CWE-416"),
        ("Use-after-poison WRITE 8", "CWE-416"),
        ("Stack-buffer-underflow READ 4", "CWE-127"),
        ("Container-overflow WRITE 8", "CWE-787"),
        ("Memcpy-param-overlap", "CWE-475"),
        ("Strncpy-param-overlap", "CWE-475"),
        ("Negative-size-param", "CWE-195"),
        ("Unknown-crash READ 8", "CWE-125"),
        ("Integer-overflow", "CWE-190"),
        ("Undefined-shift", "CWE-1335"),
        ("Divide-by-zero", "CWE-369"),
        ("Floating-point-exception", "CWE-369"),
        ("Object-size", "CWE-119"),
        ("Bad-cast", "CWE-843"),
        ("Non-positive-vla-bound-value", "CWE-1284"),
        ("Incorrect-function-pointer-type", "CWE-843"),
        ("Direct-leak", "CWE-401"),
        ("Stack-overflow", "CWE-674"),
        ("Timeout", "CWE-835"),
        ("Out-of-memory", "CWE-789"),
        ("Data race WRITE 4", "CWE-362"),
        ("Check failed", "CWE-617"),
        ("UNKNOWN", "CWE-476"),
        ("Unknown signal", None),
        ("Nested bug in the same thread, aborting.", None),
        ("", None),
        ("READ 4", None),
    ],
)
def test_other_spellings(crash_type: str, cwe: str | None) -> None:
    assert cwe_for(crash_type) == cwe


@given(st.text())
def test_never_raises(crash_type: str) -> None:
    assert cwe_for(crash_type) is None or crash_type
