"""Stack frames of sanitizer reports: each line is a frame; and which frames belong to the project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from parsers.crashes._lambdas import CALL, LAMBDA, lambda_scope
from parsers.crashes._layout import frames_of_runtime
from parsers.crashes._model import StackFrame
from parsers.crashes._names import plain_name
from parsers.crashes._runtime import RUNTIME_NAMES, RUNTIME_PREFIXES, is_library_function

MAX_FRAMES = 64
TARGET = "LLVMFuzzerTestOneInput"

_FRAME = re.compile(r"^\s*(?:\d{1,6}: )?\s*#(\d{1,4})\s+(?:0x([0-9a-fA-F]{1,16})\s*(?:in )?)?(.*)$")
_PATH_START = re.compile(r"(?:^|\s)(<null>|/|\.{1,2}/|[A-Za-z]:[\\/])")
_RELATIVE = re.compile(r"^(?=\S*[./])[\w.+@~/\\-]+(?::\d{1,9}){0,2}$")
_LINE = re.compile(r"^(.*?)(?::(\d{1,9}))?(?::\d{1,9})?$", re.DOTALL)

# Headers of the C library count too: its inline functions, as `atoi` of stdlib.h, have frames there.
_RUNTIME_FILES = re.compile(
    r"libsanitizer/|compiler-rt/|sanitizer_common|(?:asan|msan|tsan)_interceptors|/include/c\+\+/"
    r"|/c\+\+/v1/|/sysdeps/|^(?:csu|nptl|stdlib|string|signal|misc|libio|stdio-common)/\.{1,2}/"
    r"|/Fuzzer(?:Loop|Driver|Main)\.(?:cpp|cc)|libstdc\+\+-v3/|/e?glibc-|pthread_kill\.c|/raise\.c|(?:^|/)nptl/pthread_create\.c"
    r"|/abort\.c|/bionic/|^/usr/include/(?:[\w-]{1,40}-linux-gnu\w{0,20}/)?(?:bits/|sys/)?[\w-]{1,40}\.h$"
)
# A file of glibc's as LLVM's symbolizer names it from 19 on, which leaves `./` out: `stdlib/exit.c`.
_GLIBC_FILE = re.compile(
    r"(?:csu|nptl|stdlib|string|signal|misc|libio|stdio-common|malloc|debug|posix|io|time|wcsmbs)/[\w/.-]{1,80}\.[ch]$"
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
    rest, module = _split_modules(match[3].strip())
    function, location = _split(rest)
    file, number = _file_and_line(location)
    if not function and not file:
        file = module
    if not function and not file and match[2] is None:
        return None
    binary, _, offset = module.rpartition("+0x")
    pc = int(match[2], 16) if match[2] else hexadecimal(offset)
    scope = plain_name(lambda_scope(function))
    return int(match[1]), StackFrame(
        plain_name(function), file, number, binary or module, pc, lambda_scope=scope
    )


def hexadecimal(digits: str | None) -> int | None:
    """The number that hexadecimal `digits` state; None when they are missing or no number."""
    try:
        return int(digits, 16) if digits else None
    except ValueError:
        return None


def _split_modules(text: str) -> tuple[str, str]:
    """`text` without trailing `(module+0x12)` and `(BuildId: ..)` groups, and the module group."""
    module = ""
    # At most a module and a BuildId; the parameters of a function are in brackets as well.
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

    A common name such as `free` with a source file of the project belongs to the project.
    """
    if frame.file and (_RUNTIME_FILES.search(frame.file) or _RUNTIME_MODULES.search(frame.file)):
        return True
    if frame.function.startswith(RUNTIME_PREFIXES) or _RUNTIME_MODULES.search(frame.module):
        return True
    if _GLIBC_FILE.match(frame.file) and is_library_function(frame.function):
        return True
    # clang's interceptors have no source file; gcc's have libsanitizer's, which was recognised above.
    return frame.function in RUNTIME_NAMES and not frame.file


def project_frames(stack: Iterable[StackFrame]) -> tuple[StackFrame, ...]:
    """The project's frames, innermost first, up to MAX_FRAMES, without those of the fuzzer's driver.

    Whatever calls the fuzz target is a driver (AFL++ 4 and 5 have `ExecuteFilesOnyByOne`), but for `main`.
    """
    frames = list(stack)
    nobodys = [is_runtime(frame) or frame.file == "<unknown module>" for frame in frames]
    project: list[StackFrame] = []
    is_target = False
    for frame, is_runtimes in zip(frames, frames_of_runtime(frames, nobodys), strict=True):
        if project and frame.function.startswith("fuzzer::"):
            break
        if is_target and frame.function != "main":
            continue
        is_target = is_target or frame.function == TARGET
        if not is_runtimes:
            project.append(frame)
    return tuple(with_scopes(project, frames)[:MAX_FRAMES])


def with_scopes(project: Sequence[StackFrame], stack: Sequence[StackFrame]) -> list[StackFrame]:
    """The project's frames, with a lambda and its thunk joined under the full name where the stack has it.

    gcc's `operator()` with a thunk behind it is a lambda, and so is an `operator()` behind which a template
    has a lambda for an argument, as std::sort and std::thread have. Where the C library called a thunk back,
    as qsort does, the function that called the library is the lambda's scope.
    """
    order = {id(frame): place for place, frame in enumerate(stack)}
    joined: list[StackFrame] = []
    for place, frame in enumerate(project):
        before = joined[-1].function if joined else ""
        following = order[id(project[place + 1])] if place + 1 < len(project) else len(stack) - 1
        callers = stack[order[id(frame)] + 1 : following + 1]
        if frame.function.startswith(LAMBDA):  # gcc's thunk, which has no scope
            if before == CALL:
                joined.pop()
            called_back = len(callers) > 1 and place + 1 < len(project)
            scope = f"{callers[-1].function}::" if called_back and callers[-1].function else ""
            joined.append(replace(frame, function=scope + frame.function))
        elif frame.function == CALL and (scope := _argument_scope(callers)):
            joined.append(replace(frame, function=f"{scope}::{LAMBDA}::{CALL}"))
        elif not (LAMBDA in frame.function and frame.function == before):
            joined.append(frame)
    return joined


def _argument_scope(callers: Iterable[StackFrame]) -> str:
    """The scope of the lambda that the innermost of these template functions has for an argument, or ""."""
    return next((frame.lambda_scope for frame in callers if frame.lambda_scope), "")
