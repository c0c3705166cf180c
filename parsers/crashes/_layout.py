"""Which frames of a stack belong to the runtime, by where their code is in the program.

clang links the sanitizers' runtimes into the program, before the project's objects, and ships them without
line numbers: a call of `memcmp` that crashes has `MemcmpInterceptorCommon` and `memcmp` of the main module
as its innermost frames (clang 14 to 21). GNU ld and lld put `_start` first, then the runtime, then the
project; only cold and startup code of the project's may lie before `_start`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from parsers.crashes._model import StackFrame
from parsers.crashes._runtime import RUNTIME_NAMES, SANITIZER_PREFIXES, is_library_function

_LIBRARY = re.compile(r"\.(?:so|dylib|dll)\b")
# Bytes between an interceptor and the functions of the runtime that it calls: one object file's.
SAME_OBJECT = 0x10000
# Bytes behind `_start` in which AddressSanitizer's interceptors lie (0xE0000 to 0xEC000 are all of it,
# clang 14 and 21): beyond them is the project, some of which may be built without line numbers.
RUNTIME_SPAN = 0xC0000
# A thread's stack has no `_start`: code farther away from the project than this is a library's.
MAX_PROGRAM_BYTES = 0x4000000
# Where less lies between `_start` and the project, no runtime is linked in (gcc's are libraries).
SMALLEST_RUNTIME = 0x30000


def frames_of_runtime(frames: Sequence[StackFrame], by_name: Sequence[bool]) -> list[bool]:
    """Whether each frame is the runtime's: those of `by_name`, and those inside the runtime's code."""
    start = max((f.pc or 0 for f in frames if f.function == "_start"), default=0)
    is_runtime = list(by_name)
    sourced = [i for i, f in enumerate(frames) if f.line is not None and not by_name[i]]
    # Cold code of the project may stand before `_start`, and would hide where the rest of its code begins.
    above = [frames[i].pc or 0 for i in sourced if (frames[i].pc or 0) > start]
    first = sourced[0] if sourced else len(frames)
    limit = min(above, default=0)
    for index, frame in enumerate(frames):
        if is_runtime[index] or not lies_in_program(frame):
            continue
        is_leading = index < first and all(is_runtime[:index])
        is_library = is_library_function(frame.function)
        # A project may have a function called `index` or `open`, so the name alone does not decide.
        if is_library and (is_leading or (limit and start < (frame.pc or limit) < limit)):
            is_runtime[index] = True
        elif is_leading:
            is_runtime[index] = _lies_before(frame.pc, start, limit) or _serves_interceptor(
                frames[index : index + 3]
            )
    return is_runtime


def lies_in_program(frame: StackFrame) -> bool:
    """Whether a frame has a name but no source, and its code is in the program, not in a library.

    clang 21 names the object file of a runtime's local function: `scanf_common asan_interceptors.cpp.o`.
    """
    has_source = frame.line is not None or (frame.file and not frame.file.endswith(".o"))
    return bool(frame.function) and not has_source and not _LIBRARY.search(frame.module)


def _lies_before(pc: int | None, start: int, project: int) -> bool:
    """Whether code at `pc` is of a runtime that is linked between `_start` and the project's code."""
    if pc is None or not start < pc < project:
        return False
    if start == 0:  # as in threads
        return SMALLEST_RUNTIME < project - pc < MAX_PROGRAM_BYTES
    return project - start > SMALLEST_RUNTIME and pc - start < RUNTIME_SPAN


def _serves_interceptor(frames: Sequence[StackFrame]) -> bool:
    """Whether the code of the first frame is just before an interceptor that called it."""
    pc = frames[0].pc
    if pc is None:
        return False
    return any(
        caller.pc is not None
        and pc < caller.pc < pc + SAME_OBJECT
        and lies_in_program(caller)
        and _is_runtime_name(caller.function)
        for caller in frames[1:]
    )


def _is_runtime_name(function: str) -> bool:
    return (
        function in RUNTIME_NAMES
        or function.startswith(SANITIZER_PREFIXES)
        or is_library_function(function)
    )
