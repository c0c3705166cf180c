"""Functions of the sanitizers, the fuzzer and the C and C++ libraries, by their names.

ClusterFuzz leaves out the same families (STACK_FRAME_IGNORE_REGEXES in its stacktraces/constants.py).
"""

from __future__ import annotations

RUNTIME_PREFIXES = (
    *(
        "__asan",
        "_asan_rtl_",
        "__hwasan",
        "__lsan",
        "__msan",
        "__tsan",
        "__ubsan",
        "__sanitizer",
        "__sancov",
    ),
    *("__interceptor_", "___interceptor_", "fuzzer::", "std::", "__gnu_cxx::", "__cxxabiv1::"),
    *("operator new", "operator delete", "__libc_", "__GI_", "__cxa_", "__assert", "__pthread"),
    *("__mem", "__str", "__fortify_fail", "__chk_fail", "__stack_chk_fail", "__run_exit_handlers"),
)
RUNTIME_NAMES = frozenset(
    word
    for words in (
        "_start start_thread clone clone3 abort raise gsignal pthread_kill tgkill exit _exit",
        "malloc calloc realloc reallocarray free cfree memalign aligned_alloc posix_memalign valloc",
        "memcpy memmove memset memcmp memchr memrchr memmem bcmp bcopy bzero mempcpy",
        "strlen strnlen strcpy strncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr",
        "strstr strcasestr strdup strndup strtok strspn strcspn strpbrk strtol strtoll strtoul strtoull",
        "wcslen wcsnlen wcscpy wcscat stpcpy stpncpy atoi atol atoll",
        "printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf printf_common puts fputs",
        "scanf fscanf sscanf vsscanf scanf_common fread fwrite read write pread pwrite recv send",
        "pthread_create pthread_mutex_lock pthread_mutex_unlock pthread_join SignalAction",
        "MSanAtExitWrapper OnMalloc",
    )
    for word in words.split()
)
