"""Functions of the sanitizers, the fuzzer and the C and C++ libraries, by their names.

ClusterFuzz leaves out the same families (STACK_FRAME_IGNORE_REGEXES in its stacktraces/constants.py).
"""

from __future__ import annotations

import re

SANITIZER_PREFIXES = (
    *("__asan", "_asan_rtl_", "__hwasan", "__lsan", "__msan", "__tsan", "__ubsan", "__sanitizer"),
    *("__sancov", "__interceptor_", "___interceptor_"),
)
RUNTIME_PREFIXES = (
    *SANITIZER_PREFIXES,
    *("fuzzer::", "std::", "__gnu_cxx::", "__cxxabiv1::", "__isoc99_", "__isoc23_"),
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
        "MSanAtExitWrapper OnMalloc ubsan_GetStackTrace",
        "qsort qsort_r bsearch scandir ftw nftw dl_iterate_phdr twalk",  # they call the project back
    )
    for word in words.split()
)
# What the sanitizers of clang 14 and gcc 12 intercept besides (`nm`, names `__interceptor_*`), and some of
# clang 21: names that a project may have as well, so where a frame lies decides too (`_layout`).
_LIBRARY_FUNCTIONS = frozenset(
    word
    for words in (
        "accept accept4 arc4random arc4random_buf argp_parse asctime asprintf atexit backtrace",
        "backtrace_symbols bind bsearch canonicalize_file_name capget capset clock_getcpuclockid",
        "clock_getres clock_gettime clock_settime cloneEN3 close closedir confstr connect creat crypt",
        "ctermid ctime dl_iterate_phdr dladdr dlclose dlerror dlopen drand48 dup dup2 dup3 endgrent",
        "endpwent epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait ether_aton ether_hostton",
        "ether_line ether_ntoa ether_ntohost eventfd eventfd_read eventfd_write fclose fcvt fdopen fflush",
        "fgetc fgetgrent fgetpwent fgets fgetws fgetxattr flistxattr fmemopen fopen fopencookie fork",
        "forkpty fputc free_aligned_sized free_sized freopen frexp frexpf frexpl fstat fstatat fstatfs",
        "fstatvfs ftime ftw futimes gcvt get_current_dir_name getaddrinfo getauxval getc getchar getcwd",
        "getdelim getenv getgrent getgrgid getgrnam getgrouplist getgroups gethostbyaddr gethostbyname",
        "gethostbyname2 gethostent gethostid gethostname getifaddrs getitimer getline getloadavg",
        "getmntent getnameinfo getnetbyaddr getnetbyname getnetent getpass getpeername getprotobyname",
        "getprotobynumber getprotoent getpwent getpwnam getpwuid getrandom getresgid getresuid getrlimit",
        "getrusage getsockname getsockopt gettimeofday getusershell getutent getutid getutline getutxent",
        "getutxid getutxline getxattr glob gmtime hexdump iconv if_indextoname if_nametoindex index",
        "inet_aton inet_ntop inet_pton initgroups inotify_init inotify_init1 ioctl kill lfind lgamma",
        "lgammaf lgammal lgetxattr listen listxattr llistxattr localtime longjmp lrand48 lsearch lstat",
        "mallinfo mallinfo2 malloc_stats malloc_usable_size mallopt mbrtowc mbsnrtowcs mbsrtowcs mbstowcs",
        "mbtowc memccpy memfrob mincore mkdtemp mkstemp mktime mlock mlockall mmap modf modff modfl",
        "mprotect msgrcv msgsnd munlock munlockall munmap name_to_handle_at nanosleep nftw on_exit open",
        "open_by_handle_at open_memstream open_wmemstream opendir openpty overflow pause pclose pipe",
        "pipe2 poll popen posix_spawn posix_spawnp ppoll prctl preadv preadv2 prlimit process_vm_readv",
        "process_vm_writev ptrace ptsname putc putenv pututxline pvalloc pwritev pwritev2 qsort rand",
        "random readdir readlink readlinkat readv realpath recvfrom recvmmsg recvmsg regcomp regerror",
        "regexec regfree remquo remquof remquol rmdir scandir sched_getaffinity sched_getparam",
        "sem_destroy sem_getvalue sem_init sem_open sem_post sem_timedwait sem_trywait sem_unlink",
        "sem_wait sendfile sendmmsg sendmsg sendto setbuf setbuffer setenv setgrent setitimer setjmp",
        "setlinebuf setlocale setpwent setvbuf shmat shmctl sigaction sigaltstack sigandset sigblock",
        "sigemptyset sigfillset siglongjmp signal signalfd sigorset sigpending sigprocmask sigsetjmp",
        "sigsetmask sigsuspend sigtimedwait sigwait sigwaitinfo sincos sincosf sincosl sleep socket",
        "socketpair splice stat statfs statvfs strchrnul strerror strftime strlcat strlcpy strptime",
        "strsep strtod strtof strtoimax strtold strtoumax strtouq strverscmp strxfrm swapcontext swprintf",
        "sysinfo tcgetattr tdelete tempnam textdomain tfind time timerfd_gettime timerfd_settime times",
        "tmpfile tmpnam tsearch ttyname twalk tzset uflow uname underflow ungetc unlink usleep utimensat",
        "vasprintf vfork vfscanf vscanf vswprintf wait wait3 wait4 waitid waitpid wcrtomb wcschr wcscmp",
        "wcsdup wcsftime wcslcat wcslcpy wcsncat wcsncpy wcsnrtombs wcspbrk wcsrtombs wcsspn wcsstr",
        "wcstod wcstof wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcsxfrm wctomb wmemcpy",
        "wmemmove wmempcpy wmemset wordexp woverflow writev wuflow wunderflow xpg_strerror",
    )
    for word in words.split()
)
_VARIANT = re.compile(
    r"^_{0,2}(.+?)(?:_chk|_l|_internal|_unlocked|64|_r)?(?:_chk|_l|_internal|_unlocked|64|_r)?$"
)


def is_library_function(name: str) -> bool:
    """Whether a function of the C library that sanitizers intercept has this name, or a variant of it.

    >>> is_library_function("__strtol_internal"), is_library_function("fgets_unlocked")
    (True, True)
    """
    plain = _VARIANT.match(name[:64])
    names = (name, plain[1] if plain else name)
    return any(part in RUNTIME_NAMES or part in _LIBRARY_FUNCTIONS for part in names)
