"""Functions of the C library that a patch newly calls: harmless ones are listed, all others are looked at.

A list of forbidden functions always lacks a name: libc has aliases, wrappers and newer forms of each.
So this is an allow-list. What neither gold nor the fix calls, and what is not in the table below, is
reported; an alias of a watched name counts as that name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

_STRINGS = """
memcpy memmove memset memcmp memchr memrchr memmem rawmemchr mempcpy memccpy bcmp bcopy bzero
explicit_bzero strlen strnlen strcmp strncmp strcasecmp strncasecmp strchr strrchr strchrnul strstr
strcasestr strspn strcspn strpbrk strtok strtok_r strsep strdup strndup strncpy strncat stpncpy strlcpy
strlcat strcoll strxfrm strerror strerror_r strverscmp index rindex ffs ffsl ffsll swab basename dirname
wcslen wcsnlen wcscmp wcsncmp wcschr wcsrchr wcsstr wcsncpy wcsncat wcsdup wcstol wcstoul wcstoll
wcstoull wcstod wmemcpy wmemmove wmemset wmemcmp wmemchr mbrtowc wcrtomb mbsrtowcs wcsrtombs mbrlen
mbsinit btowc wctob mbtowc wctomb mblen mbstowcs wcstombs swprintf wprintf fwprintf mbrtoc16 mbrtoc32
c16rtomb c32rtomb wcstof wcstold wcsspn wcspbrk wcscspn wcstok wcscoll wcscasecmp wcsncasecmp wcschrnul
wmempcpy wcstoimax wcstoumax wcsxfrm wcsnrtombs mbsnrtowcs strsignal strerrorname_np strerrordesc_np
"""
_NUMBERS = """
abs labs llabs imaxabs div ldiv lldiv atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof
strtold strtoimax strtoumax rand srand rand_r random srandom drand48 erand48 lrand48 nrand48 srand48
sincos finite fpclassify isnan isinf signbit imaxdiv ecvt fcvt gcvt ecvt_r fcvt_r strfromd strfromf
strfroml strfry memfrob a64l l64a
"""
_MATH = """
sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10
log1p pow sqrt cbrt hypot fabs fmod remainder remquo fma fmax fmin fdim ceil floor trunc round lround
llround rint lrint llrint nearbyint frexp ldexp modf scalbn scalbln logb ilogb copysign nextafter
nexttoward nan tgamma lgamma lgamma_r erf erfc sincos isnan isinf finite signbit
"""
_MEMORY = """
malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign qsort qsort_r bsearch
lfind lsearch tsearch tfind tdelete twalk tdestroy hcreate hsearch hdestroy insque remque obstack_begin
obstack_newchunk obstack_free obstack_alloc_failed_handler
"""
_FILES = """
fopen fclose fflush fread fwrite fgetc fgets getc getchar ungetc fputc fputs putc putchar puts printf
fprintf snprintf vprintf vfprintf vsnprintf dprintf vdprintf asprintf vasprintf scanf fscanf sscanf
vscanf vfscanf vsscanf getline getdelim fseek fseeko ftell ftello rewind fgetpos fsetpos feof ferror
clearerr fileno perror remove rename tmpfile setvbuf setbuf setlinebuf open_memstream fmemopen flockfile
funlockfile stdin stdout stderr overflow uflow open openat creat close read write pread pwrite readv
writev lseek stat fstat lstat fstatat fxstat xstat lxstat access faccessat unlink unlinkat mkdir mkdirat
rmdir opendir fdopendir readdir readdir_r closedir rewinddir scandir alphasort readlink symlink link
truncate ftruncate fsync fdatasync getcwd glob globfree fnmatch fdopen getwc fgetwc putwc fputwc ungetwc
fgetws fputws getwchar putwchar vswprintf vfwprintf vwprintf swscanf fwscanf wcsftime mkstemp mkostemp
mkdtemp posix_fadvise posix_fallocate dirfd telldir seekdir versionsort fwide getw putw warn warnx vwarn
vwarnx strfmon putc_unlocked freadable fwritable fpending fbufsize
"""
_TEXT = """
isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
toascii tolower toupper ctype_b_loc ctype_tolower_loc ctype_toupper_loc ctype_get_mb_cur_max iswalnum
iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit
iswctype wctype towlower towupper towctrans wctrans wcwidth wcswidth setlocale localeconv nl_langinfo
newlocale uselocale freelocale duplocale strftime gmtime gmtime_r localtime localtime_r mktime timegm
difftime asctime asctime_r ctime ctime_r strptime regcomp regexec regfree regerror iconv iconv_open
iconv_close getopt getopt_long getopt_long_only optarg optind opterr optopt getsubopt htonl htons ntohl
ntohs inet_ntop inet_pton inet_addr inet_aton inet_ntoa gettext dgettext ngettext bindtextdomain
textdomain
"""
_RUNTIME = """
abort assert_fail assert_perror_fail assert errno_location stack_chk_fail fortify_fail chk_fail
dso_handle cxa_finalize cxa_atexit cxa_thread_atexit_impl libc_start_main gmon_start tls_get_addr
global_offset_table pthread_once call_once pthread_self pthread_equal pthread_getspecific
pthread_setspecific pthread_key_create pthread_key_delete tss_create tss_get tss_set tss_delete
pthread_cond_init pthread_cond_wait pthread_cond_signal pthread_cond_broadcast pthread_cond_destroy
mtx_init mtx_lock mtx_unlock mtx_trylock mtx_destroy
"""
# In the form of `canonical`.
HARMLESS = frozenset(
    [
        *" ".join((_STRINGS, _NUMBERS, _MEMORY, _FILES, _TEXT, _RUNTIME)).split(),
        *(name + kind for name in _MATH.split() for kind in ("", "f", "l")),
    ]
)
# What a compiler calls by itself, and locks.
HARMLESS_KINDS = re.compile(
    r"__(?:asan|msan|ubsan|lsan|tsan|hwasan|sanitizer|gcov|llvm)_"
    r"|pthread_(?:mutex|rwlock|spin|mutexattr|rwlockattr|condattr)_"
    r"|__(?:cxa|gxx|gcc|atomic|sync|aeabi|emutls)_|_Unwind_|_ITM_|__u?[a-z]+[sdtx][if][0-9]?$"
)
_FORMS = ("_chk", "_unlocked", "64", "_l", "_2")


def canonical(name: str) -> str:
    """A name without what libc adds for versions and checks: `__isoc99_sscanf` is `sscanf`."""
    # glibc renames by version, check and locking: `__isoc99_sscanf`, `__printf_chk`, `putc_unlocked`.
    short = re.sub(r"^_*(?:isoc\d+_|IO_|xpg_)?_*", "", name)
    end = len(short)  # no copy of a name that may have megabytes
    while form := next((f for f in _FORMS if len(f) < end and short.endswith(f, 0, end)), ""):
        end -= len(form)
    return short[:end].rstrip("_").lower()


def is_harmless(name: str) -> bool:
    """Whether any program may call a function: by the table, or since compilers call it by themselves."""
    return bool(HARMLESS_KINDS.match(name)) or canonical(name) in HARMLESS


@dataclass(frozen=True)
class LibcExports:
    """What an image's C library exports: name -> all names of the same function. Empty where unknown."""

    aliases: Mapping[str, tuple[str, ...]]

    def names_of(self, name: str) -> tuple[str, ...]:
        """A function's names, among them its canonical name."""
        return (name, canonical(name), *self.aliases.get(name, ()))


def classify(
    names: Iterable[str], libc: LibcExports, watched: Collection[str]
) -> tuple[list[str], list[str]]:
    """Of newly called functions those that are watched ones by another name, and those to be looked at.

    Functions of further libraries are left out where libc's exports could be read.
    """
    aliases, others = [], []
    for name in sorted(set(names)):
        if any(each in watched for each in libc.names_of(name)):
            aliases.append(name)
        # Without libc's exports nobody can say whose function it is, and it is looked at (law 2).
        # Of C++'s names only the watched ones are listed at all (`symbols.CXX_WATCHED`).
        elif not is_harmless(name) and (
            not libc.aliases or name in libc.aliases or name.startswith("_Z")
        ):
            others.append(name)
    return aliases, others
