"""Stack frames of sanitizer reports: one line to a frame, and which are the project's own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from parsers.crashes import StackFrame
from parsers.crashes._names import plain_name
from parsers.crashes._runtime import RUNTIME_NAMES, RUNTIME_PREFIXES

MAX_FRAMES = 64

_FRAME = re.compile(r"^\s*(?:\d{1,6}: )?\s*#(\d{1,4})\s+(?:0x([0-9a-fA-F]{1,16})\s*(?:in )?)?(.*)$")
_PATH_START = re.compile(r"(?:^|\s)(<null>|/|\.{1,2}/|[A-Za-z]:[\\/])")
_RELATIVE = re.compile(r"^(?=\S*[./])[\w.+@~/\\-]+(?::\d{1,9}){0,2}$")
_LINE = re.compile(r"^(.*?)(?::(\d{1,9}))?(?::\d{1,9})?$", re.DOTALL)

_RUNTIME_FILES = re.compile(
    r"libsanitizer/|compiler-rt/|sanitizer_common|(?:asan|msan|tsan)_interceptors|/include/c\+\+/"
    r"|/c\+\+/v1/|/sysdeps/|^(?:csu|nptl|stdlib|string|signal|misc|libio|stdio-common)/\.{1,2}/"
    r"|/Fuzzer(?:Loop|Driver|Main)\.(?:cpp|cc)|libstdc\+\+-v3/|/e?glibc-|pthread_kill\.c|/raise\.c"
    r"|/abort\.c|/bionic/"
)
_RUNTIME_MODULES = re.compile(
    r"^\[?(?:linux-gate|linux-vdso|vdso)|(?:^|/)(?:libc|libm|libpthread|ld|ld-linux[\w-]*|libstdc\+\+|libc\+\+|libc\+\+abi|libgcc_s"
    r"|lib[almtu]b?san|libhwasan|libclang_rt[\w.-]*)(?:-[\d.]+)?\.so"
)


def read_frame(line: str, needs_address: bool = True) -> tuple[int, StackFrame] | None:
    """The number and the frame that `line` states, or None when it is no frame.

    `needs_address` is False for ThreadSanitizer, whose frames carry no program counter.
    """
    match = _FRAME.match(line)
    if match is None or (needs_address and match[2] is None):
        return None
    rest, module = _without_modules(match[3].strip())
    function, location = _split(rest)
    file, number = _file_and_line(location)
    if not function and not file:
        file = module
    if not function and not file and match[2] is None:
        return None
    return int(match[1]), StackFrame(plain_name(function), file, number)


def _without_modules(text: str) -> tuple[str, str]:
    """`text` without trailing `(module+0x12)` and `(BuildId: ..)` groups, and the module group."""
    module = ""
    for _ in range(3):
        start = text.rfind("(")
        group = text[start + 1 : -1]
        if start < 0 or not text.endswith(")") or (start > 0 and text[start - 1] != " "):
            break
        if "+0x" in group or group.startswith("<"):
            module = group
        elif not group.startswith("BuildId: "):
            break
        text = text[:start].rstrip()
    return text, module


def _split(text: str) -> tuple[str, str]:
    """Part `function location`; C++ names contain spaces, so look for where a path starts."""
    start = _PATH_START.search(text)
    if start is not None:
        return text[: start.start()].strip(), text[start.start(1) :]
    head, _, last = text.rpartition(" ")
    if head and _RELATIVE.match(last):
        return head.strip(), last
    return text, ""


def _file_and_line(location: str) -> tuple[str, int | None]:
    if location in {"", "<null>"}:
        return "", None
    match = _LINE.match(location)
    if match is None:
        return location, None
    return match[1], int(match[2]) if match[2] else None


def is_runtime(frame: StackFrame) -> bool:
    """True when `frame` belongs to a sanitizer, the fuzzer, or the C or C++ library.

    A common name such as `free` with a source file of the project's is the project's own.
    """
    if frame.file and (_RUNTIME_FILES.search(frame.file) or _RUNTIME_MODULES.search(frame.file)):
        return True
    if frame.function.startswith(RUNTIME_PREFIXES):
        return True
    return frame.function in RUNTIME_NAMES and not frame.file


def project_frames(stack: Iterable[StackFrame]) -> tuple[StackFrame, ...]:
    """The project's frames, innermost first, at most MAX_FRAMES; the fuzzer's own driver ends them."""
    kept: list[StackFrame] = []
    for frame in stack:
        if kept and frame.function.startswith("fuzzer::"):
            break
        if not is_runtime(frame) and frame.file != "<unknown module>":
            kept.append(frame)
    return tuple(kept[:MAX_FRAMES])
