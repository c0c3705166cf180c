"""Reports of AddressSanitizer around a stack, as clang 21 prints them."""

from __future__ import annotations

from parsers.crashes import parse_crash

HEADER = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001a at pc 0x1\n"
START = "    #9 0x56000002e3b0 in _start (/p/prog+0x2e3b0)\n"
SUMMARY = "SUMMARY: AddressSanitizer: heap-buffer-overflow (/p/prog+0x4da35) in f\n"


def project_functions(stack: str) -> list[str]:
    """The project's functions in a report with these frames."""
    crash = parse_crash(HEADER + stack + START + "\n" + SUMMARY)
    assert crash is not None
    return [frame.function for frame in crash.frames]
