"""Command lines for libFuzzer, and its output (https://llvm.org/docs/LibFuzzer.html, "Fork mode")."""

from __future__ import annotations

import configparser
import re
import shlex

CORPUS, CRASHES, SMALLER = "/tmp/corpus", "/tmp/crashes", "/tmp/smaller"  # noqa: S108 - paths inside
# Packets of what the fix changes: a campaign begins with them alone, and has them beside CORPUS then.
NEAR, ONCE = "/tmp/near", "/tmp/once"  # noqa: S108
# Where words taken from a fix are put, and where they and the target's own dictionary are one.
WORDS, DICTIONARY = "/tmp/words", "/tmp/dictionary"  # noqa: S108
PROGRESS = re.compile(rb"^#(\d+):? ?.*\bcov: ", re.MULTILINE)
DONE = re.compile(rb"stat::number_of_executed_units:\s*(\d+)")
# Options of a target's `.options` file that a campaign takes over.
TAKEN = frozenset(("dict", "max_len", "len_control", "only_ascii", "close_fd_mask", "timeout"))
SANITIZERS = ("ASAN", "MSAN", "UBSAN", "TSAN")
MAX_MEMORY = 2048
# The longest input of a campaign's turns, one after the other, in bytes; 0: as long as the longest seed.
#
# A few long seeds make every execution as slow as theirs, and what a report needs mostly fits into little.
LENGTHS = (256, 2048, 0)
OWN_LENGTH = re.compile(r"-max_len=(\d{1,9})")

# Lays out the seeds; prints the target's options.
PREPARE = """\
mkdir -p {corpus} {crashes} {near}
cd {corpus} && [ ! -f {out}/{target}_seed_corpus.zip ] || unzip -qjo {out}/{target}_seed_corpus.zip || true
find . -type f -size +1M -delete
cd {workdir} && find . -type f -size -32k -not -path '*/.git/*' \\( {folders} \\) -not \\( {code} \\) \
  -print0 | sort -z | head -z -n {samples} | while IFS= read -r -d '' file; do
    n=$((n + 1)); cp -- "$file" "{corpus}/sample-$n"
  done
cat {out}/{target}.options 2>/dev/null; true
"""
# Prints how a target's own seeds begin: four bytes of each, in hexadecimal.
HEADS = (
    f'cd {CORPUS} && for file in *; do case $file in sample-*) ;; *) head -c 4 -- "$file" | od -An -tx1 ;; '
    "esac; done | head -n 300"
)
FOLDERS = ("*test*", "*corpus*", "*corpora*", "*sample*", "*example*", "*seed*")
CODE = (
    "*.c",
    "*.cc",
    "*.cpp",
    "*.h",
    "*.hpp",
    "*.o",
    "*.a",
    "*.so*",
    "*.py",
    "*.sh",
    "*.am",
    "*.in",
    "*.txt.in",
)
# Files of the project's tests and examples that are seeds, too.
SAMPLES = 300


def preparing(out: str, target: str, workdir: str) -> str:
    """The lines of bash that lay out a target's seeds, and the project's data files."""
    script = PREPARE.format(
        corpus=CORPUS,
        crashes=CRASHES,
        near=NEAR,
        out=out,
        target=target,
        workdir=shlex.quote(workdir),
        folders=" -o ".join(f"-ipath '{folder}/*'" for folder in FOLDERS),
        code=" -o ".join(f"-iname '{glob}'" for glob in CODE),
        samples=SAMPLES,
    )
    return f"bash -c {shlex.quote(script)}"


def read_target_options(text: str, out: str, target: str) -> list[str]:
    """The flags in a target's `.options` file; a dictionary only if it is in `out`."""
    # A target's `.options` file is the project's: a percent sign is no interpolation, a repeated key no
    # error.
    reader = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        reader.read_string(text)
        options = dict(reader["libfuzzer"]) if reader.has_section("libfuzzer") else {}
    except (configparser.Error, ValueError):
        options = {}
    options.setdefault("dict", f"{target}.dict")
    flags = [f"-{name}={value}" for name, value in options.items() if name in TAKEN - {"dict"}]
    words = [shlex.quote(flag) for flag in flags]
    path = shlex.quote(f"{out}/{options['dict'].rpartition('/')[2]}")
    dictionary_line = f"cat {path} {WORDS} > {DICTIONARY} 2>/dev/null; echo -dict={DICTIONARY}"
    return [*words, f"$({dictionary_line})"]


def fuzzing(
    program: str, flags: list[str], seconds: int, seed: int, near: bool = False, fork: bool = True
) -> str:
    """A turn of a campaign. Same seed, corpus and machine: alike. Without `fork` it ends at a crash.

    Fork mode goes on after a crash, and restarts the target repeatedly: nDPI's runs five times as slow.
    Nothing is symbolized: a target that crashes at once would do little else, and what crashes is replayed.
    Every second turn counts how near comparisons come as new coverage: slower, and finds what is compared.
    The turns' longest inputs are those of `LENGTHS`, and no longer than the target's flags say.
    near: begin with the inputs of NEAR unchanged, and store nothing: a flaw may be a single byte away from
    any of them, and further inputs have their turns, too.
    """
    forked = "-fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 " if fork else ""
    fixed = (
        f"{forked}-print_funcs=0 -detect_leaks=0 "
        f"-rss_limit_mb={MAX_MEMORY} -timeout=25 -artifact_prefix={CRASHES}/"
    )
    quick = " ".join(f'{name}_OPTIONS="${name}_OPTIONS:symbolize=0"' for name in SANITIZERS)
    profile = 0 if near else (seed + 1) % 2
    bounds = f"-max_total_time={seconds} -seed={seed} -use_value_profile={profile}"
    lengths = [int(match[1]) for match in map(OWN_LENGTH.fullmatch, flags) if match]
    longest = LENGTHS[(seed - 1) % len(LENGTHS)]
    if longest and all(length > longest for length in lengths if length):
        bounds += f" -max_len={longest}"
    fresh = f"rm -rf {ONCE}; cp -r {NEAR} {ONCE}; " if near else ""
    corpora = ONCE if near else f"{CORPUS} {NEAR}"
    return f"{fresh}{quick} {program} {' '.join(flags)} {fixed} {bounds} {corpora} 2>&1 | tail -c 200000"


def minimising(program: str, path: str, seconds: int) -> str:
    """Makes a crashing input smaller, into `SMALLER`."""
    flags = f"-minimize_crash=1 -exact_artifact_path={SMALLER} -max_total_time={seconds}"
    return f"{program} {flags} -rss_limit_mb={MAX_MEMORY} {path} >/dev/null 2>&1; test -s {SMALLER}"


def executions(output: bytes) -> int:
    """The number of inputs that a turn ran: the highest count in its output."""
    counts = [int(n) for n in PROGRESS.findall(output) + DONE.findall(output)]
    return max(counts, default=0)
