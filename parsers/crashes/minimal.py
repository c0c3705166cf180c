"""UBSan's minimal runtime (`-fsanitize-minimal-runtime`): `ubsan: add-overflow`, later with `by 0x..` behind.

The handlers' names are those of compiler-rt/lib/ubsan_minimal/ubsan_minimal_handlers.cpp. Nothing but the
name is printed, so there is no frame; the program goes on, or aborts with `-fno-sanitize-recover`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from parsers.crashes import Crash, CrashExample, CrashFormat, _report
from parsers.crashes._lines import Lines
from parsers.crashes._stack import hexadecimal

_KINDS = {
    "type-mismatch": "null-pointer-use",
    "alignment-assumption": "misaligned-address",
    "add-overflow": "signed-integer-overflow",
    "sub-overflow": "signed-integer-overflow",
    "mul-overflow": "signed-integer-overflow",
    "negate-overflow": "signed-integer-overflow",
    "divrem-overflow": "divide-by-zero",
    "shift-out-of-bounds": "shift-exponent",
    "out-of-bounds": "index-out-of-bounds",
    "local-out-of-bounds": "index-out-of-bounds",
    "builtin-unreachable": "unreachable",
    "missing-return": "missing-return",
    "vla-bound-not-positive": "vla-bound",
    "float-cast-overflow": "float-cast-overflow",
    "load-invalid-value": "invalid-enum",
    "invalid-builtin": "invalid-builtin-use",
    "function-type-mismatch": "incorrect-function-pointer-type",
    "implicit-conversion": "implicit-conversion",
    "nonnull-arg": "invalid-null-argument",
    "nonnull-return": "invalid-null-return",
    "nullability-arg": "invalid-null-argument",
    "nullability-return": "invalid-null-return",
    "pointer-overflow": "pointer-overflow",
    "cfi-check-fail": "control-flow-integrity",
}
_HEADER = re.compile(
    # The whole line must have this form, since a program can print "ubsan: " for itself.
    rf"^ubsan: ({'|'.join(_KINDS)})(?: by 0x[0-9a-f]{{1,16}})?(?: address 0x([0-9a-f]{{1,16}}))?\s*$"
)


def read(match: re.Match[str], _lines: Lines) -> Crash:
    """The check that a line names."""
    body = _report.ReportBody((), match[0].strip())
    address = hexadecimal(match[2])
    crash = _report.make("undefined", _KINDS[match[1]], body, match[0], address=address)
    return replace(crash, recovered=True)


EXAMPLES = (
    CrashExample(
        "ubsan: add-overflow\n",
        {"kind": "signed-integer-overflow", "sanitizer": "undefined", "frames": []},
    ),
    CrashExample(
        "ubsan: add-overflow by 0x55d0c61f2a3b\n", {"kind": "signed-integer-overflow"}, status=134
    ),
    CrashExample("ubsan: shift-out-of-bounds\n", {"kind": "shift-exponent"}),
    CrashExample("ubsan: everything is fine\n", None),
    CrashExample("libubsan: add-overflow\n", None),
)

PLUGIN = CrashFormat(
    name="minimal", markers=("ubsan: ",), header=_HEADER, read=read, examples=EXAMPLES
)
