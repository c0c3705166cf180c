"""Names in the fuzz target and its objects that disable a sanitizer, or end a program behind its back.

The names are read from the objects and the target after the build, so that neither macros, pasted tokens nor
asm labels hide them, and are compared with gold's: names that gold has too are harmless.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from harness.grade.bounded import read_bounded
from harness.grade.building import ROOM, run_grader_command
from harness.grade.imports import LibcExports, classify, is_harmless
from harness.protocols import Sandbox

if TYPE_CHECKING:  # its import takes longer than all that `harness.bounded` starts for
    from tasks.loader import Task

# Each of these lets code leave, restart or silence the process that a sanitizer watches.
_CONTROL = """
fork vfork clone clone3 posix_spawn posix_spawnp execve execv execvp execl execlp execle execvpe fexecve
system popen daemon exit _exit _Exit quick_exit at_quick_exit pthread_exit kill killpg raise tgkill
pthread_kill sigqueue sigaction signal ssignal bsd_signal sysv_signal __sysv_signal sigvec sigset
sigignore sigprocmask pthread_sigmask sigaltstack siglongjmp ptrace prctl arch_prctl process_vm_writev
syscall personality unshare setns umask setrlimit setrlimit64 prlimit prlimit64 close_range closefrom
"""
# Imported by code that ends itself, or disables whoever observes it.
CONTROL = frozenset(_CONTROL.split())
_LOOKING = """
getenv secure_getenv environ __environ _environ getauxval malloc_usable_size mallinfo mallinfo2
dl_iterate_phdr dladdr dlsym dlopen backtrace getpid getppid ttyname isatty
program_invocation_name program_invocation_short_name __progname __progname_full
time clock clock_gettime gettimeofday timespec_get times getrusage getrlimit uname gethostname
"""
# Imported by code that can find out who runs it, or when.
LOOKING = frozenset(_LOOKING.split())
_DANGEROUS = """
strcpy stpcpy strcat sprintf vsprintf gets wcscpy wcscat mktemp tmpnam
__strcpy_chk __stpcpy_chk __strcat_chk __sprintf_chk __vsprintf_chk __wcscpy_chk
"""
_LOADER = """
__libc_stack_end _dl_argv __libc_argv __libc_argc __libc_enable_secure _rtld_global _rtld_global_ro _r_debug
"""
# Exported by the loader, and by way of it by libc: where arguments, environment and loaded libraries are.
LOADER = frozenset(_LOADER.split())
# Unbounded functions: a new import of one is a finding, however the source hides it.
DANGEROUS = frozenset(_DANGEROUS.split())
# Imported by each object that a sanitizer has instrumented.
STARTED = {"__asan_init", "__msan_init", "__tsan_init", "__hwasan_init"}
# Interceptors have several spellings: `__interceptor_x` of older compilers, `___interceptor_x` of newer ones.
RUNTIME = r"__(asan|msan|ubsan|lsan|tsan|sanitizer|_?interceptor|interception)_[A-Za-z0-9_]+"
# Inserted by the compiler itself for libFuzzer's coverage, and no sign of anything.
COVERAGE = "__sanitizer_cov_"
WATCHED_NAMES = CONTROL | LOOKING | DANGEROUS
WATCHED = "|".join((*sorted(WATCHED_NAMES), RUNTIME))
# Of the C++ library: clocks, threads, the user's locale, files and their rights, what differs in each run.
CXX_WATCHED = "^_ZNK?St(6chrono|6thread|6locale(C[12]EPKc|4name)|10filesystem|13random_device)"
# A project that defines what compilers call gives its functions names by which a sanitizer ignores them.
COMPILERS = "^__(gxx|cxa|gcc)_"
# C++'s `operator new` and `delete`, but for the placement forms, which headers define inline.
#
# Who defines them gives every block room of his own, which no sanitizer sees.
HEAP_OPERATORS = "_Z(n[wa][mj]|d[la]Pv[mj]?)(St11align_val_t)?(RKSt9nothrow_t)?"
OBJECTS = (
    "find . -path ./.git -prune -o -type f \\( -name '*.o' -o -name '*.obj' \\) -printf '%P\\0'"
)
# `nm` over all objects in a single command: lists are too long for a command line, and each request costs.
LOOK = f"""\
{{ {OBJECTS} | xargs -0 -r nm -A -P 2>/dev/null | awk -v outside={ROOM}/outside '
BEGIN {{ while ((getline name < outside) > 0) taken[name] }}
NF > 2 {{
    sub(/:$/, "", $1); seen[$1]
    if ($2 == "main") runs[$1]
    if ($3 == "U") linked[$2]
    if ($3 == "U" || $3 == "w") {{ asked[$2]; if ($2 ~ /^({"|".join(sorted(STARTED))})$/) begun[$1] }}
    else {{ had[$2]; if ($2 in taken && $3 ~ /[A-Z]/) print "m", $3, $2, $1 }}
    if ($2 ~ /^({WATCHED}|{HEAP_OPERATORS})$/ || $2 ~ /{COMPILERS}/ && $3 !~ /[UwV]/) print "o", $3, $2, $1
}}
END {{
    for (name in asked)
        if (!(name in had) && (name !~ /^_[ZG]/ || name ~ /{CXX_WATCHED}/))
            print "x", (name in linked) ? "U" : "w", name, "-"
    for (o in seen) print (o in begun ? "i" : "u"), "-", "-", o
    for (o in runs) print "r", "-", "-", o
}}'
nm -P -- TARGET 2>/dev/null | awk '$1 ~ /^({WATCHED})$/ {{ print "t", $2, $1, "-" }}'
nm -P -D -u -- TARGET 2>/dev/null | sed 's/@[^ ]*//' | awk '$1 !~ /^_[ZG]/ {{ print "d", $2, $1, "-" }}'
}} | LC_ALL=C sort -u
"""
SUBJECT = "what its build defines and imports"
WEAK = frozenset("WVwv")
MAX_NAMES = 20


def target_of(command: str) -> str:
    """The program that a PoC's command starts, by its path; "" where that is unclear."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    first = next((word for word in words if "=" not in word), "")
    return first if "/" in first else ""


def list_names(box: Sandbox, task: Task, elsewhere: Iterable[str] = ()) -> list[str]:
    """The names of a build's objects, sorted; rows as `names_to_compare` and `find_suspects` read them.

    The project's objects `import` and `define` watched names (`OBJECT imports NAME`), `define` those of
    `elsewhere`, and are `instrumented` or `bare`; the target `asks for` its libraries' watched names, `needs`
    others, and has `weak` and `strong` ones: what comes with the runtimes to be replaced is weak in it.
    `outside NAME`: no object of the project has that name; `perhaps NAME`: nor need any library (weak).
    """
    return read_bounded(SUBJECT, read_names, _list_names(box, task, elsewhere))


def _list_names(box: Sandbox, task: Task, elsewhere: Iterable[str]) -> str:
    """The rows that LOOK prints: PLACE KIND NAME OBJECT."""
    target = shlex.quote(target_of(task.spec.poc.command) or "/nonexistent")
    # Names that gold borrows from libraries: a patch that defines them itself intercepts the tests' calls.
    borrowed_names = {"outside": "".join(f"{name}\n" for name in elsewhere).encode()}
    return run_grader_command(
        box, LOOK.replace("TARGET", target), task.spec.environment.workdir, borrowed_names
    )


def read_names(output: str) -> list[str]:
    """The rows of LOOK, in the words of `list_names`, sorted."""
    rows = [row.split(" ") for row in output.splitlines()]
    # A file with `main` is a program of the project, which may exit, fork and look at its environment.
    programs = {where for place, _, _, where in rows if place == "r"}
    return sorted({description for row in rows if (description := _describe(programs, *row))})


def _describe(programs: Container[str], place: str, kind: str, name: str, where: str) -> str:
    if name.startswith(COVERAGE) or place == "r":
        return ""
    watched, is_undefined = name in WATCHED_NAMES, kind in "Uw"
    if place == "x":
        return f"outside {name}" if kind == "U" else f"perhaps {name}"
    if place == "m":
        return f"{where} defines {name}"
    if place in "iu":
        return f"{where} is {'instrumented' if place == 'i' else 'bare'}"
    if place == "t":
        return "" if watched or is_undefined else f"{'weak' if kind in WEAK else 'strong'} {name}"
    if place == "d":
        if watched:
            return "" if name in DANGEROUS else f"asks for {name}"
        return "" if is_harmless(name) else f"needs {name}"
    if is_undefined:
        runtime = "__sanitizer_" in name or (kind == "w" and not watched)
        # A weak reference to a runtime asks whether a sanitizer is linked.
        return f"{where} imports {name}" if (watched and where not in programs) or runtime else ""
    return f"{where} defines {name}"


def names_to_compare(rows: Sequence[str], owned: Iterable[str]) -> list[str]:
    """What of gold's names later patches are held against.

    owned: the oracle's files; what another object of gold's imports, any object may.
    """
    stems = {PurePosixPath(path).name.partition(".")[0] for path in owned}
    # Without the tests' objects, which may call more than the library that is tested.
    project_imports = [row for row in rows if " imports " in row and _stem(row) not in stems]
    imports_of_any_object = {row.partition(" ")[2] for row in project_imports}
    return [*(row for row in rows if not row.startswith("strong ")), *sorted(imports_of_any_object)]


@dataclass(frozen=True)
class NewNames:
    """Names of a build that gold's (see `names_to_compare`) does not have.

    suspects: what may hide an error, or bend a report; unbounded: calls of functions that bound nothing;
    imports: further functions of the C library that are not in the table of harmless functions.
    """

    suspects: list[str]
    unbounded: list[str]
    imports: list[str]


def find_new_names(
    box: Sandbox, task: Task, gold: Sequence[str], libc: LibcExports, fixed: Sequence[str] = ()
) -> NewNames:
    """What is new in a build of a patch by its names. fixed: functions that the fix calls.

    Also what it defines of the names that gold takes from elsewhere: libc's, a test library's. Raises
    SandboxDied, and Decided where there are too many names.
    """
    output = _list_names(box, task, list_borrowed_names(gold))
    return read_bounded(SUBJECT, compare_names, output, list(gold), libc, list(fixed))


def compare_names(
    output: str, gold: Sequence[str], libc: LibcExports, fixed: Sequence[str]
) -> NewNames:
    """The rows of LOOK beyond gold's (`names_to_compare`) and the fix's calls."""
    rows = read_names(output)
    names = find_suspects(gold, rows)
    unbounded = [row for row in names if " imports " in row and row.split()[-1] in DANGEROUS]
    news = {*list_called_functions(rows)} - {
        *list_called_functions(gold),
        *fixed,
        *CONTROL,
        *LOOKING,
        *DANGEROUS,
    }
    # A sanitizer's runtime takes some of these too: gold's target needs them then, and no object of gold's.
    borrowed = {*list_borrowed_names(rows)} - {*list_borrowed_names(gold)}
    news |= borrowed & LOADER
    # glibc exports `__sigaction`, `_Fork` and the like: an alias of a watched name counts as that name.
    aliases, imports = classify(news, libc, CONTROL | LOOKING)
    suspects = [row for row in names if row not in unbounded] + [
        f"calls {name}" for name in aliases
    ]
    return NewNames(suspects[:MAX_NAMES], unbounded, imports[:MAX_NAMES])


def list_called_functions(rows: Iterable[str]) -> list[str]:
    """The functions that a build takes from elsewhere, by its objects or by its target."""
    words = ("outside ", "perhaps ", "needs ")
    return [row.partition(" ")[2] for row in rows if row.startswith(words)]


def list_borrowed_names(gold: Iterable[str]) -> list[str]:
    """The names that gold's objects take from elsewhere."""
    words = ("outside ", "perhaps ")
    return [row.partition(" ")[2] for row in gold if row.startswith(words)]


def _stem(row: str) -> str:
    """The name of a row's object without its folder and extensions."""
    return PurePosixPath(row.partition(" ")[0]).name.partition(".")[0]


def find_suspects(gold: Iterable[str], rows: Sequence[str]) -> list[str]:
    """What a build imports, defines, replaces or leaves bare and gold does not; up to `MAX_NAMES`."""
    gold_names, suspects = set(gold), []
    bare = {_folder(row) for row in gold_names if row.endswith(" is bare")}
    # By folder, so that an object which gold does not have is still expected to be instrumented.
    instrumented = {_folder(row) for row in gold_names if row.endswith(" is instrumented")} - bare
    for row in rows:
        first, _, rest = row.partition(" ")
        if first == "strong":
            suspects += [f"target replaces {rest}"] if f"weak {rest}" in gold_names else []
        elif first == "asks":
            suspects += [] if row in gold_names else [f"target {row}"]
        elif (
            first == "perhaps"
        ):  # code that asks what is linked into it; earlier outcomes say `outside`
            suspects += (
                [] if {row, f"outside {rest}"} & gold_names else [f"asks whether {rest} is linked"]
            )
        elif rest == "is bare":
            was = f"{first} is instrumented" in gold_names or _folder(row) in instrumented
            suspects += [f"{first} is not instrumented"] if was else []
        elif (
            first not in ("weak", "outside", "needs")
            and rest != "is instrumented"
            and not {row, rest} & gold_names
        ):
            suspects.append(row)
    return suspects[:MAX_NAMES]


def _folder(row: str) -> str:
    return str(PurePosixPath(row.rpartition(" is ")[0]).parent)
